"""`slowwave key`: who may ask over HTTP."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer

from worker import wiring
from worker.adapters.api_keys import ApiKeys
from worker.adapters.redis_server import connect
from worker.core.access.api_key import ID_BYTES, SECRET_BYTES, ApiKey, Shown
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import configured, say_where
from worker.interfaces.cli.options import AppName, AsJson
from worker.interfaces.cli.output import answers, day, emit, note, plain, table

key = typer.Typer(help="API keys of the HTTP service: each opens one app.", no_args_is_help=True)


@key.command("add")
def add(
    app: AppName,
    user: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only for this user's memory.", show_default=False),
    ] = None,
    label: Annotated[
        str, typer.Option(metavar="TEXT", help="What you call it.", show_default=False)
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Make a key and print it. It is shown this once: only a hash of it is kept."""
    shown = Shown(secrets.token_hex(ID_BYTES), secrets.token_urlsafe(SECRET_BYTES))
    try:
        kept = ApiKey(
            id=shown.id,
            digest=shown.digest,
            app=app,
            user=user,
            label=label,
            created_at=datetime.now(UTC),
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with _opened() as keys:
        keys.add(kept)
    if as_json:
        emit({"key": shown.text, **kept.model_dump(mode="json", exclude={"digest", "v"})})
    else:
        answers().print(plain(shown.text), soft_wrap=True)
        note("send it as `Authorization: Bearer …`; it is not shown again")


@key.command("list")
def listed(as_json: AsJson = False) -> None:
    """The keys that there are, without what opens."""
    with _opened() as keys:
        found = keys.all()
    if as_json:
        for one in found:
            emit(one.model_dump(mode="json", exclude={"digest", "v"}))
        return
    rows = [(one.id, one.app, one.user or "all", one.label, day(one.created_at)) for one in found]
    answers().print(table("", ("id", "app", "user", "label", "made"), rows))


@key.command("revoke")
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="As `slowwave key list` shows it.")],
) -> None:
    """Close a key for good; servers notice within a second."""
    with _opened() as keys:
        if not keys.remove(id):
            raise Failed(f"there is no key {id}: `slowwave key list` shows those that there are")
        left = len(keys.all())
    note(f"key {id} opens nothing any more; {left} left")


@contextmanager
def _opened() -> Iterator[ApiKeys]:
    settings = configured()
    say_where(settings)
    try:
        with connect(wiring.redis_url(settings)) as client:
            yield ApiKeys(client)
    finally:
        wiring.close()
