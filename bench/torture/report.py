"""What a torture comes to: figures of what was done and of what it has broken."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rich.table import Table

from bench.torture.check import Findings, Remains, findings
from bench.torture.ledger import CRASHES, FREEZES, LEDGER, POINTS, Event
from bench.torture.traffic import Traffic
from bench.torture.world import World
from schemas.memory import Memory
from schemas.scope import Scope

#: What was done beside killing and freezing workers.
DONE = ("redis_kills", "model_outages", "store_outages", "ended_by_themselves")
#: Broken turns that the report names, of each kind.
EXAMPLES = 20


@dataclass(frozen=True)
class Took:
    """Seconds."""

    total: float
    settling: float


def found_in(made: World, traffic: Traffic) -> Findings:
    """Once everything has settled."""
    return findings(traffic.said, _remains(made, traffic), list(_events(made)))


def _remains(made: World, traffic: Traffic) -> Remains:
    store, inbox, scopes = made.parts.store, made.parts.inbox, traffic.scopes()
    letters = (one for scope in scopes for one in inbox.parking.letters(scope.key))
    return Remains.of(
        runs=(run for scope in scopes for run in store.runs(scope)),
        memories=(memory for scope in scopes for memory in _memories(made, scope)),
        parked=(UUID(letter.id) for letter in letters),
        waiting=(turn.id for scope in scopes for turn in inbox.pending(scope.key)),
    )


def _memories(made: World, scope: Scope) -> Iterator[Memory]:
    yield from (one.memory for one in made.parts.store.memories(scope))
    yield from (one.archive.memory for one in made.parts.store.archives(scope))


def report(made: World, traffic: Traffic, found: Findings, took: Took) -> dict[str, Any]:
    crashes, freezes = _points(made, CRASHES), _points(made, FREEZES)
    done, status = made.done, made.parts.inbox.status()
    return {
        "turns": len(traffic.said),
        "again": traffic.again,
        "kills": done["kills"] + sum(crashes.values()),
        "killed_at_random": done["kills"],
        "stops": done["stops"] + sum(freezes.values()),
        **{name: done[name] for name in DONE},
        **found.figures,
        "plan_replays": status.plan_replays,
        "deaths": status.deaths,
        "retries": status.retries,
        "stale_commits": status.stale_commits,
        "seconds": round(took.total, 1),
        "settled_in": round(took.settling, 1),
        "kills_by_point": crashes,
        "stops_by_point": freezes,
        "examples": found.examples(EXAMPLES),
    }


def _points(made: World, counted: str) -> dict[str, int]:
    with made.ledger.client() as ledger:
        found = {name.decode(): int(count) for name, count in ledger.hgetall(counted).items()}
    return {name: found.get(name, 0) for name in POINTS}


def _events(made: World) -> Iterator[Event]:
    with made.ledger.client() as ledger:
        yield from (Event.read(payload) for payload in ledger.lrange(LEDGER, 0, -1))


def table(figures: dict[str, Any]) -> Table:
    shown = Table(title="torture", title_justify="left", show_header=False)
    shown.add_column()
    shown.add_column(justify="right")
    for name, figure in figures.items():
        if isinstance(figure, int | float):
            shown.add_row(name.replace("_", " "), f"{figure:,}")
    for point in POINTS:
        killed, stopped = figures["kills_by_point"][point], figures["stops_by_point"][point]
        shown.add_row(f"  killed and stopped {point}", f"{killed:>4} {stopped:>4}")
    for told in figures["examples"]:
        shown.add_row(told)
    return shown
