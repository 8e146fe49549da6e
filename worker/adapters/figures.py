"""The queue in figures, for people who watch."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from schemas.base import Frozen
from schemas.keys import PartitionKeys
from worker.adapters.scripts import Scripts
from worker.errors import Part

#: What made a scope due when it was claimed.
REASONS = ("turns", "tokens", "quiet", "age", "flush", "retry")


class LastError(Frozen):
    """Why a batch was given back; what succeeded since does not take it away."""

    reason: str
    seconds_ago: float


class Status(Frozen):
    """Figures of all partitions: how things stand, then what was counted since Redis began to keep it."""

    pending_turns: int
    #: Scopes with turns that wait or are being worked on.
    pending_scopes: int
    #: Scopes that a claim could take now.
    ready: int
    #: How long the scope that has been due longest waits already; 0 where none is due.
    oldest_ready_seconds: float
    busy: int
    #: Scopes whose worker fell silent and that nobody took over yet.
    expired_leases: int
    parked: int
    #: Doorbells that nobody has answered yet.
    doorbells: int
    #: Scopes that are due for sleep, how long the one that has been for longest is, and those asleep.
    sleep_due: int = 0
    oldest_sleep_due_seconds: float = 0.0
    asleep: int = 0
    #: Claims by what made their scope due.
    claims: dict[str, int] = Field(default_factory=dict)
    #: Turns that left the inbox for good.
    settled: int = 0
    duplicates: int = 0
    full: int = 0
    #: Batches that failed and were tried again, and workers that died holding one.
    retries: int = 0
    deaths: int = 0
    #: Commits that came after another worker had taken over.
    stale_commits: int = 0
    #: Plans kept from a crash that were carried out as they were.
    plan_replays: int = 0
    #: Parked turns that were put back.
    replayed: int = 0
    last_error: LastError | None = None
    #: Parts that failed several scopes in a row → seconds until a claim may try them again; till then nobody claims.
    resting: dict[Part, float] = Field(default_factory=dict)


def read_status(
    scripts: Scripts, partitions: Sequence[PartitionKeys], resting: Mapping[Part, float]
) -> Status:
    """Each partition's figures are of one moment; each costs the same however much there is."""
    rows = [
        scripts.run(
            "status",
            [keys.due, keys.busy, keys.counters, keys.bells, keys.sleep, keys.asleep],
            [],
        )
        for keys in partitions
    ]
    waiting, busy, ready, expired, _, out = (sum(row[at] for row in rows) for at in range(6))
    counted = [_counters(row[11:]) for row in rows]

    def total(name: str) -> int:
        return sum(int(one.get(name, 0)) for one in counted)

    return Status(
        pending_turns=total("pending"),
        pending_scopes=waiting + busy,
        ready=ready,
        oldest_ready_seconds=max(row[4] for row in rows) / 1000,
        busy=busy,
        expired_leases=expired,
        parked=total("parked"),
        doorbells=out,
        sleep_due=sum(row[8] for row in rows),
        oldest_sleep_due_seconds=max(row[9] for row in rows) / 1000,
        asleep=sum(row[10] for row in rows),
        claims={reason: total(f"due:{reason}") for reason in REASONS},
        settled=total("settled"),
        duplicates=total("duplicates"),
        full=total("full"),
        retries=total("failed"),
        deaths=total("expired"),
        stale_commits=total("stale"),
        plan_replays=total("plan_replays"),
        replayed=total("replayed"),
        last_error=_last_error(rows),
        resting={**resting},
    )


def _counters(pairs: Sequence[bytes]) -> Mapping[str, bytes]:
    return {name.decode(): figure for name, figure in zip(pairs[::2], pairs[1::2], strict=True)}


def _last_error(rows: Sequence[Sequence[Any]]) -> LastError | None:
    found = [(row[6], row[7]) for row in rows if row[7]]
    if not found:
        return None
    ago, reason = min(found)
    return LastError(reason=reason.decode(errors="replace"), seconds_ago=ago / 1000)
