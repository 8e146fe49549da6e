"""Export, import and another embedder, as a person at a terminal has them."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from tests.build import SCOPE, memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf
from worker.errors import Unavailable
from worker.interfaces.cli.export import _opened

OTHER = {"SLOWWAVE_EMBEDDER_DIMENSIONS": "64"}


def another_store(cli: Cli, **more: str) -> Cli:
    folder = cli.folder / "elsewhere"
    folder.mkdir(exist_ok=True)
    place = {"SLOWWAVE_STORE_URL": f"sqlite:///{folder / 'memory.db'}"}
    return Cli(cli.folder, cli.environment | place | more)


def texts(cli: Cli, *whose: str) -> set[str]:
    return {line["text"] for line in cli("memories", *(whose or WHOSE), "--json").lines}


def test_a_scope_goes_from_one_store_into_another(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."), memory("Ann läuft Ski – 滑雪."))

    told = cli("export", *WHOSE, "-o", "ann.jsonl")
    assert (told.status, told.out) == (0, "")
    assert "2 memories" in told.err
    assert (cli.folder / "ann.jsonl").stat().st_mode & 0o077 == 0

    elsewhere = another_store(cli)
    told = elsewhere("import", "ann.jsonl", "--json")
    assert (told.status, json.loads(told.out)["memories"]) == (0, 2)
    assert texts(elsewhere) == {"Ann drinks tea.", "Ann läuft Ski – 滑雪."}
    again = elsewhere("import", "ann.jsonl", "--json")
    assert json.loads(again.out) == {"there already": 2, "refused": 0, "problems": []}


def test_under_another_embedder_the_vectors_are_made_anew(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."))
    (cli.folder / "all.jsonl").write_text(cli("export", "--all").out)

    elsewhere = another_store(cli, **OTHER)
    assert elsewhere("import", "all.jsonl").status == 0
    found = elsewhere("recall", "who drinks tea", *WHOSE, "--json").lines
    assert [line["text"] for line in found] == ["Ann drinks tea."]


def test_an_export_that_was_cut_off_is_told(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."))
    whole = cli("export", "--all").out.splitlines()
    (cli.folder / "cut.jsonl").write_text("\n".join(whole[:-1]))

    elsewhere = another_store(cli)
    told = elsewhere("import", "cut.jsonl")
    assert told.status == 1
    assert "cut off" in told.err
    assert texts(elsewhere) == {"Ann drinks tea."}


@pytest.mark.parametrize(
    "options", [(), ("--user", "ann"), ("--all", "--app", "a"), ("--all", "--user", "ann")]
)
def test_what_to_export_has_to_be_said(cli: Cli, options: tuple[str, ...]) -> None:
    told = cli("export", *options)
    assert told.status == 2
    assert "--all" in told.err


def test_of_an_application_all_users_are_exported(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."))
    assert cli("export", "--app", SCOPE.app).out.count("Ann drinks tea.") == 1
    assert "Ann drinks tea." not in cli("export", "--app", "another").out


def mem0(folder: Path) -> None:
    entries = [
        {"id": "1", "memory": "Keeps two hens", "user_id": "ines", "metadata": {"ticket": "K-17"}},
        {"id": "2", "memory": "Sings in a choir", "user_id": "otto"},
        {"id": "3", "memory": "", "user_id": "otto"},
    ]
    (folder / "mem0.json").write_text(json.dumps({"results": entries}))


def test_an_export_of_mem0s_goes_to_the_users_it_names(cli: Cli) -> None:
    mem0(cli.folder)

    told = cli("import", "mem0.json", "--app", "farm", "--json")
    answer = json.loads(told.out)
    assert told.status == 1, "one entry has no text"
    assert (answer["added"], answer["refused"]) == (2, 1)
    assert "entry 3" in answer["problems"][0]
    (hens,) = cli("memories", "--app", "farm", "--user", "ines", "--json").lines
    assert (hens["text"], hens["metadata"]) == ("Keeps two hens", {"ticket": "K-17"})
    assert texts(cli, "--app", "farm", "--user", "otto") == {"Sings in a choir"}
    assert (
        json.loads(cli("import", "mem0.json", "--app", "farm", "--json").out)["there already"] == 2
    )


@pytest.mark.parametrize(
    "content",
    [
        "Keeps two hens\n\nSings in a choir\n",
        '["Keeps two hens", {"text": "Sings in a choir"}]',
        '{"text": "Keeps two hens", "tags": ["animals"]}\n{"text": "Sings in a choir"}\n',
        '"Keeps two hens"\n"Sings in a choir"',
    ],
    ids=["plain lines", "a document", "JSON lines", "JSON strings"],
)
def test_a_plain_list_of_statements_is_taken_once(cli: Cli, content: str) -> None:
    (cli.folder / "list").write_text(content)

    assert cli("import", "list", *WHOSE).status == 0
    assert cli("import", "list", *WHOSE).status == 0
    known = cli("memories", *WHOSE, "--json").lines
    assert sorted((one["text"], one["confirmations"]) for one in known) == [
        ("Keeps two hens", 1),
        ("Sings in a choir", 1),
    ]


def test_judged_statements_do_not_pile_up(cli: Cli) -> None:
    (cli.folder / "list").write_text("Lives in Turku\nLives in Oulu now\n")

    assert cli("import", "list", *WHOSE, "--judge").status == 0
    assert len(texts(cli)) <= 2


def test_statements_without_a_user_are_refused(cli: Cli) -> None:
    (cli.folder / "list").write_text("Keeps two hens\n")
    assert cli("import", "list").status == 2
    assert "say --app" in cli("import", "list").err
    assert "say --user" in cli("import", "list", "--app", "farm").err


def test_a_broken_line_is_named_and_the_rest_is_taken(cli: Cli) -> None:
    (cli.folder / "list").write_text('{"text": "Keeps two hens"}\n{"text": \n{"txt": "Sings"}\n')

    told = cli("import", "list", *WHOSE)
    assert told.status == 1
    assert "line 2: is no JSON" in told.err
    assert "line 3: `text` is missing" in told.err
    assert texts(cli) == {"Keeps two hens"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[" * 100_000, "nested too deeply"),
    ],
    ids=["deep"],
)
def test_a_document_that_cannot_be_read_is_told(cli: Cli, content: str, complaint: str) -> None:
    (cli.folder / "list").write_text(content)

    told = cli("import", "list", *WHOSE)
    assert told.status == 1
    assert f"line 1: is {complaint}" in told.err


@pytest.mark.parametrize("name", ["no-folder/all.jsonl", "file/all.jsonl", "."])
def test_a_place_that_cannot_be_written_is_told(cli: Cli, shelf: Shelf, name: str) -> None:
    shelf.put(memory("Ann drinks tea."))
    (cli.folder / "file").touch()

    told = cli("export", "--all", "-o", name)
    assert told.status == 1
    assert "cannot be written" in told.err


def test_an_export_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    kept = tmp_path / "all.jsonl"
    kept.write_text("yesterday's")

    with suppress(Unavailable), _opened(kept) as out:
        out.write("half")
        raise Unavailable("the store is away")

    assert [file.read_text() for file in tmp_path.iterdir()] == ["yesterday's"]


def test_another_embedder_is_refused_until_the_store_is_given_to_it(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."), memory("Ann skis."))
    other = Cli(cli.folder, cli.environment | OTHER)

    told = other("recall", "tea", *WHOSE)
    assert told.status == 1
    assert "slowwave reembed" in told.err
    told = other("reembed", "--json")
    assert told.status == 0
    assert (json.loads(told.out)["changed"], json.loads(told.out)["left"]) == (1, 0)
    assert other("recall", "tea", *WHOSE, "--json").lines[0]["text"] == "Ann drinks tea."
    assert json.loads(other("reembed", "--json").out)["changed"] == 0
    assert "slowwave reembed" in cli("recall", "tea", *WHOSE).err


def test_a_document_may_stand_on_one_long_line(cli: Cli) -> None:
    entries = [
        {"text": f"Owns {number} hens", "metadata": {"note": "a" * 9_000}} for number in range(500)
    ]
    (cli.folder / "list").write_text(json.dumps(entries))

    told = cli("import", "list", *WHOSE, "--json")
    assert (told.status, json.loads(told.out)["added"]) == (0, 500)


def test_an_export_goes_back_to_its_own_scopes_only(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."))
    cli("export", "--all", "-o", "all.jsonl")

    told = cli("import", "all.jsonl", "--app", "another", "--user", "ben")
    assert told.status == 2
    assert "leave --app and --user out" in told.err


def test_what_an_undo_has_taken_back_is_told_apart(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."))
    cli("export", "--all", "-o", "all.jsonl")
    elsewhere = another_store(cli)
    elsewhere("import", "all.jsonl")
    (run,) = elsewhere("runs", *WHOSE, "--json").lines
    assert elsewhere("undo", run["id"], *WHOSE).status == 0

    told = json.loads(elsewhere("import", "all.jsonl", "--json").out)
    assert told["taken back here: undo that undo"] == 1
