"""How tokens are counted: estimated, or exactly with a vocabulary from the optional package `quicktok-v1`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from schemas.tokens import estimate
from worker.errors import Misconfigured

#: Setting → the package's name for it.
VOCABULARIES = {
    "cl100k": "cl100k_base",
    "o200k": "o200k_base",
    "llama3": "llama3",
    "qwen3": "qwen3",
}


def token_counter(name: str) -> Callable[[str], int]:
    """Counts the tokens of a text; `estimate`, or one of `VOCABULARIES`, which takes up to a second to load.

    Nothing is fetched. Raises `Misconfigured` where the package is missing.
    """
    if name == "estimate":
        return estimate
    try:
        vocabulary = import_module("quicktok").get_encoding(VOCABULARIES[name])
    except (ImportError, OSError, RuntimeError) as error:
        raise Misconfigured(
            f"SLOWWAVE_TOKENIZER={name} cannot be loaded ({error}): install slowwave[tokens], or set it to"
            " `estimate`"
        ) from error
    return lambda text: _count(vocabulary, text)


def _count(vocabulary: Any, text: str) -> int:
    return int(vocabulary.count(text))
