"""Pages by cursor."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.interfaces.http.paging import Page, page

ITEMS = st.lists(st.tuples(st.integers(-5, 5), st.text("abc", max_size=3)), unique=True)


def pages(items: list[tuple[int, str]], limit: int) -> list[Page[tuple[int, str]]]:
    found = [page(items, lambda one: one, "list", limit, None)]
    while (cursor := found[-1].next) is not None:
        found.append(page(items, lambda one: one, "list", limit, cursor))
    return found


@given(items=ITEMS.map(sorted), limit=st.integers(1, 4))
def test_all_pages_together_are_the_list(items: list[tuple[int, str]], limit: int) -> None:
    found = pages(items, limit)

    assert [one for each in found for one in each.items] == items
    assert all(len(each.items) == limit for each in found[:-1])
    assert len(found) == max(1, -(-len(items) // limit))


@given(items=ITEMS.map(sorted), gone=st.data(), limit=st.integers(1, 4))
def test_what_goes_or_comes_between_pages_hides_nothing_else(
    items: list[tuple[int, str]], gone: st.DataObject, limit: int
) -> None:
    first = page(items, lambda one: one, "list", limit, None)
    if first.next is None:
        return
    left = sorted(gone.draw(st.sets(st.sampled_from(items))))

    rest = page(left, lambda one: one, "list", 1_000, first.next)

    assert [*rest.items] == [one for one in left if one > first.items[-1]]


@given(
    cursor=st.text(max_size=60)
    | st.binary(max_size=40).map(lambda raw: base64.urlsafe_b64encode(raw).decode())
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(ValueError, match="`cursor` is none of this list"):
        page([(1, "a")], lambda one: one, "list", 1, cursor)


@pytest.mark.parametrize("parts", [[], [1], ["x", 1], [1, 1], [True, "a"], [1, "a", 2], {"a": 1}])
def test_a_cursor_of_another_shape_is_refused(parts: object) -> None:
    cursor = page([(1, "a"), (2, "b")], lambda one: one, "list", 1, None).next or ""
    digest = json.loads(base64.urlsafe_b64decode(cursor + "==="))[0]
    made = [digest, *parts] if isinstance(parts, list) else parts
    written = base64.urlsafe_b64encode(json.dumps(made).encode()).decode()

    with pytest.raises(ValueError, match="none of this list"):
        page([(1, "a"), (2, "b")], lambda one: one, "list", 1, written)


def test_a_cursor_tells_nothing_of_what_is_listed_and_belongs_to_its_list() -> None:
    items = [(1, "a"), (2, "b")]
    cursor = page(items, lambda one: one, "one list", 1, None).next

    with pytest.raises(ValueError, match="none of this list"):
        page(items, lambda one: one, "another list", 1, cursor)
    assert page([], lambda one: one, "one list", 1, cursor).items == ()
