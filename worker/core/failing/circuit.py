"""Whether one process sends to a server that did not answer: a circuit breaker (M. Nygard, "Release It!", 2007).

The breaker beside it decides for the whole fleet whose failure it is and who claims. This one keeps a single process,
readers that claim nothing included, from waiting out a deadline in call after call.
"""

from dataclasses import dataclass, replace

#: So many calls without an answer, one after the other, put the server to rest.
SEVERAL = 5
#: First rest and the longest, in seconds. Each probe that fails doubles it. The longest is no longer than the fleet's
#: first rest, so that whoever probes for the fleet does ask the server.
FIRST_SECONDS = 0.5
LONGEST_SECONDS = 5.0


@dataclass(frozen=True)
class Circuit:
    """What a process knows of a server. Moments are seconds of a clock that only goes forward."""

    #: Calls without an answer since the last that had one; while it rests, probes alone add to it.
    failures: int = 0
    #: Nothing is sent before.
    rests_until: float = 0.0
    #: Whether a call is under way that shows how the server is.
    is_probed: bool = False
    #: So many failures in a row put it to rest.
    several: int = SEVERAL

    @property
    def is_open(self) -> bool:
        return self.failures >= self.several


def seconds_left(circuit: Circuit, now: float) -> float:
    """How long calls fail at once; 0 where the next may be sent."""
    if not circuit.is_open:
        return 0.0
    return max(circuit.rests_until - now, FIRST_SECONDS if circuit.is_probed else 0.0)


def sent(circuit: Circuit) -> Circuit:
    """After a call that was let through has begun: the probe, where the server rested."""
    return replace(circuit, is_probed=circuit.is_open)


def unanswered(circuit: Circuit, now: float, *, was_probe: bool) -> Circuit:
    """What was under way when the server was put to rest is no probe, and prolongs nothing."""
    if circuit.is_open and not was_probe:
        return circuit
    # No more than it takes to rest the longest.
    several = circuit.several
    failures = min(circuit.failures + 1, several + 10)
    rest = min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** (failures - several))
    return Circuit(failures, now + rest if failures >= several else 0.0, several=several)


def undecided(circuit: Circuit, *, was_probe: bool) -> Circuit:
    """After a call that was never sent: the next may go."""
    return replace(circuit, is_probed=circuit.is_probed and not was_probe)
