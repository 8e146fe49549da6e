"""Which hosts are this machine."""

import pytest

from worker.core.access.hosts import host_in, is_loopback


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        *[("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True)],
        *[("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("", False)],  # noqa: S104
        *[
            ("localhost.evil.example", False),
            ("127.0.0.1.evil.example", False),
            ("2130706433", False),
        ],
        *[("LOCALHOST", False), ("localhost ", False)],
    ],
)
def test_a_host_is_this_machine_only_where_that_is_certain(host: str, is_ours: bool) -> None:
    assert is_loopback(host) is is_ours


@pytest.mark.parametrize(
    ("url", "host"),
    [
        *[
            ("http://Localhost:80/x", "localhost"),
            ("//[::1]:8765", "::1"),
            ("//127.0.0.1", "127.0.0.1"),
        ],
        *[("//localhost@evil.example", "evil.example"), ("//evil.example:99999", "evil.example")],
        *[("//", ""), ("", ""), ("null", ""), ("localhost", ""), ("http://[", ""), ("//[x", "")],
    ],
)
def test_the_host_of_an_address_is_found(url: str, host: str) -> None:
    assert host_in(url) == host
