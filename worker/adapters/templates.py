"""The words of a block: ours, or those of a file."""

from importlib.resources import files
from pathlib import Path

from worker.core.recalling.template import Template, template_of
from worker.errors import Misconfigured

OURS = "block.toml"


def open_template(path: Path | None = None) -> Template:
    """Raises `Misconfigured` naming the file and what is wrong in it."""
    if path is None:
        return template_of(files("worker.prompts").joinpath(OURS).read_text(encoding="utf-8"))
    try:
        return template_of(path.expanduser().read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise Misconfigured(
            f"SLOWWAVE_RECALL_TEMPLATE {path} cannot be read ({error.strerror}): name a file like {OURS}"
        ) from error
    except ValueError as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise Misconfigured(f"SLOWWAVE_RECALL_TEMPLATE {path}: {why}") from error
