from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from redis.exceptions import ConnectionError as Refusing
from redis.exceptions import NoScriptError

from producers.answer import Answer
from producers.post import PARCEL_BYTES, PARCEL_TURNS, Command, Letter, Post, parcels
from schemas.keys import PARTITIONS
from schemas.line import Refused, turn_of
from schemas.turn import Turn

NOW = datetime(2026, 3, 3, 15, tzinfo=UTC)


def turn(text: str = "I like tea.", given: str = "1") -> Turn:
    line = {"app": "acme", "user": "alice", "role": "user", "text": text, "id": given}
    made = turn_of(line, NOW)
    assert isinstance(made, Turn)
    return made


class Wire:
    """Plays Redis: a script of replies for each round trip."""

    def __init__(self, *replies: Sequence[Any]) -> None:
        self._replies = iter(replies)
        self.sent: list[list[Command]] = []

    def deliver(self, post: Post, parcel: Sequence[Letter | Refused]) -> list[Answer]:
        delivery = post.deliver(parcel)
        try:
            commands = next(delivery)
            while True:
                self.sent.append(commands)
                commands = delivery.send(next(self._replies))
        except StopIteration as done:
            return list(done.value)

    @property
    def verbs(self) -> list[list[str | bytes | int]]:
        return [[command[0] for command in commands] for commands in self.sent]


def test_the_stored_number_of_partitions_is_asked_for_once() -> None:
    post, letter = Post(), Letter.of(turn())
    wire = Wire([b"4"], [[b"accepted", 1, 7, 1]], [[b"duplicate", 1, 7, 1]])
    first, second = wire.deliver(post, [letter]) + wire.deliver(post, [letter])

    assert wire.verbs == [["GET"], ["EVALSHA"], ["EVALSHA"]]
    assert wire.sent[1][0][2:] == letter.arguments(4)
    assert (first.status, first.pending, first.message) == ("accepted", 1, None)
    assert (second.status, second.turn_id) == ("duplicate", letter.turn.id)


def test_the_first_to_come_stores_one_partition() -> None:
    wire = Wire([None], [True, b"1"], [[b"accepted", 1, 7, 1]])
    wire.deliver(Post(), [Letter.of(turn())])

    assert wire.sent[1] == [("SET", PARTITIONS, 1, "NX"), ("GET", PARTITIONS)]
    assert wire.sent[2][0][2:] == Letter.of(turn()).arguments(1)


def test_only_what_found_no_script_is_sent_again_and_in_order() -> None:
    letters = [Letter.of(turn(given=str(at))) for at in range(3)]
    gone = NoScriptError("NOSCRIPT")
    wire = Wire(
        [b"1"],
        [[b"accepted", 1, 7, 1], gone, gone],
        [[b"accepted", 2, 7, 2], [b"accepted", 3, 7, 3]],
    )
    answers = wire.deliver(Post(), letters)

    assert wire.verbs == [["GET"], ["EVALSHA"] * 3, ["EVAL"] * 2]
    assert [command[2:] for command in wire.sent[2]] == [x.arguments(1) for x in letters[1:]]
    assert [answer.pending for answer in answers] == [1, 2, 3]


def test_answers_stand_where_their_turns_stood() -> None:
    refused = Refused(where="line 2", message="`user` is missing")
    wire = Wire([b"1"], [["full", 9, 0, 0], ["accepted", 1, 7, 1]])
    full, bad, good = wire.deliver(Post(), [Letter.of(turn()), refused, Letter.of(turn())])

    assert (full.status, full.pending) == ("full", 9)
    assert full.message is not None
    assert full.message.startswith("9 turns of this user wait already")
    assert bad == Answer(status="refused", message="line 2: `user` is missing")
    assert good.status == "accepted"
    assert (full.ticket, bad.ticket) == (None, None)


def test_with_nothing_to_send_nothing_is_asked() -> None:
    wire = Wire()

    assert wire.deliver(Post(), []) == []
    assert wire.deliver(Post(), [Refused(where="turn", message="x")])[0].status == "refused"


@pytest.mark.parametrize("replies", [([Refusing("refused")],), ([b"1"], [Refusing("refused")] * 2)])
def test_an_error_of_redis_is_an_answer_for_each_turn(replies: tuple[list[Any], ...]) -> None:
    letters = [Letter.of(turn())] * 2
    answers = Wire(*replies).deliver(Post(), letters)

    assert [answer.status for answer in answers] == ["unavailable"] * 2
    assert answers[0].turn_id == letters[0].turn.id
    assert answers[0].message is not None
    assert "ConnectionError: refused" in answers[0].message
    assert "publish it again later" in answers[0].message


def test_a_number_of_partitions_that_could_not_be_read_is_asked_for_again() -> None:
    post = Post()
    wire = Wire([Refusing("down")], [b"2"], [[b"accepted", 1, 7, 1]])
    statuses = [wire.deliver(post, [Letter.of(turn())])[0].status for _ in range(2)]

    assert statuses == ["unavailable", "accepted"]


def test_a_long_list_goes_in_portions() -> None:
    many = [len(parcel) for parcel in parcels([turn()] * (PARCEL_TURNS + 1))]
    heavy = [len(parcel) for parcel in parcels([turn("x" * 100_000)] * 15)]

    assert many == [PARCEL_TURNS, 1]
    assert sum(heavy) == 15
    assert max(heavy) <= PARCEL_BYTES / 100_000 + 1
    assert list(parcels([])) == []


def test_a_letter_names_no_one_outside_its_payload() -> None:
    *arguments, _ = Letter.of(turn()).arguments(1)
    outside = [part for part in arguments if part != Letter.of(turn()).payload]

    assert not any("alice" in str(part) or "acme" in str(part) for part in outside)
