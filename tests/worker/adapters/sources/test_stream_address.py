import pytest

from worker.adapters.sources.stream_address import StreamAddress, stream_address
from worker.errors import Misconfigured

OWN = "redis://:secret@own:1/0"


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("redis://h:2/3?stream=turns", StreamAddress("redis://h:2/3", "turns")),
        (
            "rediss://u:p@h:2/3?stream=a%20b&group=g&from=$&idle=1.5&ssl_cert_reqs=none",
            StreamAddress("rediss://u:p@h:2/3?ssl_cert_reqs=none", "a b", "g", "$", 1.5),
        ),
        ("unix:///run/r.sock?db=2&stream=t", StreamAddress("unix:///run/r.sock?db=2", "t")),
        ("stream:turns", StreamAddress(OWN, "turns")),
        ("stream:chat:turns?group=g", StreamAddress(OWN, "chat:turns", "g")),
    ],
)
def test_a_url_says_where_the_stream_is_and_who_reads_it(
    given: str, address: StreamAddress
) -> None:
    assert stream_address(given, OWN) == address


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("redis://h:2/3", "names no stream"),
        ("redis://h:2/3?stream=", "names no stream"),
        ("stream:", "names no stream"),
        ("redis://:secret@h:2/3?strem=turns", "stream=NAME"),
        ("redis://:secret@h:2/3?stream=t&decode_responses=1", "may stand"),
        ("redis://h:2/3?stream=t&from=1-0", "`from`"),
        ("redis://h:2/3?stream=t&idle=soon", "`idle`"),
        ("redis://h:2/3?stream=t&idle=nan", "`idle`"),
        ("redis://h:2/3?stream=t&idle=0", "`idle`"),
        ("redis://:secret@h:port/3?stream=t", "no address of a Redis"),
    ],
)
def test_what_is_wrong_with_a_url_is_said_without_its_password(given: str, reason: str) -> None:
    with pytest.raises(Misconfigured, match=reason) as raised:
        stream_address(given, OWN)

    assert "secret" not in str(raised.value)
