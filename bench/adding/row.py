"""What one system made of one conversation, told once and told again. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.adding.talk import Talk
from bench.figures import percentile
from bench.stand_in import Counts
from worker.core.texts.words import normalised


@dataclass(frozen=True)
class Delivered:
    """What came of handing over all batches once."""

    #: Of each batch, from handing it over until it is stored.
    seconds: Sequence[float]
    #: All that is stored then.
    texts: Sequence[str]
    #: Null where a system has no such thing.
    archived: int | None = None
    flagged: int | None = None

    @property
    def copies(self) -> int:
        """How many more there are than different ones."""
        return len(self.texts) - len({normalised(text) for text in self.texts})


@dataclass(frozen=True)
class Row:
    """`again_…` is after the same conversation was delivered a second time."""

    system: str
    way: str
    conversation: str
    turns: int
    batches: int
    #: Own time of a batch by that of our usual way, p50.
    times_ours: float | None
    calls_per_batch: float
    tokens_per_batch: int
    embedding_calls_per_batch: float
    ms_p50: float
    ms_p99: float
    turns_per_second: float
    stored: int
    copies: int
    archived: int | None
    flagged: int | None
    again_calls: int
    again_stored: int
    again_copies: int


def row_of(
    who: tuple[str, str],
    talk: Talk,
    first: tuple[Delivered, Counts],
    again: tuple[Delivered, Counts],
) -> Row:
    """`who` is the system and its way."""
    (once, cost), (twice, more) = first, again
    batches = len(talk.batches)
    return Row(
        *who,
        conversation=talk.name,
        turns=talk.turns,
        batches=batches,
        times_ours=None,
        calls_per_batch=round(sum(cost.calls.values()) / batches, 2),
        tokens_per_batch=round(cost.tokens / batches),
        embedding_calls_per_batch=round(cost.embeddings / batches, 2),
        ms_p50=round(1000 * percentile(once.seconds, 0.5), 1),
        ms_p99=round(1000 * percentile(once.seconds, 0.99), 1),
        turns_per_second=round(talk.turns / sum(once.seconds), 1),
        stored=len(once.texts),
        copies=once.copies,
        archived=once.archived,
        flagged=once.flagged,
        again_calls=sum(more.calls.values()),
        again_stored=len(twice.texts),
        again_copies=twice.copies,
    )


def beside(rows: Sequence[Row], usual: tuple[str, str]) -> list[Row]:
    """Each with its time by that of `usual`, a system and its way, on the same conversation."""
    base = {row.conversation: row.ms_p50 for row in rows if (row.system, row.way) == usual}
    return [
        replace(row, times_ours=round(row.ms_p50 / base[row.conversation], 2))
        if base.get(row.conversation)
        else row
        for row in rows
    ]
