"""Two owners who say the same: whatever one of them is asked, shown or does, the other's memory has no part in it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError

from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.traces import shown, telling
from tests.cases.verdicts import Judge, Reply, Thing
from tests.desk import Desk, scripted
from tests.endpoint import Endpoint
from tests.worker.direct.writing import saying
from worker.core.writing.amending import amendment
from worker.direct.editing import amend
from worker.direct.erasing import erase
from worker.direct.forgetting import Wanted, forget, sighted
from worker.direct.remembering import remember
from worker.direct.restoring import restore
from worker.direct.undoing import undo
from worker.errors import Unprocessable

LATER = datetime(2026, 11, 20, tzinfo=UTC)


@dataclass(frozen=True)
class Talk:
    """What both say, what only the first says, and what the second says later of what both said."""

    both: str
    secret: str
    word: str
    moved: str


TALKS = {
    "vet": Talk(
        "The vet is in Mill Lane",
        "The alarm code is 90210",
        "90210",
        "The vet is in Dock Street now",
    ),
    "Hebamme": Talk(
        "Die Hebamme wohnt am Anger",
        "Das Codewort lautet Pusteblume",
        "Pusteblume",
        "Die Hebamme wohnt jetzt am Ring",
    ),
    "牙医": Talk("理发师在南街", "保险箱密码是七七四九", "七七四九", "理发师搬到北街了"),
}
#: How a second owner may be mistaken for the first: app and user of both.
PAIRS = {
    "another app": (("{}", "u1"), ("{} B", "u1")),
    "another user": (("{}", "u1"), ("{}", "u2")),
    "names that join alike": (("{}", "1:u"), ("{}:1", "u")),
    "names that differ in case": (("{}", "Ann"), ("{}", "ann")),
}


@dataclass
class Pair:
    """Who came first with a secret, and the second, whose model is asked by `server`."""

    first: Desk
    second: Desk
    talk: Talk

    def script(self, job: str, document: dict[str, Any]) -> Reply:
        texts = (self.talk.both, self.talk.secret, self.talk.moved)
        facts = {f"{one}.": [found(one, attribute="place")] for one in texts}
        things = [Thing((self.talk.moved, self.talk.both), "update")]
        if job == "redact":
            return {"text": ""}
        return Judge(facts, things)(job, document)

    def say(self, table: Desk, text: str, day: int) -> Endpoint:
        with scripted(table, self.script, resolver="replace") as server:
            table.say(f"{text}.", f"2026-02-{day:02}T10:00:00Z")
            table.settle()
        return server


#: Every pair in one language, every language for one pair.
BOTH = [(one, "vet") for one in PAIRS] + [("another app", one) for one in ("Hebamme", "牙医")]


@pytest.fixture(params=BOTH, ids=" ".join)
def pair(request: pytest.FixtureRequest, at_desk: AtDesk, scope: Scope) -> Pair:
    names, talk = PAIRS[request.param[0]], TALKS[request.param[1]]
    near = dict.fromkeys((talk.secret, talk.moved), (talk.both, 0.95))
    scopes = [Scope(app=app.format(scope.app), user=user) for app, user in names]
    made = Pair(at_desk(scopes[0], near), at_desk(scopes[1], near), talk)
    made.say(made.first, talk.both, 2)
    made.say(made.first, talk.secret, 2)
    return made


def test_equal_words_are_two_memories_and_no_prompt_of_one_tells_of_the_other(pair: Pair) -> None:
    talk, before = pair.talk, all_of(pair.first)
    servers = [
        pair.say(pair.second, text, day) for day, text in enumerate((talk.both, talk.moved), 3)
    ]
    with scripted(pair.second, pair.script) as server:
        remember(pair.second.parts, pair.second.scope, [saying(pair.second, talk.both)], LATER)
        named = sighted(pair.second.parts, pair.second.scope, talk.both, LATER)
        wanted = Wanted(tuple(one.id for one in named.named), talk.both)
        forget(pair.second.parts, pair.second.scope, wanted, LATER)

    asked = [str(request) for one in (*servers, server) for request in one.requests]
    assert asked
    assert telling(asked, talk.word) == []
    assert telling(shown(pair.second, talk.secret, talk.word), talk.word) == []
    ids = ids_of(pair.second)
    assert ids.isdisjoint(ids_of(pair.first))
    assert all_of(pair.first) == before


def test_deleting_all_of_one_leaves_the_other_to_the_last_field(pair: Pair) -> None:
    pair.say(pair.second, pair.talk.both, 3)
    before = all_of(pair.second)
    receipt = erase(pair.first.parts, pair.first.scope, LATER)

    assert receipt.gone.memories == 2
    assert all_of(pair.first) == ([], [], [])
    assert all_of(pair.second) == before
    pair.say(pair.second, pair.talk.moved, 4)
    assert set(pair.second.live()) == {pair.talk.moved}


def all_of(table: Desk) -> tuple[list[Any], list[Any], list[Any]]:
    store, scope = table.parts.store, table.scope
    return list(store.memories(scope)), list(store.archives(scope)), list(store.runs(scope))


def ids_of(table: Desk) -> set[UUID]:
    return {change.memory_id for run in table.runs() for change in run.changes}


Act = Callable[[Desk, UUID, UUID], object]
#: Each with the id of a memory and of a run of somebody else.
ACTS: dict[str, Act] = {
    "edit": lambda table, memory, _: amend(
        table.parts, table.scope, memory, amendment({"text": "Mine"}), key="k", now=LATER
    ),
    "pin": lambda table, memory, _: amend(
        table.parts, table.scope, memory, amendment({"pinned": True}), key="k", now=LATER
    ),
    "tag": lambda table, memory, _: amend(
        table.parts, table.scope, memory, amendment({"add_tags": ["mine"]}), key="k", now=LATER
    ),
    "restore": lambda table, memory, _: restore(table.parts, table.scope, memory, 1, LATER),
    "forget": lambda table, memory, _: forget(table.parts, table.scope, Wanted((memory,)), LATER),
    "supersede": lambda table, memory, _: remember(
        table.parts, table.scope, [saying(table, "Mine", supersedes=[str(memory)])], LATER
    ),
    "undo": lambda table, _, run: undo(table.parts, table.scope, run, LATER),
    "undo, dry": lambda table, _, run: undo(table.parts, table.scope, run, LATER, dry_run=True),
}


@pytest.mark.parametrize(
    "pair", [("another app", "vet"), ("another user", "vet")], ids=" ".join, indirect=True
)
def test_an_id_of_somebody_else_is_the_id_of_nothing(pair: Pair) -> None:
    pair.say(pair.second, pair.talk.both, 3)
    before = all_of(pair.first), all_of(pair.second)
    run, ids = pair.first.runs()[0].id, ids_of(pair.first)
    for id in ids:
        for name, act in ACTS.items():
            with pytest.raises(Unprocessable, match="in this scope") as refused:
                act(pair.second, id, run)
            assert pair.talk.both not in str(refused.value), name

    assert (all_of(pair.first), all_of(pair.second)) == before
    assert pair.second.parts.inbox.claim_scope(pair.second.scope.key), "the lease was given back"


def test_a_query_that_finds_nothing_here_takes_nothing_there(pair: Pair) -> None:
    before = all_of(pair.first)
    assert sighted(pair.second.parts, pair.second.scope, pair.talk.secret, LATER).named == ()
    forget(pair.second.parts, pair.second.scope, Wanted((), pair.talk.secret), LATER)

    assert all_of(pair.first) == before


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"app": "a"},
        {"user": "u"},
        {"app": "", "user": "u"},
        {"app": "a", "user": ""},
        {"app": "a", "user": " \n\t"},
        {"app": None, "user": "u"},
        {"app": "a", "user": None},
        {"app": "a", "user": "\u200b"},
        {"app": "a", "user": "u\x00"},
        {"app": "a", "user": 7},
        {"app": "a" * 257, "user": "u"},
    ],
    ids=str,
)
def test_there_is_no_scope_of_nobody(names: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Scope(**names)
