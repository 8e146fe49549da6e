"""What is run, in which size, and which row of docs/design.md §12 it answers. A value.

Words in braces stand for what the machine has: see `bench.all.needs`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Size = Literal["small", "usual", "long"]
SIZES: tuple[Size, ...] = ("small", "usual", "long")


@dataclass(frozen=True)
class Scale:
    """One size of a bench."""

    arguments: str
    #: About how long it takes on two cores.
    seconds: float


@dataclass(frozen=True)
class Entry:
    """One bench of the whole."""

    name: str
    about: str
    #: A larger size is left out where it is the same as the one before.
    scales: Mapping[Size, Scale]
    #: What it cannot do without.
    needs: Sequence[str] = ()
    #: What makes it do more → the arguments that say so.
    gains: Mapping[str, str] = field(default_factory=dict)
    #: The least size of which §12 speaks.
    asked: Size = "small"
    #: Counts that have to be 0, by the names of its figures.
    zero: frozenset[str] = frozenset()
    #: Figures that are told, where a bench tells many; empty for all.
    told: tuple[str, ...] = ()
    #: False where it comes to the same each time.
    varies: bool = True
    #: As it is called, where that is not the entry's name.
    of: str = ""

    @property
    def bench(self) -> str:
        return self.of or self.name

    def scale(self, size: Size) -> Scale:
        """The size that was asked for, or the largest below it."""
        there = [self.scales[one] for one in SIZES[: SIZES.index(size) + 1] if one in self.scales]
        return there[-1]

    def is_whole(self, size: Size) -> bool:
        """Whether a size is what §12 asks about."""
        return SIZES.index(size) >= SIZES.index(self.asked)


@dataclass(frozen=True)
class Row:
    """A row of §12: how its first cell begins, what is run for it, and the figures that answer it, a pattern."""

    what: str
    entries: Sequence[str]
    #: Only those with something to reach; all where it is empty.
    figures: str = ""


def _sizes(**scales: tuple[str, float]) -> dict[Size, Scale]:
    return {size: Scale(*scales[size]) for size in SIZES if size in scales}


LOCOMO = "--data {data}/locomo10.json"
PROMPTS = "instruction|token|prompt|field"

#: In the order in which they are run: what has to be reached first.
ENTRIES: Sequence[Entry] = (
    Entry(
        "publish",
        "what publishing costs, beside RPUSH and Celery",
        _sizes(small=("--turns 4000", 10), usual=("", 25), long=("--turns 100000", 120)),
    ),
    Entry(
        "calls",
        "model calls of a batch, and tokens of each prompt",
        _sizes(small=("--facts 1 10 50 --memories 0 8", 20), usual=("", 40)),
        varies=False,
    ),
    Entry(
        "batch",
        "own time of a batch beside the bare calls that it needs",
        _sizes(
            small=("--memories 1000", 30),
            usual=("--memories 1000 --memories 10000", 90),
        ),
        gains={"weaviate": "--store both"},
    ),
    Entry(
        "waiting",
        "how much of a slow model's time is used, by 1, 2 and 4 processes",
        _sizes(small=("--seconds 3", 45), usual=("", 70), long=("--seconds 30", 150)),
    ),
    Entry(
        "recall",
        "how long recall takes beside the store's own hybrid query",
        _sizes(
            small=("--sizes 1000 --seconds 1", 35),
            usual=("--seconds 4", 120),
            long=("--seconds 10", 300),
        ),
        gains={
            "weaviate": "--store sqlite --store weaviate",
            "mem0": "--peer {mem0}",
        },
        asked="usual",
    ),
    Entry(
        "claim",
        "what a claim costs, by scopes in the line",
        _sizes(
            small=("--scopes 50000 --claims 1000", 15),
            usual=("", 110),
        ),
        asked="usual",
    ),
    Entry(
        "sleep",
        "what a night makes of repeats, contradictions and look-alikes",
        _sizes(
            small=(f"{LOCOMO} --part tidy --memories 500 --mode oracle --mode rules", 25),
            usual=(f"{LOCOMO} --mode oracle --sizes 500 2000", 240),
            long=(LOCOMO, 1200),
        ),
        needs=("locomo",),
        asked="long",
        varies=False,
    ),
    Entry(
        "sleep-overlap",
        "the same under a judge that goes by shared words",
        _sizes(
            small=(f"{LOCOMO} --tools {{tools}} --mode overlap --part tidy --memories 500", 40),
            long=(f"{LOCOMO} --tools {{tools}} --mode overlap --part tidy", 300),
        ),
        needs=("locomo", "tools"),
        asked="long",
        varies=False,
        of="sleep",
    ),
    Entry(
        "quality",
        "how true the store is to what was said, without a model",
        _sizes(
            small=("--sets made --seed 1 --limit 1", 12),
            usual=("--sets made --seed 1", 60),
            long=("--sets made", 200),
        ),
        told=("slots_right", "things_right", "duplicates", "stale", "lost", "wrongly_retired"),
        varies=False,
    ),
    Entry(
        "quality-stand-in",
        "the same on FactConsolidation, with a stand-in that judges by shared words",
        _sizes(
            small=("--sets fc-6k --limit 100 --verbatim {fc} {stand_in}", 40),
            usual=("--sets fc-6k --verbatim {fc} {stand_in}", 120),
        ),
        needs=("locomo", "tools", "factconsolidation"),
        gains={"neatmem": "--peer neatmem"},
        told=("slots_right", "things_right", "duplicates", "stale", "lost", "wrongly_retired"),
        varies=False,
        of="quality",
    ),
    Entry("start", "how soon `slowwave demo` shows something useful", _sizes(small=("", 25))),
    Entry(
        "adding",
        "what adding a conversation costs, beside NeatMem and mem0 on the same facts",
        _sizes(
            small=(f"{LOCOMO} --tools {{tools}} --sessions 4", 40),
            usual=(f"{LOCOMO} --tools {{tools}}", 150),
            long=(f"{LOCOMO} --tools {{tools}} --conversation conv-26 --conversation conv-30", 260),
        ),
        needs=("locomo", "tools"),
        gains={"neatmem": "", "mem0": ""},
    ),
    Entry(
        "torture",
        "workers and Redis are killed over and over: what is lost or done twice",
        _sizes(
            small=("--seconds 20 --turns 800", 50),
            usual=("", 200),
            long=("--seconds 600 --turns 30000", 800),
        ),
        zero=frozenset(("lost", "unlearned", "twice", "out_of_order", "overlapping", "waiting")),
        varies=False,
    ),
    Entry(
        "hostile",
        "a judge whose replies cannot be trusted: what breaks",
        _sizes(
            small=("--replies 500", 5),
            usual=("--replies 2000", 50),
            long=("--replies 20000", 500),
        ),
        zero=frozenset(("broken",)),
        varies=False,
    ),
    Entry(
        "everything",
        "everything in any order: do all promises hold after each step",
        _sizes(small=("--steps 400", 10), usual=("", 120), long=("--steps 20000", 1000)),
        told=("steps",),
        varies=False,
    ),
    Entry(
        "nights",
        "what many nights change, and whether the order of arrival matters",
        _sizes(
            small=("--seed 1 --limit 1 --nights 2 --shuffles 1", 50),
            usual=("--seed 1", 300),
            long=("", 900),
        ),
        zero=frozenset(("live_differs", "history_differs")),
        varies=False,
    ),
    Entry(
        "judge",
        "how accurate the rules are as a judge, and what their errors do",
        _sizes(small=("--limit 100", 10), usual=("", 40)),
        varies=False,
    ),
    Entry(
        "model",
        "small conversations of ours that the rules get right",
        _sizes(small=("--each 2", 12), usual=("", 60)),
        varies=False,
    ),
    Entry(
        "retrieval",
        "how often recall finds what answers",
        _sizes(
            small=(f"{LOCOMO} --part ways --conversations 1", 40),
            usual=(f"{LOCOMO} --part ways", 150),
            long=(LOCOMO, 900),
        ),
        needs=("locomo",),
        varies=False,
    ),
    Entry(
        "forgetting",
        "what is left of what people asked to forget",
        _sizes(
            small=("--data {data}/gatemem --episodes 1", 60),
            usual=("--data {data}/gatemem --episodes 4", 240),
            long=("--data {data}/gatemem", 1500),
        ),
        needs=("gatemem",),
        varies=False,
    ),
    Entry(
        "erasure",
        "what is left of erased words in the bytes of every file",
        _sizes(small=("--store sqlite", 20)),
        gains={"weaviate": "--store weaviate"},
        varies=False,
    ),
    Entry(
        "fairness",
        "how long quiet users wait beside a very noisy one",
        _sizes(
            small=("--noisy 2000 --quiet 20", 25),
            usual=("", 60),
        ),
    ),
    Entry("http", "publishing over HTTP, beside a bare route", _sizes(small=("", 60))),
    Entry(
        "scopes",
        "what very many scopes cost a Weaviate server",
        _sizes(small=("--scopes 200 --active 50", 30), usual=("", 90), long=("--scopes 5000", 400)),
        needs=("weaviate",),
        varies=False,
    ),
)

#: In the order of §12.
ROWS: Sequence[Row] = (
    Row("publish, the Redis call", ("publish",), "."),
    Row("model calls per unsplit batch", ("calls",), rf"^(?!.*(?:{PROMPTS}))"),
    Row("instructions per call", ("calls",), PROMPTS),
    Row("own time per 10-turn batch", ("batch",), "."),
    Row("waiting on a 300 ms model", ("waiting",), "one process"),
    Row("two, four processes", ("waiting",), "processes / 1"),
    Row("recall, embedding apart", ("recall",), "."),
    Row("a million scopes with turns waiting", ("claim",), "."),
    Row("sleep", ("sleep", "sleep-overlap"), "."),
    Row("the store", ("quality", "quality-stand-in")),
    Row("start", ("start",), "."),
)
