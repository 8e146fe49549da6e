"""What a model is told for each job: the same bytes each time, so that providers cache them."""

from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from schemas.tokens import estimate
from worker.errors import Misconfigured

#: Most tokens of a job's instructions, as estimated.
MOST_TOKENS = 1_500
ENDING = ".md"
#: What an operator adds stands under this. It comes last, so that all apps share the cached beginning.
ADDED = "\n\nFrom the operator of this app: what to remember and what never to. All of the above still holds.\n\n"


class Prompts:
    """The instructions of each job: one Markdown file, ours or the one of that name in a folder.

    All are read here, once. Raises `Misconfigured` for a folder that cannot be read or holds anything but
    `<job>.md` in UTF-8 of at most `MOST_TOKENS`; names that begin with a dot do not count.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._texts = {
            path.name.removesuffix(ENDING): path.read_text(encoding="utf-8")
            for path in files("worker.prompts").iterdir()
            if path.name.endswith(ENDING)
        }
        #: Jobs whose instructions are the operator's.
        self.replaced: tuple[str, ...] = ()
        if folder is not None:
            theirs = _listed(folder.expanduser())
            self.refuse_unknown("SLOWWAVE_PROMPTS_DIR", [path.name for path in theirs], ENDING)
            self._texts |= {path.stem: _read(path) for path in theirs}
            self.replaced = tuple(path.stem for path in theirs)

    def refuse_unknown(self, setting: str, names: Iterable[str], ending: str = "") -> None:
        """Raises `Misconfigured` where one of these is no job with this ending, and names the jobs."""
        known = {f"{job}{ending}" for job in self.jobs}
        if unknown := sorted(set(names) - known):
            raise Misconfigured(
                f"{setting} has {', '.join(unknown)}, and no job of a model is called so: the names are"
                f" {', '.join(sorted(known))}"
            )

    @property
    def jobs(self) -> frozenset[str]:
        return frozenset(self._texts)

    def instructions(self, job: str) -> str:
        """Raises `KeyError` for a job without any."""
        return self._texts[job]

    def fingerprint(self, job: str, addition: str = "") -> str:
        """SHA-256 of what the model is told for the job, for the run record."""
        return sha256(self.system(job, addition).encode()).hexdigest()

    def system(self, job: str, addition: str = "") -> str:
        """The whole system message: the instructions, then what an operator adds."""
        told = self.instructions(job)
        return f"{told.rstrip()}{ADDED}{addition}\n" if addition else told


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise Misconfigured(
            f"SLOWWAVE_PROMPTS_DIR {folder} cannot be read ({error.strerror}): name a folder of files <job>{ENDING}"
        ) from error


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise Misconfigured(
            f"the prompt {path} cannot be read ({why}): mend or remove it"
        ) from error
    if not 0 < (tokens := estimate(text)) <= MOST_TOKENS:
        raise Misconfigured(
            f"the prompt {path} has {tokens:,} tokens as estimated: write 1 to {MOST_TOKENS:,}"
        )
    return text
