"""Which fields the documents of each job may have, and which others some have. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from worker.core.step import Prompt

_SHOWN = frozenset("text subject said_at happened_at until".split())
#: As docs/design.md §5 has them: job → place in the document → its fields.
NEEDED: Mapping[str, Mapping[str, frozenset[str]]] = {
    "extraction": {
        "": frozenset({"context", "turns", "slots", "known"}),
        "context": frozenset("id conversation role speaker said_at text".split()),
        "turns": frozenset("id conversation role speaker said_at text".split()),
    },
    **{
        job: {
            "": frozenset({"facts", "candidates"}),
            "facts": _SHOWN | {"id", "kind", "candidates"},
            "candidates": _SHOWN | {"id", "after"},
        }
        for job in ("batchwise", "listwise")
    },
    "pair": {
        "": frozenset({"fact", "candidate"}),
        "fact": _SHOWN | {"kind"},
        "candidate": _SHOWN,
    },
    "merge": {
        "": frozenset({"relation", "texts", "newest"}),
        "texts": _SHOWN | {"id", "kind", "after"},
    },
    "reorganize": {
        "": frozenset({"memories"}),
        "memories": frozenset({"id", "text", "subject", "said_at"}),
    },
}


def beyond(prompts: Iterable[Prompt]) -> list[str]:
    """`job.place.field` of each that the job does not need, once."""
    return sorted({name for prompt in prompts for name in _beyond(prompt)})


def _beyond(prompt: Prompt) -> Iterator[str]:
    needed = NEEDED[prompt.job]
    yield from _others(prompt.job, prompt.document, needed[""])
    for place, value in prompt.document.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, Mapping):
                yield from _others(f"{prompt.job}.{place}", entry, needed.get(place, frozenset()))


def _others(where: str, entry: Mapping[str, Any], needed: frozenset[str]) -> Iterator[str]:
    return (f"{where}.{name}" for name in entry.keys() - needed)
