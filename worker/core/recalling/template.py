"""What stands around and beside memories in a block, in words that an operator can replace."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template as Line

#: Of a memory.
NOTE = frozenset({"text", "said_at", "kind", "subject", "tags", "state"})
#: Line → the fields that it may name.
FIELDS: Mapping[str, frozenset[str]] = {
    "header": frozenset(),
    "section": frozenset({"subject"}),
    "item": NOTE,
    "corrected": NOTE,
    "outdated": NOTE,
    "waiting": frozenset({"text", "said_at", "said_by"}),
    "footer": frozenset(),
}
#: These may be left out.
AROUND = frozenset({"header", "footer"})
EMPTY = Line("")


@dataclass(frozen=True)
class Template:
    """Each line with `$field` where something is put in."""

    #: Above what is known about one subject, where the block is ordered by topic.
    section: Line
    #: A memory.
    item: Line
    #: A memory of which an earlier version was shown.
    corrected: Line
    #: What was shown before, or is history, and does not stand any more.
    outdated: Line
    #: A turn of which nothing was learned so far.
    waiting: Line
    header: Line = EMPTY
    footer: Line = EMPTY


def template_of(text: str) -> Template:
    """A TOML file of lines as a template. Raises `ValueError` saying which line is wrong, and what it may hold."""
    given = tomllib.loads(text)
    for name in sorted(given.keys() - FIELDS.keys()):
        raise ValueError(f"`{name}` is no line of a block: they are {_listed(FIELDS)}")
    for name in sorted(FIELDS.keys() - AROUND - given.keys()):
        raise ValueError(f'`{name}` is missing: write {name} = "…"')
    return Template(**{name: _line(name, value) for name, value in given.items()})


def _line(name: str, value: object) -> Line:
    if not isinstance(value, str):
        # As with all else that a file may have wrong.
        raise ValueError(  # noqa: TRY004
            f'`{name}` is no text: write {name} = "…"'
        )
    line, known = Line(value.strip("\n")), FIELDS[name]
    if not line.is_valid():
        raise ValueError(f"`{name}` has a $ without a field: write $$ for the sign itself")
    named = set(line.get_identifiers())
    for unknown in sorted(named - known):
        raise ValueError(f"`{name}` has no field ${unknown}: it has {_fields(known)}")
    if "text" in known - named:
        raise ValueError(f"`{name}` has no $text: nobody could read what it tells")
    return line


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _fields(known: frozenset[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(known)) or "none"
