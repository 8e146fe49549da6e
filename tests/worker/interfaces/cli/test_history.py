from collections.abc import Iterable, Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Changed, Run
from schemas.scope import Scope
from tests.build import NOW, RUN, SCOPE, at, memory
from tests.hold import HELD
from tests.snapshots import revised, snapshot
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.sleeping.note import Note

ID = UUID("abcd1234-0000-5000-8000-000000000001")
OTHER = UUID("abcd5678-0000-5000-8000-000000000002")


def replaced(old: Memory, days: int = 0, by: UUID | None = ID, why: str = "moved") -> Archive:
    return Archive(
        memory=old,
        replaced_by=by,
        archived_at=NOW + timedelta(days=days),
        reason="superseded",
        why=why,
        run=RUN,
    )


@pytest.fixture
def moved(shelf: Shelf) -> Shelf:
    """Ann lived in Oslo, then in Bergen, now in Tromsø."""
    shelf.put(memory("Ann lives in Tromsø.", id=ID, version=3))
    shelf.file(
        replaced(memory("Ann lives in Oslo.", id=ID)),
        replaced(memory("Ann lives in Bergen.", id=ID, version=2), days=9, why="moved again"),
    )
    return shelf


def test_json_has_the_live_record_then_archives_newest_first(cli: Cli, moved: Shelf) -> None:
    live, newest, oldest = cli("history", str(ID), *WHOSE, "--json").lines

    assert (live["text"], live["version"]) == ("Ann lives in Tromsø.", 3)
    assert newest["memory"]["text"] == "Ann lives in Bergen."
    assert oldest["memory"]["text"] == "Ann lives in Oslo."
    assert {"replaced_by", "archived_at", "reason", "why", "run"} <= newest.keys()


def test_the_table_says_what_replaced_each_version_and_why(cli: Cli, moved: Shelf) -> None:
    told = cli("history", "abcd", *WHOSE)

    assert told.status == 0
    row = next(line for line in told.out.splitlines() if "Ann lives in Oslo." in line)
    assert "Ann lives in Bergen." in row
    assert "superseded: moved" in row
    assert str(RUN)[:8] in row


def test_the_table_shows_other_words_that_were_called_the_same(cli: Cli, moved: Shelf) -> None:
    turn = memory("Ann lives in Tromsø.").turn_ids[0]
    change = Changed(
        kind="confirm", memory_id=ID, version=3, relation="same", why="one town", said=("Up north",)
    )
    elsewhere = change.model_copy(update={"memory_id": OTHER, "said": ("Ann is cold",)})
    moved.store.writer(SCOPE, HELD).put_run(
        Run(
            id=RUN,
            kind="batch",
            scope=SCOPE,
            state="applied",
            turn_ids=(turn,),
            started_at=NOW,
            changes=(change, elsewhere),
        )
    )

    told = cli("history", "abcd", *WHOSE).out

    (row,) = [line for line in told.splitlines() if "Up north" in line]
    assert ("one town" in row, str(RUN)[:8] in row, "cold" in told) == (True, True, False)


def test_the_first_digits_do_if_they_are_one_memorys_alone(cli: Cli, moved: Shelf) -> None:
    moved.put(memory("Ann has a cat.", id=OTHER))

    many, one = cli("history", "abcd", *WHOSE), cli("history", "ABCD1234-0", *WHOSE)

    assert many.status == 1
    assert "2 memories begin with abcd" in many.err
    assert one.status == 0


def test_a_memory_that_no_longer_stands_has_its_history(cli: Cli, shelf: Shelf) -> None:
    shelf.file(replaced(memory("Ann drinks tea.", id=ID), by=None))

    told = cli("history", str(ID), *WHOSE, "--json")

    assert [line["memory"]["text"] for line in told.lines] == ["Ann drinks tea."]
    assert "no longer stands" in cli("history", str(ID), *WHOSE).out


class Watched(SqliteStore):
    """Counts how often the whole scope is read."""

    whole = 0

    def memories(self, scope: Scope, ids: Iterable[UUID] | None = None) -> Iterator[MemoryRecord]:
        self.whole += ids is None
        return super().memories(scope, ids)

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        self.whole += memory is None
        return super().archives(scope, memory)


@pytest.fixture
def watched(cli: Cli, moved: Shelf, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """What the commands open."""
    store = Watched(cli.folder / "memory.db")
    monkeypatch.setattr("worker.wiring.open_store", lambda *_, **__: store)
    return store


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize(("id", "reads"), [(str(ID), 0), (ID.hex.upper(), 0), ("abcd", 2)])
def test_a_whole_id_needs_no_look_at_the_whole_scope(
    cli: Cli, watched: Watched, form: tuple[str, ...], id: str, reads: int
) -> None:
    told = cli("history", id, *WHOSE, *form)

    assert told.status == 0
    assert "Ann lives in Oslo." in told.out
    assert watched.whole == reads


def test_the_table_names_another_memory_that_stands_in_its_place(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks coffee.", id=OTHER))
    shelf.file(replaced(memory("Ann drinks tea.", id=ID), by=OTHER))

    (row,) = [line for line in cli("history", str(ID), *WHOSE).out.splitlines() if "tea" in line]

    assert "Ann drinks coffee." in row


@pytest.mark.parametrize(
    ("id", "user"),
    [("eeee", SCOPE.user), (str(OTHER), SCOPE.user), (str(ID), "ben")],
)
def test_what_is_not_in_this_scope_is_not_found(cli: Cli, moved: Shelf, id: str, user: str) -> None:
    told = cli("history", id, "--app", SCOPE.app, "--user", user, "--json")

    assert told.status == 1
    assert "not found" in told.err
    assert not told.out


def test_the_table_says_since_when_it_was_said(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann lives in Oslo.", id=ID, since=at(-400), said_at=at(-3)))

    (row,) = [line for line in cli("history", "abcd", *WHOSE).out.splitlines() if "Oslo" in line]

    assert row.index("2025-04-27") < row.index("2026-05-29")


@pytest.fixture
def partly(shelf: Shelf) -> Shelf:
    """Of a memory that was merged from two a part was forgotten."""
    shelf.put(memory("Ann cycles.", id=ID, version=3))
    both = memory("Ann has asthma and cycles.", id=ID, version=2)
    shelf.file(
        revised(both, at(-1), "forgotten"),
        snapshot(memory("Ann has asthma.", id=OTHER), "merged", ID, at(-9)),
        snapshot(memory("Ann cycles.", id=ID), "superseded", ID, at(-9), "with her asthma"),
    )
    turn = memory("Ann cycles.").turn_ids[0]
    said = ("Ann is asthmatic, asthma it is", "Ann rides a bike")
    change = Changed(kind="confirm", memory_id=ID, version=1, relation="same", why="one", said=said)
    run = {"id": RUN, "kind": "batch", "scope": SCOPE, "state": "applied", "turn_ids": (turn,)}
    shelf.store.writer(SCOPE, HELD).put_run(
        Run.model_validate({**run, "started_at": at(-9), "changes": (change,)})
    )
    return shelf


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_was_forgotten_is_in_no_history_nor_a_reason_that_tells_of_it(
    cli: Cli, partly: Shelf, form: tuple[str, ...]
) -> None:
    told = cli("history", str(ID), *WHOSE, *form)

    assert told.status == 0
    assert "asthma" not in told.out
    assert told.out.count("Ann cycles.") >= 2
    assert form or "Ann rides a bike" in told.out


@pytest.mark.parametrize("id", [str(OTHER), "abcd5678"])
def test_a_memory_whose_every_trace_is_hidden_is_not_found(
    cli: Cli, partly: Shelf, id: str
) -> None:
    told = cli("history", id, *WHOSE)

    assert (told.status, told.out) == (1, "")
    assert "not found" in told.err


def test_digits_that_only_a_hidden_memory_shares_are_enough(cli: Cli, partly: Shelf) -> None:
    assert cli("history", "abcd", *WHOSE).status == 0


def test_versions_that_are_past_their_retention_are_said_to_be_gone(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann lives in Tromsø.", id=ID, version=4))
    shelf.file(replaced(memory("Ann lives in Bergen.", id=ID, version=3)))
    assert "not kept" not in cli("history", "abcd", *WHOSE).out

    note = Note().removing(at(-365)).model_dump_json()
    shelf.store.writer(SCOPE, HELD).put_sleep(note)

    told = cli("history", "abcd", *WHOSE)
    assert "versions 1 to 2 are not kept any more" in told.out
    assert "2025-06-01" in told.out


@pytest.mark.parametrize("note", [Note().removing(at(-365)).model_dump_json(), '{"v": 2}'])
def test_where_none_is_gone_or_nobody_can_tell_nothing_is_said_of_it(
    cli: Cli, moved: Shelf, note: str
) -> None:
    moved.store.writer(SCOPE, HELD).put_sleep(note)

    told = cli("history", "abcd", *WHOSE)
    assert told.status == 0
    assert "not kept" not in told.out
