"""Items side by side in one batch: each keeps its own labels, candidates and verdicts."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from bench.judge.batches import Joint, batches
from bench.judge.items import Item
from tests.build import candidacy, fact, record
from worker.core.groups.judgment import Candidacy, Group, Groups


def item(id: str, facts: int = 1) -> Item:
    said = [{"text": f"{id} {n}", "said_at": "2026-01-01T00:00:00Z"} for n in range(facts)]
    return Item.model_validate({"id": id, "kind": "k", "language": "en", "facts": said})


def part(name: str, facts: int, memories: int) -> Candidacy:
    return candidacy(
        [fact(f"{name} says {n}") for n in range(facts)],
        [record(f"{name} has {n}") for n in range(memories)],
    )


SIZES = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3)), min_size=1, max_size=5)


@given(SIZES)
def test_a_fact_of_the_whole_is_offered_what_its_own_item_offers_it(
    sizes: list[tuple[int, int]],
) -> None:
    parts = tuple(part(f"item {at}", *size) for at, size in enumerate(sizes))
    whole = Joint(parts).whole

    shown = {label: whole.shown(label).text for label in (*whole.fact_labels, *whole.memory_labels)}
    offered = {
        shown[one]: {shown[other] for other in whole.offered_to(one)} for one in whole.fact_labels
    }
    alone = {
        one.shown(label).text: {one.shown(other).text for other in one.offered_to(label)}
        for one in parts
        for label in one.fact_labels
    }
    assert offered == alone
    assert len(shown.values()) == len(set(shown.values()))


@given(SIZES)
def test_what_is_found_about_the_whole_is_told_to_each_item_in_its_own_labels(
    sizes: list[tuple[int, int]],
) -> None:
    """Every first fact of an item is joined with all of its memories."""
    parts = tuple(part(f"item {at}", *size) for at, size in enumerate(sizes))
    joint, own = Joint(parts), list[Groups]()
    whole = joint.whole
    for one in parts:
        members = ("f1", *one.memory_labels)
        groups = (Group(why="so", members=members, relation="update"),) if len(members) > 1 else ()
        grouped = {label for group in groups for label in group.members}
        new = tuple(label for label in one.fact_labels if label not in grouped)
        flagged = {new[-1]: f"of {one.fact(new[-1]).text}"} if new else {}
        own.append(Groups(groups=groups, new=new, flagged=flagged))
    by_text = {whole.shown(one).text: one for one in (*whole.fact_labels, *whole.memory_labels)}

    def renamed(case: Candidacy, labels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(by_text[case.shown(one).text] for one in labels)

    found = Groups(
        groups=tuple(
            group.model_copy(update={"members": renamed(case, group.members)})
            for case, one in zip(parts, own, strict=True)
            for group in one.groups
        ),
        new=tuple(
            label for case, one in zip(parts, own, strict=True) for label in renamed(case, one.new)
        ),
        flagged={
            by_text[case.shown(label).text]: why
            for case, one in zip(parts, own, strict=True)
            for label, why in one.flagged.items()
        },
    )

    assert list(joint.split(found)) == own


def test_without_a_size_each_item_is_a_batch() -> None:
    items = [item("a"), item("b", 3)]

    assert batches(items, None) == [[items[0]], [items[1]]]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=30), st.integers(1, 12))
def test_batches_hold_whole_items_up_to_so_many_facts_and_every_item_once(
    facts: list[int], size: int
) -> None:
    items = [item(f"i{at}", count) for at, count in enumerate(facts)]

    found = batches(items, size)

    assert sorted(one.id for batch in found for one in batch) == sorted(one.id for one in items)
    assert all(len(batch) == 1 or sum(len(one.facts) for one in batch) <= size for batch in found)


def test_those_that_stand_beside_each_other_do_not_meet() -> None:
    """Items of one kind do."""
    items = [item(f"i{at}") for at in range(20)]

    for batch in batches(items, 5):
        places = sorted(items.index(one) for one in batch)
        assert all(b - a > 1 for a, b in itertools.pairwise(places))


def test_labels_count_on_over_items() -> None:
    whole = Joint((part("a", 2, 1), part("b", 1, 2))).whole

    assert tuple(whole.fact_labels) == ("f1", "f2", "f3")
    assert tuple(whole.memory_labels) == ("c1", "c2", "c3")
    assert [whole.shown(one).text for one in ("f3", "c2")] == ["b says 0", "b has 0"]
