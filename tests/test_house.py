"""What stands around the code is true: wheel, lock, Makefile, README, the files for deployment."""

import ast
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis

from deploy.weaviate_server import VERSION
from worker.settings import Settings

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = ("requirements.lock", "deploy/requirements.lock")
VARIABLE = re.compile(r"SLOWWAVE_[A-Z_]+[A-Z]")


#: Parts of a package that come with it.
SAME = {"pydantic-core": "pydantic"}


def imports(package: str) -> set[str]:
    """Distributions whose modules a package of ours imports."""
    trees = [ast.parse(path.read_text()) for path in (ROOT / package).rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {n.name for node in nodes if isinstance(node, ast.Import) for n in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    owners = packages_distributions()
    found = {canonical(o) for name in names for o in owners.get(name.partition(".")[0], ())}
    return {SAME.get(name, name) for name in found} - {PROJECT["project"]["name"]}


def canonical(requirement: str) -> str:
    """A package's name as PEP 503 compares it."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def pins(lock: str) -> dict[str, set[str]]:
    """Package → its pinned versions with their hashes, each as one line."""
    found: dict[str, set[str]] = {}
    for entry in (ROOT / lock).read_text().replace("\\\n", " ").splitlines():
        found.setdefault(canonical(entry), set()).add(" ".join(entry.split()))
    return found


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def dockerfile() -> list[tuple[str, str]]:
    """Instruction and argument of each line."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*build, str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    wheel = next(tmp_path.glob("*.whl"))
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in ("schemas", "producers", "worker")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert packed == expected


def test_a_producer_needs_nothing_of_the_worker() -> None:
    modules = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "producers").glob("*.py")
        if not path.stem.startswith("__")
    )
    script = f"import sys, {', '.join(modules)}; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}

    assert modules
    assert loaded.isdisjoint({"worker", "celery", "weaviate", "openai", "numpy", "typer"})
    assert {canonical(needed) for needed in PROJECT["project"]["dependencies"]} == {
        "pydantic",
        "redis",
    }


def test_what_is_imported_is_asked_for() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    base = {canonical(needed) for needed in PROJECT["project"]["dependencies"]}
    worker = {canonical(needed) for needed in [*extras["worker"], *extras["local"]]}

    assert imports("schemas") | imports("producers") <= base
    interfaces = {
        canonical(needed) for needed in [*extras["http"], *extras["mcp"], *extras["langchain"]]
    }
    assert imports("worker") <= base | worker | interfaces


@pytest.mark.parametrize("lock", [*LOCKS, ".ci/go.lock"])
def test_the_lock_has_hashes_and_names_no_place(lock: str) -> None:
    text = (ROOT / lock).read_text()

    assert all("--hash=sha256:" in entry for entries in pins(lock).values() for entry in entries)
    assert not re.search(
        r"://|^\s*-[a-z-]*(?:index|find-links)|file:|/home/|/root/", text, re.MULTILINE
    )


def test_the_lock_holds_what_the_project_asks_for() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    build = PROJECT["dependency-groups"]["build"]
    run = [*PROJECT["project"]["dependencies"], *extras["worker"], *extras["local"], *build]

    assert {canonical(needed) for needed in [*run, *extras["dev"]]} <= pins(LOCKS[0]).keys()
    assert {canonical(needed) for needed in run} <= pins(LOCKS[1]).keys()
    assert pins(LOCKS[1]).keys().isdisjoint({"mypy", "pytest", "ruff", "uv"})


def test_the_image_runs_the_very_versions_that_were_tested() -> None:
    tested = pins(LOCKS[0])

    assert {name: tested.get(name) for name in pins(LOCKS[1])} == pins(LOCKS[1])


def test_every_make_target_that_is_written_about_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".ci" / "run"]
    named = {
        name
        for page in pages
        for name in re.findall(r"(?:^|`)(?:\w+=\S+ )*make ([a-z]+)", page.read_text(), re.MULTILINE)
    }

    assert {"demo", "test", "lint"} <= named <= targets


def test_make_alone_lists_the_targets() -> None:
    done = subprocess.run(["make"], cwd=ROOT, check=True, capture_output=True, text=True)

    assert {"demo", "test", "lint", "bench", "help"} <= set(
        re.findall(r"^  make (\w+) +\w", done.stdout, re.MULTILINE)
    )


def test_an_old_python_is_refused_with_the_remedy(tmp_path: Path) -> None:
    old = tmp_path / "python"
    pretend = "import sys; sys.version_info = (3, 10, 9); exec(sys.argv[1])"
    old.write_text(
        f"#!/bin/sh\n[ $1 = -V ] && echo Python 3.10.9 && exit\n"
        f"exec {sys.executable} -c '{pretend}' \"$2\"\n"
    )
    old.chmod(0o755)
    command = ["make", "demo", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr
    assert "Python 3.10.9" in done.stderr
    assert "make PYTHON=" in done.stderr


def test_the_example_of_the_readme_works(redis_client: Redis, redis_url: str) -> None:
    redis_client.ping()
    example, *_ = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    script = example.replace("redis://localhost:6379/0", redis_url)
    script += "print(*(answer.status for answer in answers))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    )

    assert done.stdout.split() == ["accepted"] * 3


def test_links_between_the_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    dead = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        if not (page.parent / link).exists()
    ]

    assert not dead


def test_files_that_are_written_about_exist() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    path = re.compile(r"`((?:bench|deploy|docs|producers|schemas|tests|worker)/[\w./-]+)`")
    gone = [
        f"{page.name}: {name}"
        for page in pages
        for name in path.findall(page.read_text())
        if not (ROOT / name).exists()
    ]

    assert not gone


def test_only_real_settings_are_written_about() -> None:
    known = {
        *(f"SLOWWAVE_{name.upper()}" for name in Settings.model_fields),
        *("SLOWWAVE_WEAVIATE_BIN",),
    }
    pages = [ROOT / "README.md", DEPLOY / "compose.yaml", DEPLOY / "Dockerfile"]
    named = {name for page in pages for name in VARIABLE.findall(page.read_text())}

    assert named
    assert named <= known


@pytest.mark.parametrize("page", [ROOT / "README.md", DEPLOY / "compose.yaml"])
def test_where_the_default_embedder_does_not_run_it_is_said_what_does(page: Path) -> None:
    default = Settings.model_fields["embedder"].default
    (needed,) = [
        one
        for one in PROJECT["project"]["optional-dependencies"]["local"]
        if canonical(one) == default
    ]
    machine = re.search(r"platform_machine == '(\w+)'", needed)
    text = " ".join(page.read_text().replace("#", " ").split())

    assert machine
    assert re.search(rf"{default}.{{0,40}}Linux on {machine[1]}", text)
    assert "SLOWWAVE_EMBEDDER_URL" in text
    assert "`hash`" in text or "SLOWWAVE_EMBEDDER=hash" in text


def test_redis_is_told_to_keep_what_it_accepted() -> None:
    command = compose()["services"]["redis"]["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))

    assert options == {
        "--appendonly": "yes",
        "--appendfsync": "everysec",
        "--maxmemory-policy": "noeviction",
    }


def test_weaviate_is_the_version_that_was_tested_and_keeps_its_name_and_data() -> None:
    service = compose()["services"]["weaviate"]
    environment = service["environment"]

    assert service["image"] == f"semitechnologies/weaviate:{VERSION}"
    assert environment["AUTOSCHEMA_ENABLED"] == "false"
    assert environment["ASYNC_INDEXING"] == "false"
    assert environment["CLUSTER_HOSTNAME"]
    assert [mount.split(":")[1] for mount in service["volumes"]] == [
        environment["PERSISTENCE_DATA_PATH"]
    ]


def test_the_worker_waits_for_its_services_and_has_time_to_finish() -> None:
    worker = compose()["services"]["worker"]

    assert worker["depends_on"] == {
        name: {"condition": "service_healthy"} for name in ("redis", "weaviate")
    }
    assert worker["stop_grace_period"] == "60s"
    assert (DEPLOY / worker["build"]["context"] / worker["build"]["dockerfile"]).samefile(
        DEPLOY / "Dockerfile"
    )


def test_every_volume_and_dependency_of_the_compose_file_is_defined() -> None:
    loaded = compose()
    services = loaded["services"].values()
    mounted = {mount.split(":")[0] for service in services for mount in service.get("volumes", [])}
    awaited = {name for service in services for name in service.get("depends_on", {})}

    assert mounted == set(loaded["volumes"])
    assert awaited <= loaded["services"].keys()
    assert all("healthcheck" in loaded["services"][name] for name in awaited)


def test_services_are_reachable_from_this_machine_only() -> None:
    ports = [p for service in compose()["services"].values() for p in service.get("ports", [])]

    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_image_is_staged_pinned_and_not_run_by_root() -> None:
    lines = dockerfile()
    starts = [at for at, (word, _) in enumerate(lines) if word == "FROM"]
    last = lines[starts[-1] :]

    assert len(starts) > 1
    assert not [rest for word, rest in lines if word == "FROM" and rest.endswith(":latest")]
    assert [rest for word, rest in last if word == "USER"] == ["10001"]
    assert ("RUN", "python -m pip install --no-deps --no-build-isolation .") in lines
    assert [
        rest
        for word, rest in lines
        if word == "RUN" and "--require-hashes" in rest and "lock" in rest
    ]


def test_the_image_starts_the_command_of_the_project() -> None:
    lines = dict(dockerfile())

    assert ast.literal_eval(lines["ENTRYPOINT"]) == [*PROJECT["project"]["scripts"]]
    assert ast.literal_eval(lines["CMD"]) == ["worker"]


def test_what_the_image_copies_exists_and_is_sent_to_the_builder() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"}
    copied = [
        source
        for word, rest in dockerfile()
        if word == "COPY" and "--from=" not in rest
        for source in shlex.split(rest)[:-1]
    ]

    assert all((ROOT / source).exists() for source in copied)
    assert set(copied) == sent


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text()

    assert "\nmake test\n" in script
    assert "\nmake lint\n" in script
    assert "export CI=true" in script
    assert re.search(r"^make test ", (ROOT / "README.md").read_text(), re.MULTILINE)
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)
