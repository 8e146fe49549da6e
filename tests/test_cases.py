"""Faults that people reported of memory systems, as conversations with the state they have to end in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.scope import Scope
from tests.desk import Desk, desk, scripted
from tests.similarity import GivenSimilarities
from worker.adapters.inbox import Inbox
from worker.core.ports import Query, Store
from worker.core.step import UnreadableReply
from worker.core.words import terms
from worker.recall import recall

Verdict = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


def found(text: str, *turns: str, **fields: Any) -> dict[str, Any]:
    """One fact of an extraction's reply; `turns` are texts of turns."""
    given = {"subject": "user", "attribute": None, "kind": "fact", "volatile": False}
    return {**given, "text": text, "turns": turns, "happened_at": None, "until": None, **fields}


@dataclass
class Talk:
    """What the scripted model finds in which turn, and how it judges facts by their texts."""

    facts: Mapping[str, Sequence[dict[str, Any]]]
    #: (text of a fact, text of a candidate) → relation; the rest is separate.
    relations: Mapping[tuple[str, str], str] = field(default_factory=dict)
    #: Text of a fact → text of its group.
    texts: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        return self.extraction(document) if job == "extraction" else self.batchwise(document)

    def extraction(self, document: dict[str, Any]) -> dict[str, Any]:
        facts = []
        for turn in document["turns"]:
            found = self.facts.get(turn["text"], ())
            facts += [{**one, "turns": [turn["id"]]} for one in found]
        return {"facts": facts}

    def batchwise(self, document: dict[str, Any]) -> dict[str, Any]:
        texts = {one["id"]: one["text"] for one in (*document["candidates"], *document["facts"])}
        groups: list[tuple[set[str], str]] = []
        for one in document["facts"]:
            hits = {
                other: self.relations[one["text"], texts[other]]
                for other in one["candidates"]
                if (one["text"], texts[other]) in self.relations
            }
            if hits:
                groups = _joined(groups, {one["id"], *hits}, set(hits.values()))
        grouped = {member for members, _ in groups for member in members}
        return {
            "groups": [self._group(members, relation, texts) for members, relation in groups],
            "new": [one["id"] for one in document["facts"] if one["id"] not in grouped],
        }

    def _group(self, members: set[str], relation: str, texts: Mapping[str, str]) -> dict[str, Any]:
        text = next((self.texts[texts[id]] for id in members if texts[id] in self.texts), None)
        told = {"why": "as scripted", "members": sorted(members), "relation": relation}
        return {**told, "drops": [], "text": text, "after": None}


def _joined(
    groups: list[tuple[set[str], str]], members: set[str], relations: set[str]
) -> list[tuple[set[str], str]]:
    """The groups with one more; those that share a member are one, the stronger relation standing."""
    apart = []
    for others, relation in groups:
        if others & members:
            members, relations = members | others, relations | {relation}
        else:
            apart.append((others, relation))
    strongest = next(one for one in ("contradict", "update", "same") if one in relations)
    return [*apart, (members, strongest)]


@pytest.fixture
def at_desk(store: Store, redis_client: Redis) -> Callable[..., Desk]:
    def made(scope: Scope, near: Mapping[str, tuple[str, float]] | None = None) -> Desk:
        return desk(store, redis_client, scope, GivenSimilarities(near or {}))

    return made


# -- the same fact, new words, again and again

DOGS, RESCUES = "Keeps two rescue greyhounds", "Has two greyhounds that are rescues"
WALK = "Walks the greyhounds before work"
NAMED = "The two rescue greyhounds are called Biscuit and Olive and are nine (May 2026)"
MERGED = "Keeps two rescue greyhounds, Biscuit and Olive, nine years old as of May 2026"
SAID = (
    ("I keep two rescue greyhounds.", "2026-04-02T08:00:00Z"),
    ("My greyhounds, both rescues, need a walk before work.", "2026-04-20T07:10:00Z"),
    ("The two rescue greyhounds, Biscuit and Olive, are nine now.", "2026-05-11T19:30:00Z"),
)
GREYHOUNDS = Talk(
    facts={
        SAID[0][0]: [found(DOGS)],
        SAID[1][0]: [found(RESCUES), found(WALK)],
        SAID[2][0]: [found(NAMED, happened_at="2026-05")],
    },
    relations={(RESCUES, DOGS): "same", (NAMED, DOGS): "update", (NAMED, RESCUES): "update"},
    texts={NAMED: MERGED},
)
#: Each two of them at 0.62.
DOG_SIMILARITY = dict.fromkeys((DOGS, RESCUES, NAMED), ("greyhounds", 0.62**0.5))


@pytest.mark.parametrize("at_once", [False, True], ids=["turn by turn", "as one import"])
def test_a_fact_said_again_adds_nothing_and_a_richer_version_takes_its_place(
    at_desk: Callable[..., Desk], scope: Scope, at_once: bool
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        for at, (text, said_at) in enumerate(SAID):
            table.say(text, said_at, conversation=f"s{at}")
            if not at_once:
                table.settle()
        table.settle()

    assert set(table.live()) == {MERGED, WALK}
    if not at_once:
        (archive,) = table.archives()
        assert archive.memory.text == DOGS
        assert archive.memory.confirmations == 2
        assert archive.replaced_by == table.live()[MERGED].id


def test_a_confirmation_writes_nothing_new_but_when_it_was_last_said(
    at_desk: Callable[..., Desk], scope: Scope
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        for text, said_at in SAID[:2]:
            table.say(text, said_at)
            table.settle()

    dogs = table.live()[DOGS]
    assert dogs.version == 1
    assert dogs.last_confirmed_at.isoformat() == "2026-04-20T07:10:00+00:00"
    assert table.archives() == []


# -- the same event twice

ALLERGY = "I'm allergic to penicillin and I take the tram to work."


class Rewording:
    """Words its answer differently on every call, as models do."""

    def __init__(self) -> None:
        self.answers = [
            [found("Allergic to penicillin"), found("Commutes by tram")],
            [found("Has a penicillin allergy"), found("Takes the tram to work")],
        ]
        self.relations = {
            ("Has a penicillin allergy", "Allergic to penicillin"): "same",
            ("Takes the tram to work", "Commutes by tram"): "same",
        }

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        answer = self.answers[0] if len(self.answers) > 1 else self.answers[-1]
        talk = Talk({ALLERGY: answer}, self.relations)
        if job == "extraction" and len(self.answers) > 1:
            self.answers.pop(0)
        return talk(job, document)


REWORDED = {
    "Has a penicillin allergy": ("Allergic to penicillin", 0.9),
    "Takes the tram to work": ("Commutes by tram", 0.9),
}


def test_the_same_turn_published_again_is_one_turn(
    at_desk: Callable[..., Desk], scope: Scope, redis_client: Redis
) -> None:
    table = at_desk(scope, REWORDED)
    with scripted(table, Rewording()) as server:
        table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1")
        table.settle()
        written = table.runs()

        assert table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1").status == "duplicate"
        redis_client.flushall()  # the whole session comes again once the queue has forgotten it
        assert table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1").status == "accepted"
        table.settle()

    assert set(table.live()) == {"Allergic to penicillin", "Commutes by tram"}
    assert table.archives() == []
    assert table.runs() == written
    assert server.calls["extraction"] == 1


def test_the_same_sentence_said_on_another_day_confirms(
    at_desk: Callable[..., Desk], scope: Scope
) -> None:
    table = at_desk(scope, REWORDED)
    with scripted(table, Rewording()):
        table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1")
        table.settle()
        table.say(ALLERGY, "2026-02-01T10:00:00Z", id="e9")
        table.settle()

    assert set(table.live()) == {"Allergic to penicillin", "Commutes by tram"}
    assert table.archives() == []
    for memory in table.live().values():
        assert memory.last_confirmed_at.date().isoformat() == "2026-02-01"
        assert (memory.version, memory.confirmations) == (1, 2)


# -- alike in wording, different in fact

STAGING, PRODUCTION = "Staging listens on port 7443", "Production listens on port 7444"
LAMP, LID = "Code QX-118 means a worn lamp", "Code QX-181 means the lid is open"
MOVED, NOW_7445 = "Production moved to port 7445", "Production listens on port 7445"
PORTS, CODES, MOVE = (
    "Staging listens on port 7443, production on 7444.",
    "Code QX-118 means a worn lamp, QX-181 means the lid is open.",
    "Production moved to 7445.",
)


def team(text: str) -> dict[str, Any]:
    return found(text)


LOOKALIKES = Talk(
    facts={
        PORTS: [team(STAGING), team(PRODUCTION)],
        CODES: [team(LAMP), team(LID)],
        MOVE: [team(MOVED)],
    },
    relations={(MOVED, PRODUCTION): "update"},
    texts={MOVED: "Production moved to port 7445; before, production listens on port 7444"},
)


def test_numbers_and_codes_that_differ_stay_apart_however_alike_the_sentences(
    at_desk: Callable[..., Desk], scope: Scope
) -> None:
    near = {PRODUCTION: (STAGING, 0.97), LID: (LAMP, 0.98), MOVED: (PRODUCTION, 0.97)}
    table = at_desk(scope, near)
    with scripted(table, LOOKALIKES):
        table.say(PORTS, "2026-03-01T09:00:00Z")
        table.settle()
        table.say(CODES, "2026-03-01T09:05:00Z")
        table.settle()
        staging = table.live()[STAGING]
        assert set(table.live()) == {STAGING, PRODUCTION, LAMP, LID}

        table.say(MOVE, "2026-03-20T09:00:00Z")
        table.settle()

    assert table.live()[STAGING] == staging
    assert set(table.live()) == {STAGING, LOOKALIKES.texts[MOVED], LAMP, LID}
    assert [archive.memory.text for archive in table.archives()] == [PRODUCTION]
    first = recall(table.parts.store, table.parts.embedder, scope, "QX-181", now=table.now)[0]
    assert first.memory.text == LID


# -- replies that cannot be used


def test_a_model_that_answers_in_prose_costs_a_few_calls_and_loses_no_turn(
    at_desk: Callable[..., Desk], scope: Scope
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        table.say(*SAID[0])
        table.settle()

    def prose(job: str, document: dict[str, Any]) -> Any:
        return GREYHOUNDS(job, document) if job == "extraction" else "They are much the same!"

    with scripted(table, prose) as server:
        table.say(*SAID[1])
        with pytest.raises(UnreadableReply):
            table.settle()

    assert server.calls["batchwise"] == 3
    assert set(table.live()) == {DOGS}
    assert len(table.parts.inbox.pending(scope.key)) == 1


def test_a_verdict_that_keeps_breaking_the_rules_is_judged_fact_by_fact_and_kept_flagged(
    at_desk: Callable[..., Desk], scope: Scope
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        table.say(*SAID[0])
        table.settle()

    def nonsense(job: str, document: dict[str, Any]) -> Any:
        if job == "extraction":
            return GREYHOUNDS(job, document)
        return {"groups": [], "new": [one["id"] for one in document["facts"]] * 2 + ["f99"]}

    with scripted(table, nonsense) as server:
        table.say(*SAID[1])
        table.settle()

    assert set(table.live()) == {DOGS, RESCUES, WALK}
    assert table.live()[RESCUES].flagged
    assert table.live()[RESCUES].links == (table.live()[DOGS].id,)
    assert server.calls["batchwise"] == 9, "three tries together, three for each of two facts"


# -- walls between tenants and users

DENTIST, GATE = "My dentist is in Rue Basse.", "The gate code is 4417."
PRIVATE = Talk(
    facts={DENTIST: [found("Dentist is in Rue Basse")], GATE: [found("Gate code is 4417")]}
)


def test_equal_words_of_two_tenants_never_meet(at_desk: Callable[..., Desk], scope: Scope) -> None:
    ours = at_desk(Scope(app=f"{scope.app} A", user="u1"))
    theirs = at_desk(Scope(app=f"{scope.app} B", user="u1"))
    for table, said in ((ours, [DENTIST, GATE]), (theirs, [DENTIST])):
        with scripted(table, PRIVATE) as server:
            for text in said:
                table.say(text, "2026-02-02T10:00:00Z")
                table.settle()
            if table is theirs:
                assert "4417" not in str(server.requests)

    one, other = ours.live()["Dentist is in Rue Basse"], theirs.live()["Dentist is in Rue Basse"]
    assert one.id != other.id
    assert set(theirs.live()) == {"Dentist is in Rue Basse"}
    store = ours.parts.store
    assert list(store.memories(theirs.scope, [one.id])) == []
    asked = Query(None, terms("gate code 4417"), ("4417",), ("user", "gate"))
    assert store.nominate(theirs.scope, [asked], 10).records.keys() <= {other.id}


def test_a_verdict_that_names_another_tenants_memory_changes_nothing(
    at_desk: Callable[..., Desk], scope: Scope
) -> None:
    ours = at_desk(Scope(app=f"{scope.app} A", user="u1"))
    theirs = at_desk(
        Scope(app=f"{scope.app} B", user="u1"), {"Dentist moved": ("Dentist is in Rue Basse", 0.9)}
    )
    with scripted(ours, PRIVATE):
        ours.say(DENTIST, "2026-02-02T10:00:00Z")
        ours.settle()
    before = ours.live()
    foreign = str(before["Dentist is in Rue Basse"].id)

    def script(job: str, document: dict[str, Any]) -> Any:
        if job == "extraction":
            return {"facts": [found("Dentist moved", turns=[document["turns"][0]["id"]])]}
        group = {"why": "x", "members": ["f1", foreign], "relation": "contradict"}
        return {
            "groups": [{**group, "drops": [], "text": "Dentist moved", "after": None}],
            "new": [],
        }

    with scripted(theirs, script):
        theirs.say("My dentist moved.", "2026-02-03T10:00:00Z")
        theirs.settle()

    assert ours.live() == before
    assert set(theirs.live()) == {"Dentist moved"}


@pytest.mark.parametrize("names", [{"app": ""}, {"user": ""}, {"app": None}, {"user": "  "}])
def test_without_an_owner_there_is_no_answer(redis_client: Redis, names: dict[str, Any]) -> None:
    line = {"app": "a", "user": "u", "role": "user", "text": DENTIST, **names}
    (name,) = names

    answer = Producer(redis_client).publish({k: v for k, v in line.items() if v is not None})

    assert answer.status == "refused"
    assert name in (answer.message or "")
    assert Inbox(redis_client).idle()
