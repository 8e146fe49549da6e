"""Virtual environments of other systems, one each, so that none of their packages meets ours."""

import subprocess
import sys
from pathlib import Path

from deploy.weaviate_server import cache_folder

#: Name → what pip installs.
PACKAGES = {"neatmem": ("neatmem==0.8.3",), "mem0": ("mem0ai==2.2.1",)}


class Missing(Exception):
    """A peer is not installed; the message says how it is."""


def python_of(name: str) -> Path:
    """Its interpreter. Raises `Missing`."""
    python = _home(name) / "bin" / "python"
    if not _mark(name).exists():
        raise Missing(f"{name} is not installed: `python -m bench peers` installs it for itself")
    return python


def install(name: str) -> Path:
    """Makes its environment where there is none. Raises `Missing` where the packages are not to be had."""
    home = _home(name)
    if not _mark(name).exists():
        for command in (
            [sys.executable, "-m", "venv", "--clear", str(home)],
            [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *PACKAGES[name]],
        ):
            done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - our own words
            if done.returncode:
                said = done.stderr.strip().splitlines()[-1:]
                raise Missing(f"{name} cannot be installed: {' '.join(said)}")
        _mark(name).touch()
    return python_of(name)


def _home(name: str) -> Path:
    return cache_folder().parent / "peers" / "-".join(PACKAGES[name]).replace("==", "-")


def _mark(name: str) -> Path:
    """Only there once all was installed."""
    return _home(name) / ".installed"
