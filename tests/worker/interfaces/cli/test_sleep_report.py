"""`slowwave sleep report`: a night is told afterwards, with the words that there still are."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.memory import Archive, ArchiveRecord
from tests.build import SCOPE, at, memory, uid
from tests.hold import HELD, Holding
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf
from worker.adapters.stores.sqlite_writer import SqliteWriter
from worker.errors import Unavailable

TEA, AGAIN = "Likes green tea", "The user likes green tea."
PORTO, OSLO = "Works from Porto", "Works from Oslo"


@pytest.fixture
def slept(cli: Cli, shelf: Shelf) -> dict[str, Any]:
    """What a night told that merged one pair and wrote down an end."""
    shelf.put(
        memory(TEA, said_at=at(-299)),
        memory(AGAIN, said_at=at(-298)),
        memory(PORTO, said_at=at(-297), until=at(-200), after=OSLO),
    )
    return cli("sleep", *WHOSE, "--json").document


def without_words(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {name: one[name] for name in ("name", "before", "after", "looked_at", "asked", "calls")}
        for one in report["passes"]
    ]


def words(report: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    found = [
        (diff["kind"], diff["before"], diff["after"])
        for one in report["passes"]
        for diff in one["changes"]
    ]
    return sorted(found, key=str)


def test_a_night_is_told_afterwards_as_it_was_told_then(cli: Cli, slept: dict[str, Any]) -> None:
    kept = cli("sleep", "report", *WHOSE, "--json").document

    assert without_words(kept) == without_words(slept)
    assert words(kept) == words(slept) != []
    assert (kept["is_over"], kept["stopped"], kept["night"], kept["nights"]) == (True, None, 1, 1)
    told = cli("sleep", "report", *WHOSE)
    assert "night 1 of 1" in told.out
    assert "3 changes" in told.out
    assert {PORTO, OSLO, TEA} <= {word.strip() for word in told.out.split("│")}


def test_no_word_is_kept_with_it(slept: dict[str, Any], shelf: Shelf) -> None:
    kept = shelf.store.about(SCOPE).sleep

    assert kept
    assert slept["passes"]
    assert not [word for word in ("tea", "Oslo", "Porto", "Works") if word in kept]


def test_what_was_forgotten_since_is_told_no_more(
    cli: Cli, slept: dict[str, Any], tmp_path: Path
) -> None:
    (porto,) = [one for one in cli("memories", *WHOSE, "--json").lines if one["text"] == OSLO]
    assert cli("forget", porto["id"], *WHOSE, "--yes").status == 0

    page = tmp_path / "night.md"
    told = cli("sleep", "report", *WHOSE, "--markdown", str(page), "--json")
    assert told.status == 0
    assert not [word for word in (PORTO, OSLO) if word in told.out + page.read_text()]
    assert ("retire", AGAIN, None) in words(told.document) or TEA in told.out


def test_what_a_person_asked_to_forget_is_not_told_before_it_is_purged_either(
    cli: Cli, slept: dict[str, Any], shelf: Shelf
) -> None:
    """What the night had merged was forgotten in a talk; for some days an undo could still bring it back."""
    (tea,) = [one.memory for one in shelf.store.memories(SCOPE) if one.memory.text == TEA]
    forgotten = Archive(
        memory=tea.model_copy(update={"version": tea.version + 1}),
        replaced_by=None,
        archived_at=datetime.now(UTC),
        reason="forgotten",
        why="asked to",
        run=uid("forgetting"),
    )
    writer = shelf.store.writer(SCOPE, Holding(2**60))
    (vector,) = shelf.embedder.embed([TEA])
    writer.put_archives([ArchiveRecord(archive=forgotten, vector=vector)])
    writer.remove_memories([tea.id])

    told = cli("sleep", "report", *WHOSE, "--json")
    assert "green tea" not in told.out
    assert (OSLO in told.out, len(words(told.document))) == (True, 3)


def test_with_the_scope_its_nights_are_erased(cli: Cli, slept: dict[str, Any]) -> None:
    assert cli("erase", *WHOSE, "--yes").status == 0

    told = cli("sleep", "report", *WHOSE)
    assert (told.status, told.out) == (0, "")
    assert "no night is kept" in told.err


def test_what_was_undone_since_is_said(cli: Cli, slept: dict[str, Any], tmp_path: Path) -> None:
    run = next(diff["run"] for one in slept["passes"] for diff in one["changes"])
    assert cli("undo", run, *WHOSE).status == 0

    assert cli("sleep", "report", *WHOSE, "--json").document["undone"] == [run]
    page = tmp_path / "night.md"
    told = cli("sleep", "report", *WHOSE, "--markdown", str(page)).out
    assert f"undone since: {run[:8]}" in page.read_text()
    assert f"undone since: {run[:8]}" in told
    assert ", undone" in told


def test_a_night_that_changed_and_asked_nothing_is_not_kept(
    cli: Cli, shelf: Shelf, slept: dict[str, Any]
) -> None:
    before = shelf.store.about(SCOPE)
    cli("sleep", *WHOSE)
    assert shelf.store.about(SCOPE) == before


def test_a_night_that_is_not_kept_is_named_with_those_that_are(
    cli: Cli, slept: dict[str, Any]
) -> None:
    told = cli("sleep", "report", *WHOSE, "--night", "2")

    assert told.status == 1
    assert "no night 2: 1 are kept" in told.err
    assert cli("sleep", "report", *WHOSE, "--night", "0").status == 2


def test_a_page_that_cannot_be_written_is_said(
    cli: Cli, slept: dict[str, Any], tmp_path: Path
) -> None:
    told = cli("sleep", "report", *WHOSE, "--markdown", str(tmp_path / "nowhere" / "night.md"))

    assert told.status == 1
    assert "was not written" in told.err


def test_proposals_of_the_night_are_shown_while_they_wait(cli: Cli, shelf: Shelf) -> None:
    shelf.put(
        *(memory(f"Owns {n} kilns", said_at=at(n - 300)) for n in (1, 2)),
        *(memory(f"The user owns {n} kilns.", said_at=at(n - 290)) for n in (1, 2)),
    )
    cli("sleep", *WHOSE)

    kept = cli("sleep", "report", *WHOSE, "--json").document
    assert (kept["proposals"], kept["waiting"]) == (1, 1)
    (proposed,) = [one["proposed"] for one in kept["passes"] if one["proposed"]]
    assert "retire?" in cli("sleep", "report", *WHOSE).out
    assert cli("sleep", "review", *WHOSE, "--refuse", proposed[0]["run"]).status == 0
    after = cli("sleep", "report", *WHOSE, "--json").document
    assert (after["proposals"], after["waiting"]) == (1, 0)
    assert not any(one["proposed"] for one in after["passes"])


def test_a_night_that_fails_half_way_tells_what_it_did_before(
    cli: Cli, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lapsed is written down; what is merged after it meets a store that is full."""
    shelf.put(
        memory(TEA, said_at=at(-299)),
        memory(AGAIN, said_at=at(-298)),
        memory(PORTO, said_at=at(-297), until=at(-200), after=OSLO),
    )
    real, reason = SqliteWriter.put_archives, "the disk is full: make room"

    def put_archives(writer: Any, records: Any) -> None:
        records = list(records)
        if any(one.archive.memory.text == AGAIN for one in records):
            raise Unavailable(reason, part="store")
        real(writer, records)

    monkeypatch.setattr(SqliteWriter, "put_archives", put_archives)
    failed = cli("sleep", *WHOSE, "--json")

    assert failed.status == 1
    assert reason in failed.err
    assert failed.document["stopped"] == reason
    assert words(failed.document) == [("revise", PORTO, OSLO)]
    kept = cli("sleep", "report", *WHOSE, "--json").document
    assert (kept["is_over"], kept["stopped"]) == (False, reason)
    assert words(kept) == [("revise", PORTO, OSLO)]

    monkeypatch.undo()
    shelf.store.writer(SCOPE, HELD)
    cli("sleep", *WHOSE)
    whole = cli("sleep", "report", *WHOSE, "--json").document
    assert (whole["is_over"], whole["stopped"], whole["nights"]) == (True, None, 1)
    assert whole["times"] == 2
    assert [kind for kind, _, _ in words(whole)] == ["retire", "revise", "revise"]
