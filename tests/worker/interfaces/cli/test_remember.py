import json
from typing import Any

import pytest

from tests.build import SCOPE, memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf, Told


def live(cli: Cli) -> dict[str, dict[str, Any]]:
    return {line["text"]: line for line in cli("memories", *WHOSE, "--json").lines}


def lines(*statements: Any) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in statements)


def test_a_statement_is_remembered_and_what_became_of_it_is_said(cli: Cli) -> None:
    told = cli("remember", "Lives in Ghent", *WHOSE)

    (stored,) = live(cli).values()
    assert told.status == 0
    assert told.out.startswith(f"added memory {stored['id'][:8]} v1 (run ")
    assert stored["text"] == "Lives in Ghent"


def test_every_field_gets_where_it_belongs(cli: Cli) -> None:
    told = cli(
        *("remember", "Ships from bay B-17", *WHOSE, "--subject", "Tariq", "--attribute", "bay"),
        *("--kind", "preference", "--said-at", "2026-05-03T10:00:00+02:00", "--volatile"),
        *("--happened-at", "2026-05", "--until", "2999-01-01T00:00:00Z", "--after", "Ships by air"),
        *("--tag", "a", "--tag", "b", "--meta", "ticket=17", "--meta", "x=y=z", "--pin"),
        *("--said-by", "Ann", "--authority", "user", "--json"),
    )
    (stored,) = live(cli).values()

    assert told.document["memory"] == stored["id"]
    assert {name: stored[name] for name in ("subject", "attribute", "kind", "volatile")} == {
        "subject": "Tariq",
        "attribute": "bay",
        "kind": "preference",
        "volatile": True,
    }
    assert (stored["happened_at"], stored["until"][:4], stored["after"]) == (
        *("2026-05", "2999"),
        "Ships by air",
    )
    assert (stored["tags"], stored["metadata"]) == (["a", "b"], {"ticket": "17", "x": "y=z"})
    assert (stored["pinned"], stored["said_by"]) == (True, "Ann")
    assert stored["said_at"] == "2026-05-03T10:00:00+02:00"


def test_with_a_reference_it_is_remembered_once(cli: Cli) -> None:
    first, again = (
        cli("remember", "Lives in Ghent", *WHOSE, "--external-ref", "r", "--json") for _ in range(2)
    )

    assert again.status == 0
    assert again.document == first.document | {"duplicate": True}
    assert "written before, nothing was done now" in (
        cli("remember", "Lives in Ghent", *WHOSE, "--external-ref", "r").out
    )


def test_it_takes_the_place_of_memories_that_are_named_by_their_first_digits(
    cli: Cli, shelf: Shelf
) -> None:
    one, other = memory("Drinks tea"), memory("Drinks milk")
    shelf.put(one, other)
    ids = ["--supersedes", one.id.hex[:6], "--supersedes", str(other.id)]
    told = cli("remember", "Drinks coffee", *WHOSE, *ids)

    assert set(live(cli)) == {"Drinks coffee"}
    assert f"revised memory {str(one.id)[:8]} v2, in place of {str(other.id)[:8]}" in told.out


@pytest.mark.parametrize("version", [2, 1])
def test_a_version_that_moved_is_said(cli: Cli, shelf: Shelf, version: int) -> None:
    tea = memory("Drinks tea", version=2)
    shelf.put(tea)
    told = cli(
        *("remember", "Drinks coffee", *WHOSE, "--supersedes", str(tea.id)),
        *("--if-version", str(version)),
    )

    assert told.status == (0 if version == 2 else 1)
    assert ("is at version 2, not at 1" in told.err) == (version == 1)
    assert set(live(cli)) == {"Drinks coffee" if version == 2 else "Drinks tea"}


def test_as_it_stands_it_stays_beside_what_it_would_change(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("User lives in Ghent", attribute="home"))
    told = cli("remember", "User lives in Bruges", *WHOSE, "--attribute", "home", "--as-is")

    assert "without a judgment" in told.out
    assert len(live(cli)) == 2


FILE = [
    {"text": "Owns a lathe", "external_ref": "a", "tags": ["x"]},
    {"text": "Owns a dog", "tag": ["x"]},
    {"text": "Owns a lathe", "external_ref": "a"},
    ["no object"],
    {"text": "Owns a harp", "supersedes": ["00000000-0000-5000-8000-000000000001"]},
    {"text": "Owns a kite"},
]


def test_of_a_file_the_good_lines_are_in_and_the_others_are_said(cli: Cli) -> None:
    (cli.folder / "facts.jsonl").write_text(lines(*FILE))
    told = cli("remember", "--file", "facts.jsonl", *WHOSE)

    assert told.status == 1
    assert set(live(cli)) == {"Owns a lathe", "Owns a kite"}
    assert "line 2: refused: `tag` is not a field of a statement: did you mean `tags`?" in told.out
    assert "line 4: refused: is not an object: write one with a `text`" in told.out
    assert "line 5: refused: memory 00000000-0000-5000-8000-000000000001 does not stand" in told.out
    assert "line 3: written before" in told.out
    assert "added 2, duplicate 1, refused 3" in told.err
    assert "3 lines of facts.jsonl were refused" in told.err


def test_from_stdin_each_line_is_told_for_machines(cli: Cli) -> None:
    told = cli("remember", "-", *WHOSE, "--json", given=lines(FILE[0], FILE[5]))

    assert told.status == 0
    assert [(one["line"], one["fate"]) for one in told.lines] == [(1, "added"), (2, "added")]
    assert {one["memory"] for one in told.lines} == {one["id"] for one in live(cli).values()}


def test_more_lines_than_one_run_holds_are_all_in(cli: Cli) -> None:
    many = [{"text": f"Thing number {n}", "external_ref": n} for n in range(45)]
    told = cli("remember", "-", *WHOSE, "--as-is", given=lines(*many))

    assert "added 45" in told.err
    assert len(live(cli)) == 45
    assert "duplicate 45" in cli("remember", "-", *WHOSE, given=lines(*many)).err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "give one TEXT, or - or --file"),
        (["x", "--file", "y"], "give one TEXT, or - or --file"),
        (["-", "--tag", "x"], "stand on their lines"),
        ([" "], "`text` says nothing"),
        (["x", "--said-at", "yesterday"], "`said_at` is no date with a time"),
        (["x", "--meta", "novalue"], "'novalue' is no KEY=VALUE"),
        (["x", "--supersedes", "zz"], "'zz' is no id"),
        (["x", "--if-version", "2"], "goes with exactly one id"),
    ],
)
def test_wrong_usage_is_said_and_nothing_done(
    cli: Cli, arguments: list[str], complaint: str
) -> None:
    told: Told = cli("remember", *WHOSE, *arguments)

    assert told.status == 2
    assert complaint in " ".join(told.err.replace("│", " ").split())
    assert live(cli) == {}


def test_the_scope_is_that_of_the_options(cli: Cli) -> None:
    cli("remember", "Lives in Ghent", "--app", SCOPE.app, "--user", "bob")

    assert live(cli) == {}
