"""`slowwave ingest`: turns from a stream, a file or stdin into the queue, for as long as they come."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue
from redis import Redis

from producers.producer import Producer
from worker import wiring
from worker.adapters.redis_server import connect
from worker.adapters.sources.lines import LinesSource
from worker.adapters.sources.opening import is_url, open_source
from worker.adapters.sources.places import Places
from worker.adapters.sources.source import Source
from worker.errors import Misconfigured
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.ingesting import Ingest, Tally
from worker.interfaces.cli.lines import STDIN, source
from worker.interfaces.cli.opening import configured, say_where
from worker.interfaces.cli.options import AsJson, DefaultApp, DefaultUser, defaults_of
from worker.interfaces.cli.output import answers, emit, note, plain, progress


def ingest(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="redis://HOST:PORT/0?stream=NAME, stream:NAME on slowwave's own Redis, a FILE, or - for stdin.",
        ),
    ],
    once: Annotated[
        bool, typer.Option("--once", help="End when nothing is left, as for cron.")
    ] = False,
    app: DefaultApp = None,
    user: DefaultUser = None,
    as_json: AsJson = False,
) -> None:
    """Move turns from a stream, a file or stdin into the queue, until Ctrl-C or SIGTERM.

    A turn counts as taken only once the queue has it, so one is never lost, and one that comes twice is one turn.
    While a user's queue is full or Redis is away, it waits and goes on by itself.

    STREAM: any number of processes may read one stream. An entry holds the fields of a turn (XADD turns * app
    acme user ann role user text "I live in Oslo."), or one field `turn` with all of them as JSON. What is no turn
    goes to the stream NAME:refused with the reason. Options in the URL:

    \b
      group=slowwave  the consumer group; it is made where there is none
      from=0          where a new group begins: 0 what is there, $ what comes
      idle=60         seconds after which a dead process's entries go to another

    FILE: one JSON object on each line; its place is kept, so the next run goes on there, and lines that are
    added are taken as they come. What is no turn is named with its line, and the exit status is 1.
    """  # noqa: D301 - a backspace tells click to keep the lines that follow
    settings = configured()
    say_where(settings)
    try:
        url = wiring.redis_url(settings)
        with (
            connect(url) as redis,
            _opened(name, redis, url, follow=not once) as opened,
            _told_to_stop() as stopped,
        ):
            tally = _move(opened, redis, defaults_of(app, user), stopped, patient=not once)
            aside = opened.aside
    finally:
        wiring.close()
    _report(tally, as_json=as_json)
    _complain(tally, name, aside, once=once, stopped=stopped())


@contextmanager
def _opened(name: str, redis: Redis, url: str, *, follow: bool) -> Iterator[Source]:
    if is_url(name):
        try:
            opened = open_source(name, url, follow=follow)
        except Misconfigured as error:
            raise typer.BadParameter(str(error), param_hint="SOURCE") from error
        with closing(opened):
            yield opened
        return
    with source(name) as stream:
        if name == STDIN:
            yield LinesSource(stream)
        else:
            path = Path(name)
            yield LinesSource(stream, Places(redis, path), path if follow else None)


@contextmanager
def _told_to_stop() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C or SIGTERM has asked to stop; the second one does not ask."""
    asked: list[int] = []

    def _ask(number: int, _: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    before = {number: signal.signal(number, _ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _move(
    opened: Source,
    redis: Redis,
    defaults: Mapping[str, str],
    stopped: Callable[[], bool],
    *,
    patient: bool,
) -> Tally:
    # The client of the workers: nobody is kept from chatting here, so it may wait longer.
    ingest = Ingest(opened, Producer(redis), defaults, note)
    with progress() as bar:
        task = bar.add_task("ingesting", total=None)
        for tally in ingest.run(stopped, patient=patient):
            bar.update(task, description=_described(tally))
    return ingest.tally


def _described(tally: Tally) -> str:
    moved = tally.counts["accepted"] + tally.counts["duplicate"]
    return f"ingested {moved:,} turns" + (f", {tally.waiting:,} wait" if tally.waiting else "")


def _report(tally: Tally, *, as_json: bool) -> None:
    counts: dict[str, JsonValue] = {
        **{name: tally.counts[name] for name in ("accepted", "duplicate", "refused")},
        "waiting": tally.waiting,
    }
    if as_json:
        emit(counts)
    else:
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        answers().print(plain(told), soft_wrap=True)


def _complain(tally: Tally, name: str, aside: str | None, *, once: bool, stopped: bool) -> None:
    """Raises `Failed` for what is not where it should be, `KeyboardInterrupt` where a signal cut `--once` short."""
    refused = tally.counts["refused"]
    if refused and aside:
        note(
            f"{refused} were refused and put into the stream {aside}: mend them and add them again"
        )
    if tally.waiting and name == STDIN:
        raise Failed(
            f"{tally.waiting} turns were read from stdin and are not in ({tally.trouble}): pipe them in again,"
            " what is in counts once"
        )
    if stopped and once:
        raise KeyboardInterrupt
    if not stopped and (tally.waiting or not tally.ended):
        raise Failed(
            f"{tally.trouble}. {tally.waiting} turns in hand are left where they were: run it again"
        )
    if refused and not aside:
        raise Failed(
            f"{refused} lines were refused, see above: mend them and ingest the file again"
        )
    if not stopped and not once and name != STDIN:
        raise Failed(
            f"{name} was replaced or cut short: run it again, and it is read from its start"
        )
