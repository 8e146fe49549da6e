"""What all workers know of parts that failed, in Redis: whether anybody may claim, and who saw what served."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast, get_args

from redis import Redis

from schemas.keys import PartitionKeys
from worker.adapters.scripts import Scripts
from worker.core.failing.breaker import Failing
from worker.errors import Part

#: After so long without a failure nothing is remembered; longer than any scope or part waits.
FORGET_SECONDS = 7_200
#: A probe that says nothing for so long has died, as its lease has: another may go.
PROBE_SECONDS = 60.0

_MICRO = 1_000_000


@dataclass(frozen=True)
class Gate:
    """Whether scopes may be claimed."""

    #: The part because of which claims rest.
    part: Part | None = None
    #: How long they still do; 0 where the holder may probe, with one claim.
    seconds: float = 0.0
    #: Names the probe, for `let_go`; 0 where there is none.
    probe: int = 0

    @property
    def is_shut(self) -> bool:
        return self.seconds > 0


class Work(Protocol):
    """What a part failed, or served: a batch or a night."""

    @property
    def scope_key(self) -> str: ...

    #: When it was begun, in microseconds since 1970 by Redis's clock.
    @property
    def fence(self) -> int: ...


class Breaker:
    """Needs a client that answers in bytes (`connect`). Every call may raise `Unavailable`."""

    def __init__(self, client: Redis, probe_seconds: float = PROBE_SECONDS) -> None:
        self._scripts = Scripts(client)
        self._probe = round(probe_seconds * _MICRO)
        self._key = PartitionKeys(0).breaker

    def ask(self, *, at_once: bool = False) -> Gate:
        """Before a claim. Of those that ask where a rest is over one gets the probe, the others find it shut.

        With `at_once` the probe is not waited for: someone wants to know now.
        """
        return self._gate(self._probe, get_args(Part), at_once=at_once)

    def look(self) -> Gate:
        """As `ask`, and takes no probe."""
        return self._gate(0, get_args(Part), at_once=False)

    def resting(self) -> dict[Part, float]:
        """Each part that was put to rest and has served nobody since → seconds until one claim may try it."""
        if self.look().part is None:
            return {}
        gates = (self._gate(0, (part,), at_once=False) for part in get_args(Part))
        return {gate.part: gate.seconds for gate in gates if gate.part is not None}

    def let_go(self, gate: Gate) -> None:
        """After a probe that showed nothing: the next may go at once. Changes nothing where it showed something."""
        if gate.probe:
            self._run("let_go", gate.probe)

    def failed(self, part: Part, claim: Work) -> Failing:
        """Note that the part failed under this claim."""
        numbers = map(int, self._run("failed", part, claim.scope_key))
        failed_at, vouched_at, scopes, rests, rested_at = numbers
        return Failing(claim.fence, failed_at, vouched_at or None, scopes, rests, rested_at)

    def rest(self, part: Part, failing: Failing, seconds: float) -> None:
        """Nobody claims for so long; where another has said so of the same failures, that stands."""
        self._run("rest", part, failing.rests + 1, round(seconds * _MICRO))

    def served(self, parts: Iterable[Part], claim: Work) -> None:
        """Note that these parts did all that the claim's batch, or night, asked of them."""
        self._run("served", claim.scope_key, claim.fence, *parts)

    def answered(self, part: Part, failing: Failing) -> None:
        """Note that the part has answered something else since this failure."""
        self._run("served", "", failing.failed_at + 1, part)

    def forget(self, scope_key: str) -> None:
        """Of what failed under claims of this scope nothing is remembered."""
        self._run("forget", scope_key, *get_args(Part))

    def _gate(self, held: int, parts: Iterable[str], *, at_once: bool) -> Gate:
        found = self._run("ask", held, int(at_once), *parts)
        if not found:
            return Gate()
        part, left, probe = found
        return Gate(cast("Part", part.decode()), left / _MICRO, probe)

    def _run(self, verb: str, *arguments: str | int) -> Any:
        return self._scripts.run("breaker", [self._key], [verb, FORGET_SECONDS * 1000, *arguments])
