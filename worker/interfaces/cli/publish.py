"""`slowwave publish`: turns from a file or from stdin into the queue."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, BinaryIO
from uuid import UUID

import typer
from pydantic import JsonValue

from producers.answer import Answer
from producers.producer import Producer
from worker import wiring
from worker.adapters.redis_server import connect
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.lines import Read, portions, source
from worker.interfaces.cli.opening import configured, say_where
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain, progress
from worker.interfaces.cli.where import shown


@dataclass
class Tally:
    """What became of the lines so far."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[tuple[int, str]] = field(default_factory=list)
    #: The first line that Redis did not take, and why.
    stopped: tuple[int, str] | None = None

    def add(self, number: int, answer: Answer, place: int) -> None:
        """`place` is where the line stood in the list that was answered, counted from 1."""
        self.counts[answer.status] += 1
        message = (answer.message or "").removeprefix(f"line {place}: ")
        if answer.status == "refused":
            self.problems.append((number, message))
        if answer.status == "unavailable" and self.stopped is None:
            self.stopped = (number, message)

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
    app: Annotated[
        str | None,
        typer.Option(
            "--app", metavar="NAME", help="For lines that name no application.", show_default=False
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user", metavar="NAME", help="For lines that name no user.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Publish turns from a file or from stdin.

    Doing it again is safe: what is in already counts as a duplicate.
    """
    defaults = {name: value for name, value in (("app", app), ("user", user)) if value is not None}
    settings = configured()
    say_where(settings)
    try:
        url = wiring.redis_url(settings)
        with source(file) as stream:
            tally = _publish_all(stream, url, defaults)
    finally:
        wiring.close()
    _report(tally, as_json=as_json)
    _complain(tally, file, shown(url))


def _publish_all(stream: BinaryIO, url: str, defaults: Mapping[str, str]) -> Tally:
    tally, earlier = Tally(), Counter[UUID]()
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


def _report(tally: Tally, *, as_json: bool) -> None:
    counts: dict[str, JsonValue] = {
        name: tally.counts[name] for name in ("accepted", "duplicate", "full", "refused")
    }
    problems = sorted(tally.problems)
    if as_json:
        listed: list[JsonValue] = [{"line": number, "message": said} for number, said in problems]
        emit({**counts, "unavailable": tally.counts["unavailable"], "problems": listed})
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
