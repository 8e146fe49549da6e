"""What the rules make of streams whose truth is known, and what recall finds in a planted scope; seeds are fixed.

These are bounds, not goals: `python -m bench quality` and `python -m bench retrieval` tell how good a store is.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from bench.model.trial import opened
from bench.quality.hearing import Cached
from bench.quality.making import streams
from bench.quality.match import Set, played
from bench.quality.slowwave import Slowwave
from bench.retrieval.marks import PAGE, Mark
from bench.retrieval.planted import State, standing
from tests.guard.agreed import Counts, agree
from worker.core.recalling.ask import Ask
from worker.settings import Settings

#: Marks of four people, two of whom speak English, by seed. What the rules do not take for a request to forget leaks.
STORES: dict[int, Counts] = {
    1: {
        "slots_right": range(7, 22),
        "things_right": range(20, 44),
        "duplicates": range(8),
        "stale": range(6),
        "history_missing": range(9),
        "leaks": 0,
    },
    2: {
        "slots_right": range(6, 21),
        "things_right": range(20, 44),
        "duplicates": range(7),
        "stale": range(10),
        "history_missing": range(13),
        "leaks": 0,
    },
}
#: What may be another number because extraction, or the stream, is another.
UNBOUNDED = {
    *("turns", "facts", "slots", "slots_heard", "things", "things_heard", "details", "live"),
    *("past", "forbidden", "forgotten"),
}
#: Of nine questions about a scope of sixty memories: how many are found on the first page and in the first place, how
#: many answers begin with what is over, and how many things are told twice, in all.
ANSWERS: dict[State, Counts] = {
    "as said": {
        "asked": 9,
        "on the first page": 9,
        "first": range(2, 10),
        "stale first": range(4),
        "copies": range(12),
    },
    "linked": {
        "asked": 9,
        "on the first page": 9,
        "first": range(5, 10),
        "copies": range(12),
    },
}


@pytest.mark.parametrize("seed", STORES)
def test_the_rules_make_a_store(seed: int) -> None:
    of = Set("made", streams(seed, 4), seed)
    with opened(Settings(model="rules", embedder="hash", _env_file=None)) as trial:
        who = Slowwave(trial, "batchwise", "rewrite", Cached(trial.parts.embedder))
        (row,), _ = played(of, who, {})

    found = {name: count for name, count in asdict(row.marks).items() if name not in UNBOUNDED}
    agree(f"seed {seed}", found | {"parked": row.parked}, STORES[seed], f"STORES[{seed}]", __file__)


@pytest.mark.parametrize("state", ANSWERS)
def test_recall_finds_what_was_planted(state: State, tmp_path: Path) -> None:
    planted = standing(
        state, [observed()], tmp_path, memories=60, seed=1, embedder="hash", vectors={}
    )
    with planted as scope:
        found = counted(scope.marks(Ask()))

    agree(state, found, ANSWERS[state], f"ANSWERS[{state!r}]", __file__)


def counted(marks: list[Mark]) -> dict[str, int]:
    return {
        "asked": len(marks),
        "on the first page": sum(one.rank is not None and one.rank <= PAGE for one in marks),
        "first": sum(one.rank == 1 for one in marks),
        "stale first": sum(one.stale for one in marks),
        "copies": sum(one.copies for one in marks),
    }


def observed() -> dict[str, Any]:
    """Two people and what they bought, in the shape of the data set."""
    things = "canoe harbour violin walnut barometer quilt lantern orchard kettle saddle telescope mosaic".split()
    bought = [(n, at, thing) for n in (1, 2) for at, thing in enumerate(things)]
    return {
        "sample_id": "s1",
        "conversation": {f"session_{n}_date_time": f"1:56 pm on {n} May, 2023" for n in (1, 2)},
        "observation": {
            f"session_{n}_observation": {
                who: [
                    [f"{who} bought a {thing} in May {of}{at}.", f"D{of}:{at}"]
                    for of, at, thing in bought
                    if of == n
                ]
                for who in ("Ann", "Bo")
            }
            for n in (1, 2)
        },
        "qa": [
            {"question": f"What {thing} was bought?", "evidence": [f"D{of}:{at}"], "category": 4}
            for of, at, thing in bought
        ],
    }
