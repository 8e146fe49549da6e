import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from redis import Redis

from schemas.memory import Fact
from tests.build import SCOPE, fact
from tests.desk import Desk, Judges, Says, desk
from tests.worker.interfaces.cli.running import WHOSE, Cli
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.inbox import Inbox
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging


def turn(text: str, **fields: Any) -> dict[str, Any]:
    return {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": text, "id": text} | fields


def put_aside(cli: Cli, redis: Redis, *turns: dict[str, Any], reason: str = "too sweet") -> None:
    """Each turn alone."""
    inbox = Inbox(redis)
    for one in turns:
        cli("publish", cli.write(one))
        inbox.flush()
        claim = inbox.claim()
        assert claim
        inbox.park(claim, 1, reason)


def ids(cli: Cli) -> dict[str, str]:
    return {line["text"]: line["id"] for line in cli("parked", "--json").lines}


def test_nothing_parked_is_said(cli: Cli) -> None:
    told = cli("parked")

    assert (told.status, told.out, told.err) == (0, "", "nothing is parked\n")
    assert cli("parked", "--json").out == ""


def test_what_is_parked_is_shown_with_its_reason(cli: Cli, redis_client: Redis) -> None:
    put_aside(cli, redis_client, turn("I live in Oslo."), turn("Hi.", user="ben"))
    told = cli("parked")
    listed = cli("parked", "--json").lines

    assert "I live in Oslo." in told.out
    assert "too sweet" in told.out
    assert [(one["text"], one["attempts"], one["user"]) for one in listed] == [
        ("I live in Oslo.", 1, "ann"),
        ("Hi.", 1, "ben"),
    ]
    assert json.loads(listed[0]["payload"])["text"] == "I live in Oslo."
    assert [one["text"] for one in cli("parked", *WHOSE, "--json").lines] == ["I live in Oslo."]


def test_one_is_put_back_by_the_beginning_of_its_id(cli: Cli, redis_client: Redis) -> None:
    put_aside(cli, redis_client, turn("I live in Oslo."), turn("I like tea."))
    told = cli("parked", "replay", ids(cli)["I like tea."][:8], "--json")
    cli("drain", "--all")

    assert (told.status, told.document) == (0, {"replayed": 1, "problems": []})
    assert list(ids(cli)) == ["I live in Oslo."]
    assert "likes tea" in cli("memories", *WHOSE).out


@pytest.mark.parametrize(("which", "left"), [(WHOSE, ["Hi."]), (("--all",), [])])
def test_a_scope_s_or_all_are_put_back(
    cli: Cli, redis_client: Redis, which: Sequence[str], left: list[str]
) -> None:
    put_aside(cli, redis_client, turn("I live in Oslo."), turn("Hi.", user="ben"))

    assert cli("parked", "replay", *which).status == 0
    assert list(ids(cli)) == left
    assert cli("status", "--json").document["pending_turns"] == 2 - len(left)


@pytest.mark.parametrize(
    "which", [(), ("x", "--all"), ("--all", *WHOSE), ("--app", "tests"), ("--user", "ann")]
)
@pytest.mark.parametrize("command", ["replay", "drop"])
def test_it_has_to_be_said_which(cli: Cli, command: str, which: Sequence[str]) -> None:
    assert cli("parked", command, *which).status == 2


@pytest.mark.parametrize("command", [("replay",), ("drop", "--yes")])
def test_an_id_that_fits_none_or_several_does_nothing(
    cli: Cli, redis_client: Redis, command: Sequence[str]
) -> None:
    put_aside(cli, redis_client, *(turn(f"I have {at} cats.") for at in range(17)))
    (shared, *_) = sorted(
        begin
        for begin in {id[0] for id in ids(cli).values()}
        if sum(id[0] == begin for id in ids(cli).values()) > 1
    )

    unknown, several = cli("parked", *command, "zz"), cli("parked", *command, shared)
    assert (unknown.status, several.status) == (1, 1)
    assert "zz is not parked" in unknown.err
    assert f"parked turns begin with {shared}" in several.err
    assert len(ids(cli)) == 17


def test_what_is_no_turn_is_exported_or_dropped_and_never_put_back(
    cli: Cli, redis_client: Redis
) -> None:
    cli("publish", cli.write(turn("I live in Oslo.")))
    (key,) = redis_client.keys("*:turns:*")
    redis_client.lset(key.decode(), 0, "1 {}")
    cli("drain", "--all")
    told = cli("parked", "replay", "--all", "--json")
    (line,) = cli("parked", "--json").lines

    assert told.status == 1
    assert told.document["replayed"] == 0
    assert "can only be exported" in told.document["problems"][0]["message"]
    assert (line["text"], line["payload"]) == (None, "{}")
    assert cli("parked", "drop", line["id"], "--yes").status == 0
    assert cli("parked", "--json").out == ""


def test_dropping_asks_first_and_says_what_is_gone(cli: Cli, redis_client: Redis) -> None:
    put_aside(cli, redis_client, turn("I live in Oslo."))
    refused, silent = cli("parked", "drop", "--all", given="n\n"), cli("parked", "drop", "--all")
    left = list(ids(cli))
    agreed = cli("parked", "drop", "--all", given="y\n")

    assert (refused.status, silent.status, left) == (1, 1, ["I live in Oslo."])
    assert "Give up these 1 turns for good?" in refused.err
    assert agreed.status == 0
    assert "gone: " in agreed.out
    assert "I live in Oslo." in agreed.out
    assert ids(cli) == {}


def test_dropping_for_machines_names_the_ids(cli: Cli, redis_client: Redis) -> None:
    put_aside(cli, redis_client, turn("I live in Oslo."))
    (id,) = ids(cli).values()

    assert cli("parked", "drop", "--all", "--yes", "--json").document == {
        "dropped": 1,
        "ids": [id],
    }


THINGS = tuple(f"Owns a {thing}" for thing in ("lathe", "dinghy", "harp", "still"))
SOLD = "Sold the workshop and all in it"


def sold_replaces_all(case: Candidacy) -> Groups:
    if case.facts[0].text != SOLD or not case.memory_labels:
        return Groups(groups=(), new=case.fact_labels)
    members = ("f1", *case.memory_labels)
    return Groups(groups=(Group(why="sold", members=members, relation="contradict"),), new=())


@pytest.fixture
def held(cli: Cli, redis_client: Redis) -> Iterator[Desk]:
    """Four memories, and a turn that would replace all of them."""
    embedder = HashedEmbedder()
    store = SqliteStore(cli.folder / "memory.db")
    store.open(embedder.fingerprint, embedder.dimensions)
    made = desk(store, redis_client, SCOPE, embedder)
    settings = made.parts.settings.model_copy(update={"threshold": -1.0})

    def every_turn(heard: Heard) -> Sequence[Fact]:
        return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]

    made.parts = replace(
        made.parts,
        settings=settings,
        extraction=Says(every_turn),
        judging=Judging(Judges(sold_replaces_all), resolver="replace"),
    )
    for at, text in enumerate((*THINGS, SOLD), start=1):
        made.say(text, f"2026-05-{at:02}T09:00:00Z", id=text)
        made.settle()
    yield made
    store.close()


def test_a_proposal_is_shown_before_it_is_accepted(cli: Cli, held: Desk) -> None:
    told = cli("parked")
    (line,) = cli("parked", "--json").lines
    accepted = cli("parked", "replay", line["id"], "--accept", "--json")

    assert "revise: " in told.out
    assert {change["text"] for change in line["proposal"]} <= {*THINGS, SOLD}
    assert (accepted.status, accepted.document) == (0, {"accepted": 1, "problems": []})
    assert set(held.live()) == {SOLD}
    assert cli("parked", "--json").out == ""


def test_a_proposal_that_was_overtaken_stays_and_says_so(cli: Cli, held: Desk) -> None:
    again = Judges(
        lambda case: Groups(
            groups=(Group(why="again", members=("f1", "c1"), relation="same"),), new=()
        )
    )
    held.parts = replace(held.parts, judging=Judging(again))
    held.say(THINGS[0], "2026-07-01T09:00:00Z")
    held.settle()
    before = held.live()
    told = cli("parked", "replay", "--all", "--accept")

    assert told.status == 1
    assert "was decided on version 1 of memory" in told.out
    assert "1 parked turns stay as they are" in told.err
    assert held.live() == before


def test_one_without_a_proposal_cannot_be_accepted(cli: Cli, redis_client: Redis) -> None:
    put_aside(cli, redis_client, turn("I live in Oslo."))
    told = cli("parked", "replay", "--all", "--accept", "--json")

    assert told.status == 1
    assert "has no proposal" in told.document["problems"][0]["message"]
    assert list(ids(cli)) == ["I live in Oslo."]
