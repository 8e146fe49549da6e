"""Whose it is has to be said to every command, and another's id is the id of nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
import typer
from redis import Redis

from schemas.scope import Scope
from tests.build import uid
from tests.worker.interfaces.cli.running import Cli
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Store
from worker.interfaces.cli.main import app

ID = str(uid("somebody's"))
#: What else a command is given so that it would do something.
CALLS: dict[str, tuple[str, ...]] = {
    "memories": (),
    "history": (ID,),
    "recall": ("the code of the gate",),
    "remember": ("The gate code is 1299",),
    "edit": (ID, "--text", "The gate code is 1299"),
    "pin": (ID,),
    "tag": (ID, "--add", "gate"),
    "forget": (ID, "--yes"),
    "forget --query": ("--query", "gate code", "--yes"),
    "erase": ("--yes",),
    "runs": (),
    "run": (ID,),
    "undo": (ID,),
    "undo --dry-run": (ID, "--dry-run"),
    "restore": (ID, "1"),
    "export": (),
    "sleep": (),
    "sleep --dry-run": ("--dry-run",),
    "sleep review": (),
    "sleep report": (),
    "parked": (),
    "parked replay": (),
    "parked replay --accept": ("--accept",),
    "parked drop": ("--yes",),
}
#: Where lines name whose they are, the options are for those that do not.
DEFAULTING = {"publish", "ingest", "import"}
#: They say whose memories a key or a server opens, and touch none themselves.
GRANTING = {"key add", "mcp"}


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command that does something, with the words that name it."""
    if hasattr(command, "commands"):
        if command.invoke_without_command:
            yield " ".join(path), command
        for name, one in command.commands.items():
            yield from leaves(one, (*path, name))
    else:
        yield " ".join(path), command


def named(call: str) -> tuple[str, ...]:
    return tuple(word for word in call.split() if not word.startswith("-"))


@pytest.fixture
def embedding() -> tuple[str, int]:
    return HashedEmbedder().fingerprint, HashedEmbedder().dimensions


@pytest.fixture
def cli(
    store: Store,
    store_url: str,
    redis_client: Redis,
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Cli:
    monkeypatch.chdir(tmp_path)
    settings = {"REDIS_URL": redis_url, "STORE_URL": store_url, "DATA_DIR": str(tmp_path)}
    settings |= {"EMBEDDER": "hash", "MODEL": "rules", "MODEL_PATIENCE_SECONDS": "0"}
    return Cli(
        tmp_path,
        {f"SLOWWAVE_{name}": value for name, value in settings.items()} | {"COLUMNS": "200"},
    )


@dataclass(frozen=True)
class Owner:
    """Somebody whose memory commands are asked about."""

    cli: Cli
    scope: Scope

    def __call__(self, *arguments: str) -> Any:
        return self.cli(*arguments, "--app", self.scope.app, "--user", self.scope.user)

    def ids(self) -> list[str]:
        return [line["id"] for line in self("memories", "--json").lines]

    def run(self) -> str:
        return cast("str", self("runs", "--json").lines[0]["id"])

    def everything(self) -> tuple[str, ...]:
        """What is listed, its history, and the runs."""
        histories = [self("history", one, "--json").out for one in self.ids()]
        return self("memories", "--json").out, self("runs", "--json").out, *histories


@pytest.fixture
def owner(cli: Cli, scope: Scope) -> Owner:
    """Who knows a code in its second version, and something else."""
    made = Owner(cli, scope)
    made("remember", "The gate code is 4417", "--as-is")
    (code,) = made.ids()
    assert made("edit", code, "--text", "The gate code is 4418").status == 0
    made("remember", "Keeps two greyhounds", "--as-is")
    return made


def test_every_command_that_takes_an_owner_is_tried_here() -> None:
    found = {
        name
        for name, command in leaves(typer.main.get_command(app))
        if {"app", "user"} & {param.name for param in command.params}
    }

    assert found == {" ".join(named(call)) for call in CALLS} | DEFAULTING | GRANTING


NOBODY = {
    "no app": ("--user", "u"),
    "no user": ("--app", "a"),
    "an empty app": ("--app", "", "--user", "u"),
    "an empty user": ("--app", "a", "--user", ""),
    "a blank app": ("--app", " \t", "--user", "u"),
    "a blank user": ("--app", "a", "--user", "  "),
    "a control in it": ("--app", "a", "--user", "u\x1bv"),
}


@pytest.fixture(scope="session")
def nowhere(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """With neither a queue nor a store: what gets as far as those has not been refused."""
    folder = tmp_path_factory.mktemp("nowhere")
    settings = {"REDIS_URL": "redis://127.0.0.1:1", "STORE_URL": f"sqlite:///{folder}/no/such.db"}
    settings |= {"EMBEDDER": "hash", "MODEL": "rules", "DATA_DIR": str(folder)}
    return Cli(folder, {f"SLOWWAVE_{name}": value for name, value in settings.items()})


@pytest.mark.parametrize("whose", [*NOBODY.values()], ids=[*NOBODY])
@pytest.mark.parametrize("call", [*CALLS])
def test_nobody_gets_no_answer(
    nowhere: Cli, redis_url: str, call: str, whose: tuple[str, ...]
) -> None:
    if (call, whose) == ("export", NOBODY["no user"]):
        whose = ("--app", "")  # an app alone is an answer
    # Only these look at the queue first.
    queue = {"SLOWWAVE_REDIS_URL": redis_url} if call.startswith("parked") else {}
    told = nowhere(*named(call), *CALLS[call], *whose, **queue)

    assert (told.status, told.out) == (2, "")
    assert "--app" in told.err or "--user" in told.err


@pytest.mark.parametrize("whose", [("--app", "", "--user", ""), ("--app", "a", "--user", " ")])
def test_an_export_for_an_empty_name_is_nobodys_not_everybodys(
    owner: Owner, whose: tuple[str, ...]
) -> None:
    mine = ("--app", owner.scope.app)
    for asked in (whose, (*mine, "--user", ""), ("--app", ""), ("--user", "")):
        told = owner.cli("export", *asked)
        assert (told.status, told.out) == (2, "") or "4418" not in told.out
    assert "4418" in owner.cli("export", *mine).out


@pytest.mark.parametrize("blank", ["", "   "])
def test_lines_of_nobody_are_refused_line_by_line(cli: Cli, blank: str) -> None:
    line = {"role": "user", "text": "The gate code is 4417"}
    for command in ("publish", "ingest", "import"):
        file = cli.write(line, {**line, "app": "a"}, {**line, "user": "u"})
        once = ("--once",) if command == "ingest" else ()
        told = cli(command, file, "--app", blank, "--user", blank, *once)
        assert told.status != 0, command
    assert cli("status", "--json").document["pending_turns"] == 0


NOT_HERE = re.compile(r"(is not found|does not stand) in this scope")
FOREIGN = {
    "history": ("history",),
    "edit": ("edit", "--text", "The gate code is 1"),
    "pin": ("pin",),
    "tag": ("tag", "--add", "mine"),
    "forget": ("forget", "--yes"),
    "restore": ("restore", "1"),
    "remember": ("remember", "The gate code is 1", "--supersedes"),
}


@pytest.mark.parametrize("other", ["the same user elsewhere", "another user here"])
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "digits"])
def test_a_memory_of_somebody_else_is_not_found_by_any_command(
    owner: Owner, other: str, *, whole: bool
) -> None:
    app_name, user = owner.scope.app, owner.scope.user
    scope = Scope(app=f"{app_name}2", user=user)
    if other == "another user here":
        scope = Scope(app=app_name, user=f"{user}2")
    stranger = Owner(owner.cli, scope)
    stranger("remember", "Knows nobody here", "--as-is")
    before, theirs = owner.everything(), stranger.everything()
    for id in owner.ids():
        given = id if whole else id[:12]
        for name, (command, *rest) in FOREIGN.items():
            at_end = name == "remember"
            told = stranger(command, *rest, given) if at_end else stranger(command, given, *rest)
            assert told.status in {1, 2}, name
            assert NOT_HERE.search(told.err), (name, told.err)
            assert "44" not in told.out, name

    assert owner.everything() == before
    assert stranger.everything() == theirs


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "digits"])
def test_a_run_of_somebody_else_is_not_found_by_any_command(owner: Owner, *, whole: bool) -> None:
    stranger = Owner(owner.cli, Scope(app=f"{owner.scope.app}2", user=owner.scope.user))
    stranger("remember", "Knows nobody here", "--as-is")
    before, run = owner.everything(), owner.run()
    given = run if whole else run[:12]
    for command in (("run", given), ("undo", given), ("undo", given, "--dry-run")):
        told = stranger(*command)
        assert told.status == 1
        assert told.out == ""
        assert NOT_HERE.search(told.err)

    assert owner.everything() == before


def test_what_one_forgets_or_erases_stays_with_the_other(owner: Owner) -> None:
    stranger = Owner(owner.cli, Scope(app=f"{owner.scope.app}2", user=owner.scope.user))
    stranger("remember", "The gate code is 4418", "--as-is")
    before = owner.everything()
    assert set(stranger.ids()).isdisjoint(owner.ids())
    assert stranger("forget", "--query", "gate code", "--yes").status == 0
    assert stranger.ids() == []
    stranger("remember", "The gate code is 4418", "--as-is")
    assert stranger("erase", "--yes").status == 0
    assert stranger.ids() == []

    assert owner.everything() == before
