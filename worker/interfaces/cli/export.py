"""`slowwave export`: a scope, or all, as JSON lines."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TextIO

import typer

from schemas.exported import End, Head
from schemas.scope import Scope
from worker.core.ports import Reader
from worker.direct.exporting import exported
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import scope_of
from worker.interfaces.cli.output import note, progress


def export(
    app: Annotated[
        str | None,
        typer.Option("--app", metavar="NAME", help="Only this application's.", show_default=False),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user", metavar="NAME", help="Only this user's, with --app.", show_default=False
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All scopes of the store.")] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write there instead of to stdout.",
            show_default=False,
        ),
    ] = None,
    vectors: Annotated[
        bool,
        typer.Option(help="With the vectors; without, an import makes them anew."),
    ] = True,
) -> None:
    """Write live memories, earlier versions and runs as JSON lines, for a backup or for the person they are about.

    What was forgotten is not among them. The last line says how many there are: without it the export was cut off.
    """
    _check(app, user, everything=everything)
    with reading() as memories, _opened(to) as out:
        scopes = _scopes(memories.store, app, user)
        counts = _write(memories.store, scopes, out, vectors=vectors)
    note(", ".join(f"{count} {what}" for what, count in counts.items()))


def _check(app: str | None, user: str | None, *, everything: bool) -> None:
    if everything == (app is not None) or (user is not None and app is None):
        raise typer.BadParameter("name --app, with --user for one scope of it, or say --all")
    if app is not None:
        # An empty name is nobody's, never everybody's.
        scope_of(app, "anybody" if user is None else user)


def _scopes(store: Reader, app: str | None, user: str | None) -> list[Scope]:
    if app is not None and user is not None:
        return [scope_of(app, user)]
    return [scope for scope in store.scopes() if app is None or scope.app == app.strip()]


@contextmanager
def _opened(to: Path | None) -> Iterator[TextIO]:
    if to is None:
        yield sys.stdout
        return
    # An earlier export stays until this one is whole.
    part = to.with_name(f"{to.name}.part") if to.is_file() or not to.exists() else to
    try:
        # Memories are private: nobody else on this machine reads them.
        part.touch(mode=0o600)
        with part.open("w", encoding="utf-8") as out:
            yield out
        if part != to:
            part.replace(to)
    except OSError as error:
        raise Failed(f"{to} cannot be written ({error.strerror}): name another file") from error
    finally:
        if part != to:
            with suppress(OSError):
                part.unlink()


def _write(store: Reader, scopes: list[Scope], out: TextIO, *, vectors: bool) -> dict[str, int]:
    kinds = Counter[str]()
    print(Head(exported_at=datetime.now(UTC)).model_dump_json(), file=out)
    with progress() as bar:
        task = bar.add_task("scopes", total=len(scopes))
        for scope in scopes:
            for line in exported(store, scope, vectors=vectors):
                print(line.model_dump_json(), file=out)
                kinds[line.kind] += 1
            bar.advance(task)
    counts = {
        "scopes": len(scopes),
        "memories": kinds["memory"],
        "archives": kinds["archive"],
        "runs": kinds["run"],
    }
    print(End(**counts).model_dump_json(), file=out, flush=True)
    return counts
