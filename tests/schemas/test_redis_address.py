"""What an address of a Redis says."""

from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.redis_address import redis_address

TLS = "ssl_ca_certs=/etc/ca.pem&ssl_certfile=/etc/me.pem&ssl_keyfile=/etc/me.key"
TLS_OPTIONS = {
    "ssl_ca_certs": "/etc/ca.pem",
    "ssl_certfile": "/etc/me.pem",
    "ssl_keyfile": "/etc/me.key",
}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://", {"kind": "server", "hosts": (("localhost", 6379),), "db": 0, "tls": False}),
        ("redis://db", {"hosts": (("db", 6379),), "login": {}}),
        ("redis://db:7000/3", {"hosts": (("db", 7000),), "db": 3}),
        ("redis://db/3/", {"db": 3}),
        ("redis://db?db=4", {"db": 4}),
        ("redis://db/3?db=4", {"db": 4}),
        ("redis://[::1]:7000/1", {"hosts": (("::1", 7000),), "db": 1}),
        ("redis://[fe80::1%25eth0]", {"hosts": (("fe80::1%eth0", 6379),)}),
        ("redis://ann:pw@db", {"login": {"username": "ann", "password": "pw"}}),
        ("redis://:pw@db", {"login": {"password": "pw"}}),
        ("redis://ann@db", {"login": {"username": "ann"}}),
        ("redis://:a:b@db", {"login": {"password": "a:b"}}),
        ("redis://:a@b@db", {"login": {"password": "a@b"}, "hosts": (("db", 6379),)}),
        ("redis://:p%40%2F%3F%23%25@db", {"login": {"password": "p@/?#%"}}),
        ("redis://db?username=ann&password=p%26w", {"login": {"username": "ann", "password": "p&w"}}),
        ("redis://db?socket_timeout=2.5&protocol=3", {"options": {"socket_timeout": 2.5, "protocol": 3}}),
        ("REDIS://db", {"kind": "server"}),
        ("rediss://db:6380/1", {"kind": "server", "tls": True, "tls_options": {}}),
        (f"rediss://db?{TLS}", {"tls_options": TLS_OPTIONS}),
        (
            "rediss://db?ssl_cert_reqs=none&ssl_check_hostname=false",
            {"tls_options": {"ssl_cert_reqs": "none", "ssl_check_hostname": False}},
        ),
        ("unix:///run/redis.sock", {"kind": "socket", "path": "/run/redis.sock", "hosts": ()}),
        ("unix:///run/a%20b.sock?db=2", {"path": "/run/a b.sock", "db": 2}),
        ("unix:///run/a@b.sock", {"path": "/run/a@b.sock", "login": {}}),
        ("unix://ann:pw@/run/s", {"path": "/run/s", "login": {"username": "ann", "password": "pw"}}),
        (
            "redis+sentinel://ann:pw@s1:26379,s2:26380,s3/mymaster/2",
            {
                "kind": "sentinel",
                "hosts": (("s1", 26379), ("s2", 26380), ("s3", 26379)),
                "master": "mymaster",
                "db": 2,
                "login": {"username": "ann", "password": "pw"},
                "sentinel_login": {},
            },
        ),
        ("redis+sentinel://s1/mymaster", {"master": "mymaster", "db": 0}),
        ("redis+sentinel://[::1]:26379,[::2]/m/0", {"hosts": (("::1", 26379), ("::2", 26379))}),
        (
            "redis+sentinel://s1/m?sentinel_username=eve&sentinel_password=p%3Bw",
            {"login": {}, "sentinel_login": {"username": "eve", "password": "p;w"}},
        ),
        (f"rediss+sentinel://s1/m?{TLS}", {"kind": "sentinel", "tls": True, "tls_options": TLS_OPTIONS}),
        (
            "redis+cluster://:p%2Cw@a:7000,b:7001,[::1]:7002",
            {
                "kind": "cluster",
                "hosts": (("a", 7000), ("b", 7001), ("::1", 7002)),
                "login": {"password": "p,w"},
                "db": 0,
            },
        ),
        ("redis+cluster://a/0", {"hosts": (("a", 6379),)}),
        (f"rediss+cluster://a,b?{TLS}", {"kind": "cluster", "tls": True, "tls_options": TLS_OPTIONS}),
    ],
)  # fmt: skip
def test_an_address_says_where_and_how(url: str, said: dict[str, Any]) -> None:
    address = redis_address(url)

    assert {name: getattr(address, name) for name in said} == said


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("hunter2", "begins with none of redis://, rediss://"),
        ("http://:hunter2@db", "begins with none of"),
        ("sentinel://:hunter2@s1", "begins with none of"),
        ("redis:/hunter2", "begins with none of"),
        ("redis://:hunter2@db:port", "HOST:PORT"),
        ("redis://:hunter2@db:99999", "HOST:PORT"),
        ("redis://:hunter2@::1", "HOST:PORT"),
        ("redis://:hunter2/@db", "percent-encode"),
        ("redis://ann:12/hunter2@db", "not a number"),
        ("redis://:hunter2?@db", "only these may stand"),
        ("redis://ann:12?hunter2@db", "only these may stand"),
        ("redis://db/0/1", "database is not a number"),
        ("redis://db/hunter2", "database is not a number"),
        ("redis://db?db=hunter2", "database is not a number"),
        ("redis://db/²", "database is not a number"),
        ("redis://a:7000,b:7001", "several hosts"),
        ("redis://db?decode_responses=1", "only these may stand: client_name, db"),
        ("redis://db?retry_on_timeout=true", "only these may stand"),
        ("redis://db?socket_timeout=soon", "`socket_timeout` cannot be read"),
        ("rediss://db?ssl_cert_reqs=maybe", "`ssl_cert_reqs` cannot be read"),
        ("rediss://db?ssl_check_hostname=maybe", "`ssl_check_hostname` cannot be read"),
        ("redis://db?ssl_ca_certs=/ca.pem", "write rediss in place of redis"),
        ("redis://db?sentinel_password=hunter2", "is for Sentinels"),
        ("unix://run/redis.sock", "three slashes"),
        ("unix://", "three slashes"),
        ("redis+sentinel://s1", "master's name is missing"),
        ("redis+sentinel://s1/m/x", "database is not a number"),
        ("redis+cluster://a/1", "database 0 only"),
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(url: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refused:
        redis_address(url)

    assert "hunter2" not in str(refused.value)


def test_an_address_is_shown_without_its_secrets() -> None:
    address = redis_address(
        "rediss+sentinel://ann:hunter2@s1/m?sentinel_password=hunter2&ssl_ca_data=hunter2"
    )

    assert "hunter2" not in repr(address)
    assert "s1" in repr(address)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("redis://db", "redis://:pw@db:6379/0", True),
        ("redis://db/0", "redis://db/1", False),
        ("redis://a", "redis://b", False),
        ("redis+cluster://a,b", "redis+cluster://b,a", True),
        ("redis+sentinel://a/m", "redis+sentinel://a/n", False),
        ("redis://a", "redis+cluster://a", False),
    ],
)
def test_two_addresses_of_one_database_are_known_for_it(one: str, other: str, same: bool) -> None:
    assert (redis_address(one).database == redis_address(other).database) is same


@given(username=st.text(min_size=1), password=st.text(min_size=1))
def test_any_login_comes_through_when_it_is_percent_encoded(username: str, password: str) -> None:
    login = f"{quote(username, safe='')}:{quote(password, safe='')}@"

    for url in (
        f"redis://{login}h:1/2",
        f"redis+sentinel://{login}a,b/m",
        f"redis+cluster://{login}a",
    ):
        assert redis_address(url).login == {"username": username, "password": password}


@given(st.text())
def test_any_text_is_an_address_or_refused_as_a_value(text: str) -> None:
    for url in (text, f"redis://{text}", f"rediss+sentinel://{text}", f"redis+cluster://a?{text}"):
        with suppress(ValueError):
            assert redis_address(url).kind
