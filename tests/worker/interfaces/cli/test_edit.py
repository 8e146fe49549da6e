from typing import Any

import pytest

from schemas.memory import Memory
from tests.build import memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf

TEA = memory("Drinks tea", tags=("a",), metadata={"n": "1", "m": "1"}, attribute="drink")


def stored(cli: Cli) -> Memory:
    return Memory.model_validate(cli("memories", *WHOSE, "--json").document)


def test_new_words_are_the_next_version_with_its_reason(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)
    told = cli("edit", TEA.id.hex[:5], *WHOSE, "--text", "Drinks coffee", "--reason", "a mistake")

    assert told.status == 0
    assert f"revised memory {str(TEA.id)[:8]} v2 (run " in told.out
    assert (stored(cli).text, stored(cli).tags) == ("Drinks coffee", ("a",))
    assert "a mistake" in cli("history", str(TEA.id), *WHOSE).out


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        (["--attribute", "cup"], {"attribute": "cup"}),
        (["--clear", "attribute"], {"attribute": None}),
        (["--kind", "preference"], {"kind": "preference"}),
        (["--happened-at", "2026-05"], {"happened_at": "2026-05"}),
        (["--meta", "n=2", "--unset-meta", "m"], {"metadata": {"n": "2"}}),
    ],
)
def test_fields_are_set_and_cleared(
    cli: Cli, shelf: Shelf, arguments: list[str], changed: dict[str, Any]
) -> None:
    shelf.put(TEA)
    told = cli("edit", str(TEA.id), *WHOSE, *arguments, "--json")

    assert (told.document["fate"], told.document["version"]) == ("revised", 2)
    assert {name: getattr(stored(cli), name) for name in changed} == changed


def test_nothing_to_change_is_said(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)
    told = cli("edit", str(TEA.id), *WHOSE, "--text", "Drinks tea")

    assert told.status == 0
    assert "is so already, nothing was written" in told.out
    assert stored(cli).version == 1


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        ([], 2, "say what to change"),
        (["--reason", "why"], 2, "say what to change"),
        (["--text", ""], 2, "`text` says nothing"),
        (["--until", "tomorrow"], 2, "`until` is no date with a time"),
        (["--text", "x", "--if-version", "7"], 1, "is at version 1, not at 7"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_changed(
    cli: Cli, shelf: Shelf, arguments: list[str], status: int, complaint: str
) -> None:
    shelf.put(TEA)
    told = cli("edit", str(TEA.id), *WHOSE, *arguments)

    assert told.status == status
    assert complaint in " ".join(told.err.replace("│", " ").split())
    assert stored(cli) == TEA


def test_an_id_that_is_not_there_is_said(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)

    assert (
        "memory ffff is not found in this scope" in cli("edit", "ffff", *WHOSE, "--text", "x").err
    )
