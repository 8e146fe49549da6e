"""What a store has made of a stream of which the truth is known. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bench.quality.counts import Counts
from bench.quality.held import Held, Kept, Past
from bench.quality.index import Index
from bench.quality.stream import Needs, Slot, Thing, Truth
from bench.quality.words import claims, tells


@dataclass(frozen=True)
class Marks(Counts):
    """Counts; those of several streams add up.

    What extraction did not find, no judge can keep: a slot is *heard* where each of its values is in a fact.
    """

    turns: int = 0
    facts: int = 0
    slots: int = 0
    slots_heard: int = 0
    #: Of those heard: one live text says what is true, none what is over, and the history is whole.
    slots_right: int = 0
    things: int = 0
    things_heard: int = 0
    #: Of those heard: in one live text, or in several that say different details of it, none of which is gone.
    things_right: int = 0
    #: Live texts beyond the first that say the same true thing.
    duplicates: int = 0
    #: Live texts that say what is over, and not what took its place.
    stale: int = 0
    #: What was heard, is true, and is in no live text.
    lost: int = 0
    #: Of those lost, what is in the history: something wrongly took its place.
    wrongly_retired: int = 0
    #: Of those lost, what is only in the account of what was called the same as something else.
    called_same: int = 0
    #: Earlier values that were heard and are in no history that leads to what is true.
    history_missing: int = 0
    #: Slots whose earlier values are all there, but not in the order of their time.
    history_unordered: int = 0
    forbidden: int = 0
    forbidden_stored: int = 0
    forgotten: int = 0
    #: Of what was to be forgotten and was heard: live, or in the history.
    leaks: int = 0
    details: int = 0
    details_lost: int = 0
    live: int = 0
    past: int = 0


@dataclass(frozen=True)
class _Scene:
    """What is there to look at. What tells something forbidden tells nothing else."""

    live: Index[Kept]
    past: Index[Past]
    held: Held
    facts: Index[str]

    @classmethod
    def of(cls, truth: Truth, held: Held, facts: Sequence[str]) -> "_Scene":
        live = [one for one in held.live if not _tells_any(one.text, truth.forbidden)]
        heard = [text for text in facts if not _tells_any(text, truth.forbidden)]
        return cls(Index(live, _text), Index(held.past, _text), held, Index(heard, str))


def _text(one: Kept | Past) -> str:
    return one.text


def marked(truth: Truth, held: Held, facts: Sequence[str], turns: int = 0) -> Marks:
    """`facts` are the statements that extraction found, each with its subject in front."""
    scene = _Scene.of(truth, held, facts)
    found = Marks(
        turns=turns,
        facts=len(facts),
        live=len(held.live),
        past=len(held.past),
        forbidden=len(truth.forbidden),
        forbidden_stored=sum(_stands(needs, held.live) for needs in truth.forbidden),
        forgotten=len(truth.forgotten),
        leaks=sum(_stands(needs, (*held.live, *held.past)) for needs in truth.forgotten),
    )
    for slot in truth.slots:
        found += _of_slot(slot, scene)
    for thing in truth.things:
        found += _of_thing(thing, scene)
    return found


def _tells_any(text: str, all_needs: Iterable[Needs]) -> bool:
    return any(tells(text, needs) for needs in all_needs)


def _stands(needs: Needs, among: Iterable[Kept | Past]) -> bool:
    return any(tells(one.text, needs) for one in among)


def _of_slot(slot: Slot, scene: _Scene) -> Marks:
    facts, live = scene.facts.near(slot.about), scene.live.near(slot.about)
    heard = {one for one in slot.values if _is_heard(slot, one, facts)}
    right = [one for one in live if slot.current and _claims(slot, slot.current, one)]
    over = [value for value in slot.values if value != slot.current]
    stale = [
        one for one in live if any(_claims(slot, value, one) for value in over) and one not in right
    ]
    both = [one for one in right if any(_claims(slot, value, one) for value in over)]
    missing, unordered = _history(slot, scene, heard)
    lost = slot.current in heard and not right
    is_heard = len(heard) == len(slot.values)
    one_lives = len(right) == (slot.current is not None)
    return Marks(
        slots=1,
        slots_heard=is_heard,
        slots_right=is_heard and one_lives and not (stale or both or missing or unordered),
        duplicates=max(0, len(right) - 1),
        stale=len(stale) + len(both),
        lost=lost,
        **_fate(scene.held, lambda text: _says(slot, slot.current or "", text), lost=lost),
        history_missing=missing,
        history_unordered=unordered,
    )


def _claims(slot: Slot, value: str, one: Kept | Past) -> bool:
    return _says(slot, value, one.text)


def _says(slot: Slot, value: str, text: str) -> bool:
    return claims(text, slot.about, value, slot.values)


def _fate(held: Held, is_told: Callable[[str], bool], *, lost: bool) -> dict[str, int]:
    """Where what is lost has gone."""
    retired = lost and any(is_told(one.text) for one in held.past)
    called_same = lost and not retired and any(map(is_told, held.said))
    return {"wrongly_retired": retired, "called_same": called_same}


def _is_heard(slot: Slot, value: str, facts: Iterable[str]) -> bool:
    return any(_says(slot, value, text) for text in facts)


def _history(slot: Slot, scene: _Scene, heard: set[str]) -> tuple[int, bool]:
    """How many earlier values lead nowhere, and whether those that are there stand in another order."""
    told = [_snapshots(slot, value, scene) for value in slot.earlier if value in heard]
    times = [[one.said_at for one in found] for found in told if found]
    # A value that came back has several times: in order is what can be.
    unordered = any(max(later) < min(sooner) for sooner, later in pairwise(times))
    return sum(not found for found in told), unordered


def _snapshots(slot: Slot, value: str, scene: _Scene) -> list[Past]:
    """Those that tell an earlier value and lead to what is true, where anything is."""
    found = [one for one in scene.past.near(slot.about) if _claims(slot, value, one)]
    if slot.current is None or value in slot.passing:
        return found
    return [one for one in found if _leads(slot, slot.current, one, scene)]


def _leads(slot: Slot, current: str, one: Past, scene: _Scene) -> bool:
    heir = scene.held.heir(one.id)
    return heir is not None and _claims(slot, current, heir)


def _of_thing(thing: Thing, scene: _Scene) -> Marks:
    facts, near = scene.facts.near(thing.needs), scene.live.near(thing.needs)
    heard = any(tells(text, thing.needs) for text in facts)
    live = [one for one in near if tells(one.text, thing.needs)]
    told = [one for one in thing.details if any(_with(thing, one, text) for text in facts)]
    gone = [one for one in told if not any(_with(thing, one, it.text) for it in near)]
    lost = heard and not live
    # Two texts with a detail each are two statements about one thing.
    beyond = 0 if thing.details else max(0, len(live) - 1)
    return Marks(
        things=1,
        things_heard=heard,
        things_right=heard and not (lost or beyond or gone),
        duplicates=beyond,
        lost=lost,
        **_fate(scene.held, lambda text: tells(text, thing.needs), lost=lost),
        details=len(told),
        details_lost=len(gone),
    )


def _with(thing: Thing, detail: str, text: str) -> bool:
    return tells(text, (*thing.needs, detail))
