"""`slowwave publish`: turns from a file or from stdin into the queue."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BufferedIOBase
from typing import Annotated
from uuid import UUID

import typer
from pydantic import JsonValue

from producers.answer import Answer
from producers.producer import Producer
from producers.ticket import Ticket
from worker import wiring
from worker.adapters.redis_server import connect
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.lines import Read, portions, source
from worker.interfaces.cli.opening import configured, say_where
from worker.interfaces.cli.options import AsJson, DefaultApp, DefaultUser, defaults_of
from worker.interfaces.cli.output import answers, emit, plain, progress, waiting
from worker.interfaces.where import shown


@dataclass
class Tally:
    """What became of the lines so far."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[tuple[int, str]] = field(default_factory=list)
    #: Of each turn that is in, in order; of the last one only, where nobody waits.
    tickets: list[str] = field(default_factory=list)
    #: Of the last turn that is in, and whether there were others.
    scope: str | None = None
    is_mixed: bool = False
    keeps_tickets: bool = False
    #: The first line that Redis did not take, and why.
    stopped: tuple[int, str] | None = None

    def add(self, number: int, answer: Answer, place: int) -> None:
        """`place` is where the line stood in the list that was answered, counted from 1."""
        self.counts[answer.status] += 1
        if answer.ticket is not None:
            self._keep(answer.ticket)
        message = (answer.message or "").removeprefix(f"line {place}: ")
        if answer.status == "refused":
            self.problems.append((number, message))
        if answer.status == "unavailable" and self.stopped is None:
            self.stopped = (number, message)

    def _keep(self, ticket: str) -> None:
        if not self.keeps_tickets:
            self.tickets.clear()
        self.tickets.append(ticket)
        scope = Ticket.read(ticket).scope_key
        self.is_mixed |= self.scope not in {None, scope}
        self.scope = scope

    @property
    def ticket(self) -> str | None:
        """Of the last turn, where all are of one scope: turns leave the inbox in order."""
        return self.tickets[-1] if self.tickets and not self.is_mixed else None

    def refuse(self, number: int, problem: str) -> None:
        self.counts["refused"] += 1
        self.problems.append((number, problem))


def publish(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Turns, one JSON object on each line; - reads from stdin."
        ),
    ],
    app: DefaultApp = None,
    user: DefaultUser = None,
    wait: Annotated[
        float | None,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            min=0,
            help="Then wait, no longer than this, until all of them are consolidated.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Publish turns from a file or from stdin.

    Doing it again is safe: what is in already counts as a duplicate. With --json and turns of one user, `ticket` is for
    `slowwave wait`.
    """
    settings = configured()
    say_where(settings)
    try:
        url = wiring.redis_url(settings)
        with source(file) as stream:
            tally = _publish_all(
                stream, url, defaults_of(app, user), keeps_tickets=wait is not None
            )
        ends = None if wait is None else _waited(url, tally.tickets, wait)
    finally:
        wiring.close()
    _report(tally, ends, as_json=as_json)
    _complain(tally, file, shown(url))
    _complain_of_ends(ends or Counter())


def _publish_all(
    stream: BufferedIOBase, url: str, defaults: Mapping[str, str], *, keeps_tickets: bool
) -> Tally:
    tally, earlier = Tally(keeps_tickets=keeps_tickets), Counter[UUID]()
    # The client of the workers: nobody is kept from chatting here, so it may wait longer.
    with connect(url) as redis, progress() as bar:
        producer, task = Producer(redis), bar.add_task("publishing", total=None)
        for portion in portions(stream, defaults):
            _publish_portion(producer, portion, earlier, tally)
            bar.update(task, description=f"published {tally.counts.total():,} turns")
            if tally.stopped:
                break
    return tally


def _publish_portion(
    producer: Producer, portion: list[Read], earlier: Counter[UUID], tally: Tally
) -> None:
    good = [line for line in portion if line.turn is not None]
    for line in portion:
        if line.turn is None:
            tally.refuse(line.number, line.problem)
    told = producer.publish_many((line.turn for line in good if line.turn is not None), earlier)
    for place, (line, answer) in enumerate(zip(good, told, strict=True), start=1):
        tally.add(line.number, answer, place)


def _waited(url: str, tickets: Sequence[str], seconds: float) -> Counter[str]:
    """What became of the turns: each is waited for in its order, and the last ones are only looked at if it is late."""
    until = time.monotonic() + seconds
    with connect(url) as redis, waiting("waiting until they are consolidated"):
        producer = Producer(redis)
        return Counter(
            producer.wait(ticket, max(0.0, until - time.monotonic())).status for ticket in tickets
        )


def _report(tally: Tally, ends: Counter[str] | None, *, as_json: bool) -> None:
    counts: dict[str, JsonValue] = {
        name: tally.counts[name] for name in ("accepted", "duplicate", "full", "refused")
    }
    if ends is not None:
        counts |= {name: ends[name] for name in ("consolidated", "parked", "waiting", "unknown")}
    problems = sorted(tally.problems)
    if as_json:
        listed: list[JsonValue] = [{"line": number, "message": said} for number, said in problems]
        emit(
            {
                **counts,
                "unavailable": tally.counts["unavailable"],
                "problems": listed,
                "ticket": tally.ticket,
            }
        )
        return
    out = answers()
    for number, said in problems:
        out.print(plain(f"line {number}: {said}"), soft_wrap=True)
    out.print(plain(", ".join(f"{name} {count}" for name, count in counts.items())), soft_wrap=True)


def _complain(tally: Tally, file: str, where: str) -> None:
    """Raises `Failed` unless every line is in."""
    inside = tally.counts["accepted"] + tally.counts["duplicate"]
    if tally.stopped:
        number, reason = tally.stopped
        raise Failed(
            f"{file}, line {number}: {reason}. Redis: {where}. {inside} turns are in; publish the file"
            " again, what is in counts once"
        )
    if full := tally.counts["full"]:
        raise Failed(
            f"{full} turns were not taken because too many of their user wait already: see that a worker"
            " runs, then publish the file again, what is in counts once"
        )
    if refused := tally.counts["refused"]:
        raise Failed(f"{refused} lines were refused: mend them and publish the file again")


def _complain_of_ends(ends: Counter[str]) -> None:
    """Raises `Failed` unless every turn that was waited for is consolidated."""
    late = ends["waiting"] + ends["unavailable"]
    if missing := ends.total() - ends["consolidated"]:
        raise Failed(
            f"{missing} turns are in but not consolidated: {ends['parked']} parked (`slowwave parked` says why), {late}"
            f" not done in time, {ends['unknown']} no longer known to Redis"
        )
