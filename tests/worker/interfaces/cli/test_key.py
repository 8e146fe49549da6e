from redis import Redis

from schemas.keys import API_KEYS
from tests.worker.interfaces.cli.running import Cli
from worker.core.access.api_key import read


def test_a_key_is_shown_once_and_only_its_hash_is_kept(cli: Cli, redis_client: Redis) -> None:
    told = cli("key", "add", "--app", "acme", "--label", "the shop")

    shown = read(told.out.strip())
    assert told.status == 0
    assert shown
    kept = str(redis_client.hgetall(API_KEYS))
    assert shown.digest in kept
    assert shown.secret not in kept
    assert shown.secret not in cli("key", "list").out + cli("key", "list", "--json").out


def test_keys_are_listed_with_what_they_open(cli: Cli) -> None:
    made = cli("key", "add", "--app", "acme", "--user", "ann", "--json").document

    (line,) = cli("key", "list", "--json").lines

    assert line == {name: value for name, value in made.items() if name != "key"}
    assert (line["app"], line["user"]) == ("acme", "ann")


def test_a_revoked_key_is_gone_and_one_that_never_was_is_an_error(cli: Cli) -> None:
    id = cli("key", "add", "--app", "acme", "--json").document["id"]

    first, again = cli("key", "revoke", id), cli("key", "revoke", id)

    assert (first.status, again.status) == (0, 1)
    assert "slowwave key list" in again.err
    assert cli("key", "list", "--json").lines == []


def test_a_key_of_nobody_is_wrong_usage(cli: Cli) -> None:
    for app in ("", "  ", "a\x1bb"):
        assert cli("key", "add", "--app", app).status == 2
    assert cli("key", "list", "--json").lines == []
