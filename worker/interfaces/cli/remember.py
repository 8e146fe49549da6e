"""`slowwave remember`: ready statements become memories, without a conversation."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import uuid4

import typer

from worker.core.writing.stated import StatementLine, checked, stated
from worker.direct.remembering import remember as write
from worker.errors import Unprocessable
from worker.interfaces.cli.lines import STDIN
from worker.interfaces.cli.naming import memory_that_stands
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.remembering import write_lines
from worker.interfaces.cli.writing import HappenedAt, Kind, Until, fields_of, named, tell


def remember(
    app: AppName,
    user: UserName,
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="One statement; - reads JSON objects from stdin, one on each line.",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Statements in place of TEXT, one JSON object on each line; - is stdin.",
            show_default=False,
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Whom it is about; `user` if not said.", show_default=False
        ),
    ] = None,
    attribute: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What of the subject it tells, such as home.", show_default=False
        ),
    ] = None,
    kind: Kind = None,
    said_at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="With its offset; now if not said.", show_default=False),
    ] = None,
    happened_at: HappenedAt = None,
    until: Until = None,
    after: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What stands again after --until.", show_default=False),
    ] = None,
    volatile: Annotated[
        bool | None, typer.Option("--volatile", help="It fades with time.", show_default=False)
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="May be given several times.")
    ] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A field of your own, as text; several times."),
    ] = None,
    pin: Annotated[
        bool | None,
        typer.Option(
            "--pin", help="Only direct writes change it from then on.", show_default=False
        ),
    ] = None,
    supersedes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Stands in place of this memory, which is not judged; several times: the first lives on.",
        ),
    ] = None,
    external_ref: Annotated[
        str | None,
        typer.Option(
            metavar="REF", help="Your own id of it: written twice it is one.", show_default=False
        ),
    ] = None,
    if_version: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Only if the memory under --supersedes is at this version.",
            show_default=False,
        ),
    ] = None,
    said_by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who said it.", show_default=False)
    ] = None,
    authority: Annotated[
        str | None,
        typer.Option(
            metavar="WHO",
            help="Whose word it is: user, assistant or tool; user if not said.",
            show_default=False,
        ),
    ] = None,
    as_is: Annotated[
        bool,
        typer.Option(
            "--as-is",
            help="Ask no judge: confirm what says the same words, else add.",
            show_default=False,
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remember a statement that needs no extraction, or many of them.

    It is judged against what is known, like a fact of a conversation, unless --supersedes names what it replaces or
    --as-is says to keep it as it stands. With --external-ref doing it again is safe.
    """
    scope = scope_of(app, user)
    given = named(
        subject=subject,
        attribute=attribute,
        kind=kind,
        said_at=said_at,
        happened_at=happened_at,
        until=until,
        after=after,
        volatile=volatile,
        tags=tag,
        metadata=fields_of(meta) or None,
        pinned=pin,
        external_ref=external_ref,
        if_version=if_version,
        said_by=said_by,
        authority=authority,
    )
    _check_usage(text, file, is_detailed=bool(given or supersedes))
    with opened() as parts:
        if text is None or text == STDIN:
            write_lines(parts, scope, file or STDIN, judge=not as_is, as_json=as_json)
            return
        ids = [
            memory_that_stands(parts.store, scope, one, "--supersedes") for one in supersedes or ()
        ]
        line = _checked({"text": text, "supersedes": ids, **given})
        now = datetime.now(UTC)
        (done,) = write(parts, scope, [stated(line, scope, uuid4().hex, now)], now, judge=not as_is)
    tell(done, as_json=as_json)


def _check_usage(text: str | None, file: str | None, *, is_detailed: bool) -> None:
    if (text is None) == (file is None):
        raise typer.BadParameter("give one TEXT, or - or --file for many")
    if (file is not None or text == STDIN) and is_detailed:
        raise typer.BadParameter("the fields of many statements stand on their lines")


def _checked(fields: dict[str, object]) -> StatementLine:
    try:
        return checked(fields)
    except Unprocessable as error:
        raise typer.BadParameter(str(error)) from error
