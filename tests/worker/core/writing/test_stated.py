from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from schemas.ids import write_turn_id
from tests.build import NOW, SCOPE, uid
from tests.worker.core.writing.saying import saying
from worker.core.writing.stated import checked, stated
from worker.errors import Unprocessable


def test_a_bare_text_is_what_the_user_says_now() -> None:
    one = saying("Lives in Ghent", "k")

    assert (one.fact.subject, one.fact.kind, one.fact.said_by) == ("user", "fact", "user")
    assert (one.fact.authority, one.fact.volatile, one.fact.said_at) == ("user", False, NOW)
    assert one.fact.turn_ids == (one.turn.id,) == (write_turn_id(SCOPE.key, "k"),)


def test_all_that_is_given_is_kept() -> None:
    until = datetime(2026, 9, 1, tzinfo=UTC)
    one = saying(
        " Ships from bay B-17 ",
        subject="Tariq",
        attribute="Loading_Bay",
        kind="Preference",
        said_at="2026-05-03T10:00:00+02:00",
        happened_at="2026-05",
        until=until.isoformat(),
        after="Ships from bay A-1",
        volatile=True,
        tags=["work", " work ", "bay"],
        metadata={"ticket": 17},
        pinned=True,
        said_by="Ann",
        authority="tool",
    )

    assert one.fact.model_dump(include={"text", "subject", "attribute", "kind", "volatile"}) == {
        "text": "Ships from bay B-17",
        "subject": "Tariq",
        "attribute": "loading bay",
        "kind": "preference",
        "volatile": True,
    }
    assert (one.fact.until, one.fact.after) == (until, "Ships from bay A-1")
    assert (one.fact.happened_at, one.fact.identifiers) == ("2026-05", ("b-17",))
    assert (one.fact.said_by, one.fact.authority, one.turn.role) == ("Ann", "tool", "tool")
    assert one.fact.said_at.isoformat() == "2026-05-03T10:00:00+02:00"
    assert (one.tags, one.pinned, one.turn.metadata) == (("work", "bay"), True, {"ticket": 17})


SECRET = "AKIAIOSFODNN7EXAMPLE"


def test_secrets_are_masked_wherever_they_stand() -> None:
    one = saying(
        f"The deploy key is {SECRET}",
        "k",
        subject=f"team {SECRET}",
        attribute=f"key {SECRET}"[:40],
        after=f"The old key was {SECRET}",
        until="2026-09-01T00:00:00Z",
        said_by=f"Ann {SECRET}",
        tags=[f"key-{SECRET}"],
        metadata={"note": f"it is {SECRET}"},
    )

    assert SECRET not in repr(one)
    assert one.fact.text == "The deploy key is [secret]"


@pytest.mark.parametrize(
    ("ahead", "is_kept"), [(timedelta(minutes=5), True), (timedelta(minutes=6), False)]
)
def test_a_time_that_is_not_yet_is_now(ahead: timedelta, is_kept: bool) -> None:
    one = saying("Lives in Ghent", said_at=(NOW + ahead).isoformat())

    assert one.fact.said_at == (NOW + ahead if is_kept else NOW)


def test_the_callers_own_reference_is_the_key() -> None:
    line = checked({"text": "Lives in Ghent", "external_ref": 17})
    one, again = (stated(line, SCOPE, key, NOW) for key in ("a", "b"))

    assert one.turn.id == again.turn.id == write_turn_id(SCOPE.key, "17")


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "`text` is missing: say what is to be remembered"),
        ({"text": " \n"}, "`text` says nothing"),
        ({"text": "x" * 2001}, "`text` has 2,001 characters, at most 2,000 are taken"),
        ({"text": "a", "tag": ["x"]}, "`tag` is not a field of a statement: did you mean `tags`?"),
        ({"text": "a", "app": "x"}, "`app` is not a field of a statement"),
        ({"text": "a", "kind": "Forget"}, "`kind` cannot be `forget`"),
        ({"text": "a", "authority": "god"}, "`authority` is none of user, assistant, tool"),
        ({"text": "a", "said_at": "2026-05-01T10:00:00"}, "`said_at` has no time zone"),
        ({"text": "a", "until": "2026"}, "`until` is no date with a time"),
        ({"text": "a", "happened_at": "May"}, "`happened_at` is no date: write it as exactly"),
        ({"text": "a", "happened_at": "2024-13"}, "`happened_at` is no date of the calendar"),
        ({"text": "a", "happened_at": "2026-02-29"}, "`happened_at` is no date of the calendar"),
        ({"text": "a", "happened_at": "2024-01-29T25:00"}, "`happened_at` is no date of"),
        ({"text": "a", "after": "b"}, "has `after` and no `until`"),
        ({"text": "a", "if_version": 2}, "goes with exactly one id in `supersedes`"),
        (
            {"text": "a", "if_version": 2, "supersedes": [str(uuid4()), str(uuid4())]},
            "goes with exactly one id in `supersedes`",
        ),
        ({"text": "a", "supersedes": ["3f2a"]}, "`supersedes` is no whole id"),
        ({"text": "a", "tags": ["x"] * 51}, "`tags`"),
        ({"text": "a", "external_ref": ""}, "`external_ref` is empty"),
        ({"text": "a", "metadata": {"x": "y" * 20_001}}, "`metadata` has 20,0"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(Unprocessable) as refused:
        checked(fields)

    assert complaint in str(refused.value)


def test_what_nobody_named_is_known() -> None:
    one = saying("Lives in Ghent", attribute="home", supersedes=[uid("m"), uid("m")])

    assert one.unsaid == {"subject", "kind", "volatile", "happened_at"}
    assert one.supersedes == (uid("m"),)
