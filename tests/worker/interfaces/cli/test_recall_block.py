"""What is recalled, as one text for a prompt; and nothing of it learned when it comes back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.build import NOW, SCOPE, at, memory, uid
from tests.snapshots import revised, snapshot
from tests.worker.core.recalling.blocks import PLAIN
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf
from worker.core.hearing.marks import MARKS

TEA, BOAT = "Ann drinks tea.", "Ann has a boat."


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(PLAIN)
    return str(path)


def test_a_block_has_the_oldest_change_first_whatever_answers_best(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory(BOAT, updated_at=NOW), memory(TEA, pinned=True))

    for question in (("Who has a boat?",), ("tea",), ()):
        told = cli("recall", *question, *WHOSE, "--block")
        first, *_, tea, boat, last = told.out.splitlines()
        assert (first, tea, boat, last) == (
            *("<recalled>", f"- {TEA} (2026-05-02)", f"- {BOAT} (2026-05-02)", "</recalled>"),
        )


def test_words_marks_and_order_are_the_settings(cli: Cli, shelf: Shelf, mine: str) -> None:
    shelf.put(memory(TEA, subject="Ann"))
    marks = {"SLOWWAVE_RECALL_BEGIN": "[[memory]]", "SLOWWAVE_RECALL_END": "[[end]]"}
    words = {"SLOWWAVE_RECALL_TEMPLATE": mine, "SLOWWAVE_RECALL_BLOCK_ORDER": "by_topic"}

    told = cli("recall", *WHOSE, "--block", **marks, **words)

    assert told.out == f"[[memory]]\nNotes.\n[Ann]\n- {TEA}\n[[end]]\n"


def test_what_holds_no_more_of_what_was_shown_is_named_and_what_was_forgotten_is_not(
    cli: Cli, shelf: Shelf, mine: str
) -> None:
    home = uid("home")
    shelf.put(memory("Ann lives in Bergen.", id=home, version=2, updated_at=at(-7)))
    shelf.file(
        revised(memory("Ann lives in Oslo.", id=home), at(-7)),
        snapshot(memory(TEA), "forgotten", None, at(-6)),
        snapshot(memory(BOAT), "expired", None, at(-5)),
    )
    shown = [f"--shown={id}=1" for id in (home, uid(TEA), uid(BOAT))]

    told = cli("recall", *WHOSE, *shown, "--block", SLOWWAVE_RECALL_TEMPLATE=mine)

    assert told.out.splitlines()[2:-1] == [
        *("- no more: Ann lives in Oslo.", "- now: Ann lives in Bergen."),
        f"- no more: {BOAT}",
    ]


def test_the_bounds_are_those_of_the_whole_block(cli: Cli, shelf: Shelf, mine: str) -> None:
    shelf.put(memory(TEA), memory(BOAT))
    whole = cli("recall", *WHOSE, "--block", SLOWWAVE_RECALL_TEMPLATE=mine).out

    told = cli(
        *("recall", *WHOSE, "--block", f"--max-characters={len(whole) - 2}"),
        SLOWWAVE_RECALL_TEMPLATE=mine,
    )

    assert 0 < len(told.out.splitlines()) == len(whole.splitlines()) - 1
    assert "did not fit: 1" in told.err
    nothing = cli("recall", *WHOSE, "--block", "--max-characters=20")
    assert (nothing.status, nothing.out) == (0, "")


@pytest.mark.parametrize("other", ["--json", "--explain"])
def test_a_block_is_printed_alone(cli: Cli, shelf: Shelf, other: str) -> None:
    assert cli("recall", *WHOSE, "--block", other).status == 2


def test_a_template_that_is_none_is_a_wrong_setting(cli: Cli, shelf: Shelf, mine: str) -> None:
    Path(mine).write_text(PLAIN.replace("- $text", "- $txt", 1))

    told = cli("recall", *WHOSE, "--block", SLOWWAVE_RECALL_TEMPLATE=mine)

    assert (told.status, told.out) == (1, "")
    assert "mine.toml: `item` has no field $txt" in told.err


#: As nobody writes memories: so that the rules would learn them, had nothing marked them.
FIRST_PERSON = ("I live in Utrecht.", "I like tea.", "My dog is called Rex.")
#: A block as it comes back: what is published of it.
COMES_BACK: dict[str, Callable[[str], dict[str, Any]]] = {
    "put before a question": lambda block: {"text": f"{block}\nWhat time is it in Quito?"},
    "put behind a question": lambda block: {"text": f"What time is it in Quito?\n\n{block}"},
    "in the system message": lambda block: {"role": "system", "text": f"Be kind.\n\n{block}"},
    "repeated by the assistant": lambda block: {"role": "assistant", "text": f"I know: {block}"},
    "quoted by the user": lambda block: {
        "text": "\n".join(f"> {line}" for line in block.splitlines()) + "\nWhat is that?"
    },
    "pasted by the user": lambda block: {"text": f"You told me ```\n{block}\n``` Why?"},
    "cut off": lambda block: {"text": f"What time is it? {block.removesuffix('</recalled>')}"},
}


def _published(cli: Cli, *turns: dict[str, Any], **settings: str) -> None:
    whose = {"app": SCOPE.app, "user": SCOPE.user, "role": "user"}
    path = cli.write(*({**whose, "id": str(at), **turn} for at, turn in enumerate(turns)))
    assert cli("publish", path, **settings).status == 0
    assert cli("drain", "--all", **settings).status == 0


@pytest.mark.parametrize("words", ["ours", "mine"])
def test_a_block_that_comes_back_teaches_nothing_to_the_rules(
    cli: Cli, shelf: Shelf, mine: str, words: str
) -> None:
    settings: dict[str, str] = {"SLOWWAVE_REMEMBER_ASSISTANT": "true"}
    if words == "mine":
        settings |= {
            "SLOWWAVE_RECALL_TEMPLATE": mine,
            "SLOWWAVE_RECALL_BEGIN": "[[memory]]",
            "SLOWWAVE_RECALL_END": "[[end]]",
        }
    shelf.put(*map(memory, FIRST_PERSON))
    known = cli("memories", *WHOSE, "--json", **settings).lines
    block = cli("recall", *WHOSE, "--block", **settings).out.rstrip("\n")
    assert all(text in block for text in FIRST_PERSON)

    backs = [back for name, back in COMES_BACK.items() if words == "ours" or name != "cut off"]
    _published(cli, *(back(block) for back in backs), **settings)

    assert cli("memories", *WHOSE, "--json", **settings).lines == known
    assert cli("recall", *WHOSE, "--block", **settings).out.rstrip("\n") == block


def test_without_its_marks_the_same_would_be_learned(cli: Cli, shelf: Shelf) -> None:
    shelf.put(*map(memory, FIRST_PERSON))
    known = cli("memories", *WHOSE, "--json").lines
    block = cli("recall", *WHOSE, "--block").out

    _published(cli, {"text": block.replace(MARKS.begin, "").replace(MARKS.end, "")})

    assert cli("memories", *WHOSE, "--json").lines != known
