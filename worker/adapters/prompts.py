"""The instructions of each job, as they lie in the package: the same bytes each time, so providers cache them."""

from functools import cache
from hashlib import sha256
from importlib.resources import files


@cache
def instructions(job: str) -> str:
    """The Markdown file of the job. Raises `FileNotFoundError` for a job without one."""
    return files("worker.prompts").joinpath(f"{job}.md").read_text(encoding="utf-8")


def fingerprint(job: str) -> str:
    """SHA-256 of the job's instructions, for the run record."""
    return sha256(instructions(job).encode()).hexdigest()
