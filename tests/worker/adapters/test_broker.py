"""What Celery is told of each form of address."""

from typing import Any

import pytest
from kombu import Connection

from worker.adapters.broker import broker
from worker.errors import Misconfigured

CA = "ssl_ca_certs=/ca.pem&ssl_certfile=/me.pem&ssl_keyfile=/me.key"
SECURE = {
    "ssl_cert_reqs": "required",
    "ssl_ca_certs": "/ca.pem",
    "ssl_certfile": "/me.pem",
    "ssl_keyfile": "/me.key",
}


@pytest.mark.parametrize(
    ("url", "broker_url", "secure"),
    [
        ("redis://db", "redis://db:6379/0", None),
        ("redis://ann:p%40w@db:7000/3", "redis://ann:p%40w@db:7000/3", None),
        ("redis://:p%2Fw@db?db=3", "redis://:p%2Fw@db:6379/3", None),
        ("redis://[::1]:7000/1", "redis://[::1]:7000/1", None),
        ("rediss://db", "rediss://db:6379/0", {"ssl_cert_reqs": "required"}),
        (f"rediss://db/1?{CA}", "rediss://db:6379/1", SECURE),
        ("rediss://db?ssl_cert_reqs=none", "rediss://db:6379/0", {"ssl_cert_reqs": "none"}),
        ("unix:///run/a%20b.sock?db=2", "redis+socket:///run/a%20b.sock?virtual_host=2", None),
        (
            "redis+sentinel://ann:p%3Bw@s1,[::2]:7/m/2",
            "sentinel://ann:p%3Bw@s1:26379/2;sentinel://ann:p%3Bw@[::2]:7/2",
            None,
        ),
        (f"rediss+sentinel://s1/m?{CA}", "sentinel://s1:26379/0", SECURE),
    ],
)
def test_each_form_of_address_is_told_in_the_words_of_celery(
    url: str, broker_url: str, secure: dict[str, Any] | None
) -> None:
    told = broker(url, "SLOWWAVE_REDIS_URL")

    assert told["broker_url"] == broker_url
    assert told["broker_use_ssl"] == secure
    assert told["broker_transport_options"]["global_keyprefix"] == "slowwave:celery:"


def test_sentinels_are_asked_with_a_login_of_their_own() -> None:
    url = f"rediss+sentinel://ann:pw@s1/mymaster?sentinel_username=eve&sentinel_password=s%3Bw&{CA}"
    options = broker(url, "SLOWWAVE_REDIS_URL")["broker_transport_options"]

    assert options["master_name"] == "mymaster"
    assert options["sentinel_kwargs"].pop("retry").get_retries() == 0
    assert options["sentinel_kwargs"] == {
        "username": "eve",
        "password": "s;w",
        "socket_timeout": 5,
        "ssl": True,
        **SECURE,
    }


@pytest.mark.parametrize(
    "url", ["redis://ann:p%40%2F%3A%3Bw@db/3", "redis+sentinel://ann:p%40%2F%3A%3Bw@s1,s2/m/3"]
)
def test_celery_reads_the_login_as_it_was_meant(url: str) -> None:
    with Connection(broker(url, "SLOWWAVE_REDIS_URL")["broker_url"]) as connection:
        read = (connection.userid, connection.password, connection.virtual_host)

    assert read == ("ann", "p@/:;w", "3")


@pytest.mark.parametrize("setting", ["SLOWWAVE_REDIS_URL", "SLOWWAVE_BROKER_URL"])
def test_a_cluster_is_refused_by_its_setting(setting: str) -> None:
    with pytest.raises(Misconfigured, match=f"^{setting} is a Redis Cluster.*SLOWWAVE_BROKER_URL"):
        broker("redis+cluster://a,b", setting)
