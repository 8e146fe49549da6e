"""Options that several commands share."""

from typing import Annotated, get_args

import typer
from pydantic import ValidationError

from schemas.scope import Scope
from worker.settings import Settings

AppName = Annotated[
    str,
    typer.Option(
        "--app", metavar="NAME", help="The application whose memory it is.", show_default=False
    ),
]
UserName = Annotated[
    str,
    typer.Option("--user", metavar="NAME", help="The person, team or agent.", show_default=False),
]
DefaultApp = Annotated[
    str | None,
    typer.Option(
        "--app", metavar="NAME", help="For turns that name no application.", show_default=False
    ),
]
DefaultUser = Annotated[
    str | None,
    typer.Option("--user", metavar="NAME", help="For turns that name no user.", show_default=False),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON for machines.", show_default=False)
]


def scope_of(app: str, user: str) -> Scope:
    """The scope of these names. A name that cannot be one is wrong usage."""
    try:
        return Scope(app=app, user=user)
    except ValidationError as error:
        first = error.errors()[0]
        reason = first["msg"].removeprefix("Value error, ")
        raise typer.BadParameter(reason, param_hint=f"--{first['loc'][0]}") from error


def defaults_of(app: str | None, user: str | None) -> dict[str, str]:
    """What fills the fields that a turn lacks."""
    return {name: value for name, value in (("app", app), ("user", user)) if value is not None}


def one_of(setting: str) -> typer.models.OptionInfo:
    """An option whose value has to be one that the setting knows."""
    known_names = [str(name) for name in get_args(Settings.model_fields[setting].annotation)]

    def checked(value: str | None) -> str | None:
        if value is not None and value not in known_names:
            raise typer.BadParameter(f"{value!r} is none of {', '.join(known_names)}")
        return value

    option: typer.models.OptionInfo = typer.Option(
        f"--{setting}",
        metavar="NAME",
        help=f"{Settings.model_fields[setting].description} One of: {', '.join(known_names)}.",
        callback=checked,
        show_default=False,
    )
    return option
