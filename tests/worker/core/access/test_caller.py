"""Whose memories a caller may touch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.scope import Scope
from worker.core.access.caller import Caller, Forbidden

ANYBODY, APP, USER = Caller(), Caller("k", "acme"), Caller("k", "acme", "ann")


@pytest.mark.parametrize(
    ("caller", "app", "user", "scope"),
    [
        (ANYBODY, "x", "y", ("x", "y")),
        (APP, None, "y", ("acme", "y")),
        (APP, "acme", "y", ("acme", "y")),
        (APP, " acme ", "y", ("acme", "y")),
        (USER, None, None, ("acme", "ann")),
        (USER, "acme", "ann", ("acme", "ann")),
    ],
)
def test_what_is_not_named_is_as_the_key_says(
    caller: Caller, app: str | None, user: str | None, scope: tuple[str, str]
) -> None:
    assert caller.scope(app, user) == Scope(app=scope[0], user=scope[1])


@pytest.mark.parametrize(
    ("caller", "app", "user"),
    [(ANYBODY, None, "y"), (ANYBODY, "x", None), (APP, None, None), (APP, "acme", " ")],
)
def test_whose_memory_it_is_has_to_be_said(
    caller: Caller, app: str | None, user: str | None
) -> None:
    with pytest.raises(ValueError, match="say whose memory it is"):
        caller.scope(app, user)


OTHERS = st.text(max_size=8).filter(lambda name: name.strip() not in {"acme", "ann"})


@given(other=OTHERS, is_app=st.booleans())
def test_another_name_than_the_keys_is_forbidden_everywhere(other: str, is_app: bool) -> None:
    app, user = (other, "ann") if is_app else ("acme", other)
    named = {"app": app, "user": user}
    for ask in (
        lambda: USER.scope(app, user),
        lambda: USER.named(app, user),
        lambda: USER.own(named, USER.named(None, None)),
    ):
        with pytest.raises(Forbidden, match="this key is for another"):
            ask()


@pytest.mark.parametrize("value", [["acme"], {"a": 1}, 7, True, b"acme"])
def test_a_name_that_is_no_text_is_not_the_keys(value: object) -> None:
    with pytest.raises(Forbidden):
        APP.own({"app": value}, {})


def test_a_line_is_given_the_names_that_it_lacks() -> None:
    named = USER.named(None, None)

    assert USER.own({"text": "x"}, named) == {"text": "x", "app": "acme", "user": "ann"}
    assert USER.own({"user": None}, named) == {"app": "acme", "user": "ann"}
    assert APP.own({"user": "bob"}, APP.named(None, "ann"))["user"] == "bob"
    assert ANYBODY.own({"user": None}, {}) == {"user": None}


@pytest.mark.parametrize(
    ("caller", "sees"),
    [(ANYBODY, [True] * 3), (APP, [True, True, False]), (USER, [True, False, False])],
)
def test_what_is_told_of_many_is_told_of_the_callers_own(caller: Caller, sees: list[bool]) -> None:
    scopes = [("acme", "ann"), ("acme", "bob"), ("other", "ann")]

    assert [caller.may_see(*scope) for scope in scopes] == sees
