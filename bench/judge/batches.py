"""Several items put to a judge at once, as the facts of one batch; each is offered only what its own item offers it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.judge.items import Item
from worker.core.groups.judgment import Candidacy, Group, Groups, is_fact, ordinal


def batches(items: Sequence[Item], facts: int | None) -> list[list[Item]]:
    """Whole items up to so many facts, at least one item; null: each item is a batch.

    Taken from all over, so that those that are alike do not meet.
    """
    if facts is None:
        return [[item] for item in items]
    count = -(-sum(len(one.facts) for one in items) // facts)
    spread = [item for start in range(count) for item in items[start::count]]
    found: list[list[Item]] = []
    for item in spread:
        if found and sum(len(one.facts) for one in [*found[-1], item]) <= facts:
            found[-1].append(item)
        else:
            found.append([item])
    return found


@dataclass(frozen=True)
class Joint:
    """Candidacies of items side by side, under labels of the whole."""

    parts: tuple[Candidacy, ...]

    @property
    def whole(self) -> Candidacy:
        parts = self.parts
        return Candidacy(
            facts=tuple(fact for part in parts for fact in part.facts),
            vectors=tuple(vector for part in parts for vector in part.vectors),
            candidates=tuple(record for part in parts for record in part.candidates),
            offered=tuple(
                tuple(self._label(at, one) for one in offered)
                for at, part in enumerate(parts)
                for offered in part.offered
            ),
            cosines={
                (self._label(at, one), self._label(at, other)): cosine
                for at, part in enumerate(parts)
                for (one, other), cosine in part.cosines.items()
            },
            asked_at=max((part.asked_at for part in parts if part.asked_at), default=None),
        )

    def split(self, found: Groups) -> Iterator[Groups]:
        """The finding about each part, under its own labels; no group spans two."""
        for at, part in enumerate(self.parts):
            own = {self._label(at, one): one for one in (*part.fact_labels, *part.memory_labels)}
            yield Groups(
                groups=tuple(_renamed(one, own) for one in found.groups if one.members[0] in own),
                new=tuple(own[one] for one in found.new if one in own),
                flagged={own[one]: why for one, why in found.flagged.items() if one in own},
            )

    def _label(self, at: int, label: str) -> str:
        before = self.parts[:at]
        if is_fact(label):
            return f"f{sum(len(one.facts) for one in before) + ordinal(label) + 1}"
        return f"c{sum(len(one.candidates) for one in before) + ordinal(label) + 1}"


def _renamed(group: Group, names: dict[str, str]) -> Group:
    return group.model_copy(update={"members": tuple(names[one] for one in group.members)})
