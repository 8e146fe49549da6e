"""What was forgotten leaves every read: which snapshots none may show, and which reasons tell of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.memory import Archive, Memory
from schemas.plan import Changed, Run
from worker.core.forgetting.descent import Grounds, replaced
from worker.core.forgetting.topics import lost_words, mentions

#: A memory's id, and which version of it.
Version = tuple[UUID, int]


@dataclass(frozen=True)
class Lost:
    """What one act of forgetting took away."""

    at: datetime
    words: frozenset[str]


@dataclass(frozen=True)
class Veil:
    """What no read of a scope may show; empty where nothing was forgotten."""

    versions: frozenset[Version] = frozenset()
    lost: tuple[Lost, ...] = ()

    def archives(self, archives: Iterable[Archive]) -> list[Archive]:
        """Those that may be shown, without reasons that tell what was forgotten."""
        return [self._archive(one) for one in archives if version_of(one) not in self.versions]

    def run(self, run: Run) -> Run:
        """The run without the words that tell what was forgotten."""
        if not self.versions:
            return run
        changes = tuple(self._change(one, run.started_at) for one in run.changes)
        return run.model_copy(update={"changes": changes})

    def tells(self, text: str, at: datetime) -> bool:
        """Whether words written at `at` tell what was forgotten then or later.

        One word in common is enough: rather a reason too few. What is said again afterwards is not held back.
        """
        return any(at <= one.at and mentions(text, one.words) for one in self.lost)

    def _archive(self, archive: Archive) -> Archive:
        if not self.tells(archive.why, archive.archived_at):
            return archive
        return archive.model_copy(update={"why": ""})

    def _change(self, change: Changed, at: datetime) -> Changed:
        if (change.memory_id, change.version) in self.versions:
            return change.model_copy(update={"why": "", "said": ()})
        why = "" if self.tells(change.why, at) else change.why
        said = tuple(words for words in change.said if not self.tells(words, at))
        return change.model_copy(update={"why": why, "said": said})


def hidden(archives: Iterable[Archive], live: Iterable[Memory]) -> frozenset[Version]:
    """Snapshots that no read may show, of all that a scope has. Live memories are never among them."""
    return veil(archives, live).versions


def veil(archives: Iterable[Archive], live: Iterable[Memory]) -> Veil:
    """What of a scope was forgotten, from all its snapshots and live memories, in any order.

    A memory that was forgotten whole takes its lineage with it: its earlier versions, and what was replaced by it.
    Where only a part was forgotten and a later version stands, the snapshot goes, and of its lineage what has a word
    of that part. What was derived from any of these goes as well.
    """
    kin = _kin(archives, live)
    versions: set[Version] = set()
    lost: list[Lost] = []
    for root in kin.roots():
        words = kin.words_lost_with(root)
        lost.append(Lost(root.archived_at, words))
        versions |= {version_of(one) for one in kin.hidden_by(root, words)}
    return Veil(
        frozenset(versions), tuple(sorted(lost, key=lambda one: (one.at, sorted(one.words))))
    )


def version_of(archive: Archive) -> Version:
    return archive.memory.id, archive.memory.version


@dataclass(frozen=True)
class _Kin:
    """Who came from whom."""

    #: Memory id → its snapshots, by version.
    snapshots: Mapping[UUID, Mapping[int, Archive]]
    live: Mapping[UUID, Memory]
    #: Memory id → those that it replaced for good: their last snapshots.
    replaced: Mapping[UUID, list[Archive]]
    #: Snapshots of what nobody said.
    derived: Sequence[Archive]

    def roots(self) -> Iterator[Archive]:
        return (one for one in self._all() if one.reason == "forgotten")

    def words_lost_with(self, root: Archive) -> frozenset[str]:
        """All of its words, or those that the next version does not have; the subject's name tells nothing."""
        left = self._left_of(root)
        remains = None if left is None else _text(left)
        return lost_words(_text(root.memory), remains, root.memory.subject)

    def hidden_by(self, root: Archive, words: frozenset[str]) -> Iterator[Archive]:
        is_part = self._left_of(root) is not None
        kin = self._lineage(root)
        gone = [root, *(one for one in kin if not is_part or mentions(_text(one.memory), words))]
        yield from gone
        until = {} if is_part else {root.memory.id: root.memory.version}
        grounds = Grounds({version_of(one) for one in gone}, until)
        yield from (one for one in self.derived if grounds.bear(one.memory))
        for one in gone:
            told = words if is_part else lost_words(_text(one.memory), None, one.memory.subject)
            copies = self._learned_before(one, root.archived_at)
            yield from (copy for copy in copies if mentions(_text(copy.memory), told))

    def _left_of(self, root: Archive) -> Memory | None:
        """The version that came after it where only a part was forgotten."""
        id, version = root.memory.id, root.memory.version
        if root.replaced_by != id:
            return None
        after = self.snapshots[id].get(version + 1)
        left = after.memory if after else self.live.get(id)
        return left if left is not None and left.version > version else None

    def _lineage(self, root: Archive) -> Iterator[Archive]:
        """Earlier versions, and whole memories that were replaced by it or by one of those, transitively.

        What was merged into a memory after a part of it was forgotten is not of that part.
        """
        id, is_part = root.memory.id, self._left_of(root) is not None
        yield from (one for at, one in self.snapshots[id].items() if at < root.memory.version)
        parents = [
            one
            for one in self.replaced.get(id, ())
            if not is_part or one.archived_at <= root.archived_at
        ]
        seen = {id}
        while parents:
            parent = parents.pop().memory.id
            if parent not in seen:
                seen.add(parent)
                yield from self.snapshots[parent].values()
                parents += self.replaced.get(parent, ())

    def _learned_before(self, gone: Archive, at: datetime) -> Iterator[Archive]:
        """What was undone until then and was learned anew from the same turns: no link leads there."""
        turns = set(gone.memory.turn_ids)
        return (
            one
            for one in self._all()
            if one.reason == "undone"
            and one.archived_at <= at
            and not turns.isdisjoint(one.memory.turn_ids)
        )

    def _all(self) -> Iterator[Archive]:
        return (one for versions in self.snapshots.values() for one in versions.values())


def _kin(archives: Iterable[Archive], live: Iterable[Memory]) -> _Kin:
    standing = {memory.id: memory for memory in live}
    snapshots: dict[UUID, dict[int, Archive]] = {}
    for one in archives:
        snapshots.setdefault(one.memory.id, {})[one.memory.version] = one
    all_of_them = [one for versions in snapshots.values() for one in versions.values()]
    derived = [one for one in all_of_them if one.memory.derived]
    return _Kin(snapshots, standing, replaced(all_of_them, standing), derived)


def _text(memory: Memory) -> str:
    """All that it says, also what stands again."""
    return "\n".join(filter(None, (memory.text, memory.after)))
