"""What an answer repeats, and what of it is over, in a scope of which it is known, before and after a night."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args
from uuid import UUID

from bench.retrieval.data import Talk, talks
from bench.retrieval.marks import PAGE, Mark, rank, repeated
from bench.sleep.house import NOW, House, opened
from bench.sleep.judges import Judge, Oracle
from bench.sleep.planting import Said, facts, planted
from schemas.base import Vector
from schemas.memory import Memory
from schemas.scope import Scope
from schemas.tokens import estimate
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask
from worker.direct.holding import holding
from worker.recall import recall
from worker.settings import Settings

#: As it was said; with what contradicts itself linked; after a night by rules; after one whose judge never errs.
State = Literal["as said", "linked", "by rules", "by an oracle"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True)
class Probe:
    """A question about one planted thing."""

    text: str
    kind: str
    thing: str


def probes(said: Sequence[Said], of: Sequence[Talk]) -> list[Probe]:
    """About what is said twice the data's own questions; about what is over the older statement without its value."""
    things = {one.text: one.thing for one in said if one.kind == "twice"}
    twice = [
        Probe(asked.text, "twice", things[one.text])
        for talk in of
        for asked in talk.asked
        for one in talk.observed
        if one.text in things and asked.evidence.intersection(one.turns)
    ]
    over = [
        Probe(_without_value(one), "over", one.thing)
        for one in said
        if one.kind == "over" and one.is_over
    ]
    return [*{(one.text, one.thing): one for one in twice}.values(), *over]


def _without_value(one: Said) -> str:
    return " ".join(one.text.replace(one.value, " ").split())


@dataclass(frozen=True)
class Labels:
    """What each memory is about, whatever became of its text."""

    texts: Mapping[str, Said]
    ids: Mapping[UUID, Said]

    def of(self, memory: Memory) -> Said:
        return self.texts.get(memory.text) or self.ids[memory.id]

    def mark(self, probe: Probe, answer: Answer) -> Mark:
        found = [self.of(one.memory) for one in answer.items]
        page = found[:PAGE]
        about = [one for one in found if one.thing == probe.thing]
        standing = ((one.thing,) if not one.is_over else () for one in found)
        return Mark(
            category=probe.kind,
            rank=rank(standing, [probe.thing]),
            tokens=sum(estimate(one.memory.text) for one in answer.items[:PAGE]),
            copies=repeated(one.thing for one in page if not one.is_over),
            superseded=sum(one.is_over for one in page),
            stale=int(bool(about) and about[0].is_over),
        )


@dataclass(frozen=True)
class Planted:
    """One scope in one state."""

    house: House
    scope: Scope
    labels: Labels
    probes: Sequence[Probe]

    def marks(self, ask: Ask) -> list[Mark]:
        parts = self.house.parts
        found = (
            recall(parts.store, parts.embedder, self.scope, replace(ask, queries=(one.text,)), NOW)
            for one in self.probes
        )
        return [self.labels.mark(one, told) for one, told in zip(self.probes, found, strict=True)]


@contextmanager
def standing(  # noqa: PLR0913 - what is planted, where, and what becomes of it
    state: State,
    data: Sequence[dict[str, Any]],
    folder: Path,
    *,
    memories: int,
    seed: int,
    embedder: str,
    vectors: dict[str, Vector],
) -> Iterator[Planted]:
    """The scope, while this is entered; `vectors` keeps what was embedded."""
    oracle, said = Oracle(), planted(facts(data), memories, seed)
    with ExitStack() as stack:
        settings = Settings(
            model="rules" if state == "by rules" else "oracle",
            model_url=stack.enter_context(Judge(oracle.answer)).url,
            model_key="none",
            embedder=embedder,
            data_dir=folder,
            store_url=f"sqlite:///{folder / 'planted.db'}",
            sleep_max_calls=0,
            sleep_max_tokens=0,
            _env_file=None,
        )
        house = stack.enter_context(opened(state, settings, vectors)).with_share(1)
        scope = house.scope("planted")
        oracle.learn(said)
        ids = dict(zip(house.fill(scope, said), said, strict=True))
        if state == "linked":
            _link(house, scope, ids)
        elif state != "as said":
            house.night(scope)
        labels = Labels({one.text: one for one in said}, ids)
        yield Planted(house, scope, labels, probes(said, talks(data)))


def _link(house: House, scope: Scope, ids: Mapping[UUID, Said]) -> None:
    """What is over with what took its place, as what nobody could resolve is left."""
    pairs = dict[str, list[UUID]]()
    for id, one in ids.items():
        if one.kind == "over":
            pairs.setdefault(one.thing, []).append(id)
    beside = {one: tuple({*pair} - {one}) for pair in pairs.values() for one in pair}
    records = [
        replaced.model_copy(
            update={
                "memory": replaced.memory.model_copy(update={"links": beside[replaced.memory.id]})
            }
        )
        for replaced in house.parts.store.memories(scope, beside)
    ]
    with holding(house.parts, scope, NOW) as held:
        house.parts.store.writer(scope, held.lease).put_memories(records)
