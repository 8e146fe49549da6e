from typing import Any

import pytest
from redis import Redis

from tests.build import SCOPE
from tests.worker.interfaces.cli.running import Cli
from worker.adapters.inbox import Inbox


def turn(text: str, **fields: Any) -> dict[str, Any]:
    return {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": text} | fields


def published(cli: Cli, *texts: str) -> str:
    return str(cli("publish", cli.write(*map(turn, texts)), "--json").document["ticket"])


def test_a_ticket_is_waited_for_until_its_turn_is_consolidated(cli: Cli) -> None:
    ticket = published(cli, "I live in Oslo.", "I like tea.")
    early = cli("wait", ticket, "--timeout", "0")
    cli("drain", "--all")
    late = cli("wait", ticket, "--timeout", "5", "--json")

    assert (early.status, early.out) == (1, "waiting\n")
    assert "see that a worker runs" in early.err
    assert (late.status, late.document["status"]) == (0, "consolidated")


def test_a_parked_turn_is_no_success_and_says_why(cli: Cli, redis_client: Redis) -> None:
    ticket = published(cli, "I live in Oslo.")
    inbox = Inbox(redis_client)
    inbox.flush()
    claim = inbox.claim()
    assert claim
    inbox.park(claim, 1, "too sweet")
    told = cli("wait", ticket)

    assert (told.status, told.out) == (1, "parked\n")
    assert "too sweet" in told.err


def test_what_is_no_ticket_is_wrong_usage(cli: Cli) -> None:
    assert cli("wait", "tomorrow").status == 2


def test_a_file_of_several_users_has_no_ticket(cli: Cli) -> None:
    file = cli.write(turn("I live in Oslo."), turn("Hi.", user="ben"))

    assert cli("publish", file, "--json").document["ticket"] is None


@pytest.mark.parametrize("drained", [True, False])
def test_publishing_waits_where_it_is_told_to(cli: Cli, drained: bool) -> None:
    file = cli.write(turn("I live in Oslo."), turn("I like tea.", user="ben"))
    cli("publish", file)
    if drained:
        cli("drain", "--all")
    told = cli("publish", file, "--wait", "0", "--json")

    assert told.status == (0 if drained else 1)
    assert told.document["duplicate"] == 2
    assert (told.document["consolidated"], told.document["waiting"]) == (
        (2, 0) if drained else (0, 2)
    )
    assert drained or "2 turns are in but not consolidated: 0 parked" in told.err


def test_without_being_told_it_does_not_wait(cli: Cli) -> None:
    told = cli("publish", cli.write(turn("I live in Oslo.")), "--json")

    assert told.status == 0
    assert "consolidated" not in told.document
