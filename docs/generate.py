"""Writes what is made from the code: the README's tables, `deploy/example.env`, `docs/cli.md`, `docs/http.md`.

`python -m docs.generate` writes, `python -m docs.generate --check` says what is out of date.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from typer import Typer
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from docs.http_page import http_page
from worker.interfaces.cli.main import app
from worker.settings import Settings

ROOT = Path(__file__).parent.parent
WIDTH = 96
README = ROOT / "README.md"


def pages() -> dict[Path, str]:
    """Each generated file with what it has to hold."""
    readme = README.read_text()
    readme = between(readme, "settings", settings_table())
    readme = between(readme, "commands", commands_table(app))
    return {
        README: readme,
        ROOT / "deploy" / "example.env": example_env(),
        ROOT / "docs" / "cli.md": cli_page(app),
        ROOT / "docs" / "http.md": http_page(),
    }


def stale() -> list[str]:
    """Names of the files that the code has moved on from."""
    return [
        str(path.relative_to(ROOT))
        for path, text in pages().items()
        if not path.exists() or path.read_text() != text
    ]


def settings_table() -> str:
    rows = [
        f"| `{_variable(name)}` | {_default(field)} | {_meaning(field)} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows])


def example_env() -> str:
    head = (
        "# Settings of slowwave: copy to .env and take the # off what you set.\n"
        "# What is commented out is the default.\n"
    )
    return head + "".join(
        f"\n# {_meaning(field)}\n#{_variable(name)}={_plain_default(field)}\n"
        for name, field in Settings.model_fields.items()
    )


def commands_table(typer: Typer) -> str:
    rows = [f"| `slowwave {' '.join(path)}` | {line} |" for path, line in _commands(typer)]
    return "\n".join(["| command | does |", "|---|---|", *rows])


def cli_page(typer: Typer) -> str:
    head = "# The command line\n\nWritten by `make docs` from the program itself.\n"
    return head + "".join(
        f"\n## slowwave {' '.join(path)}\n\n```\n{_help(typer, path)}\n```\n"
        for path, _ in _commands(typer)
    )


def _commands(typer: Typer) -> Iterator[tuple[tuple[str, ...], str]]:
    group = get_command(typer)
    if isinstance(group, TyperGroup):
        yield from _leaves(group, ())


def _leaves(group: TyperGroup, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, command in group.commands.items():
        path = (*above, name)
        if not isinstance(command, TyperGroup) or command.invoke_without_command:
            yield path, (command.help or "").strip().split("\n\n")[0].replace("\n", " ")
        if isinstance(command, TyperGroup):
            yield from _leaves(command, path)


def _help(typer: Typer, path: tuple[str, ...]) -> str:
    plain = {"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}
    result = CliRunner().invoke(typer, [*path, "--help"], env=plain, prog_name="slowwave")
    return "\n".join(line.rstrip() for line in result.output.strip("\n").splitlines())


def _variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return str(alias.choices[0])
    return f"SLOWWAVE_{name.upper()}"


def _plain_default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=False)
    if isinstance(default, Path):
        return str(default).replace(str(Path.home()), "~", 1)
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, frozenset):
        return json.dumps(sorted(default))
    if isinstance(default, tuple):
        return json.dumps(default)
    return "" if default is None or isinstance(default, SecretStr) else str(default)


def _default(field: FieldInfo) -> str:
    return f"`{plain}`" if (plain := _plain_default(field)) else ""


def _meaning(field: FieldInfo) -> str:
    text = field.description or ""
    if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) > 1:
        text += " One of " + ", ".join(f"`{choice}`" for choice in get_args(field.annotation)) + "."
    return text


def between(page: str, name: str, text: str) -> str:
    start, end = f"<!-- {name}: written by make docs -->", f"<!-- end of {name} -->"
    before, _, rest = page.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"README.md has no lines {start} and {end}: put them back where the table belongs")
    return f"{before}{start}\n{text}\n{end}{after}"


def main(arguments: list[str]) -> int:
    out_of_date = stale()
    if "--check" in arguments:
        for name in out_of_date:
            print(f"{name} is out of date: run make docs", file=sys.stderr)
        return 1 if out_of_date else 0
    for path, text in pages().items():
        path.write_text(text)
    print("\n".join(f"wrote {name}" for name in out_of_date) or "all pages are current")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
