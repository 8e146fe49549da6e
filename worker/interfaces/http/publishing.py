"""Turns of a request into the queue, and how it went."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from uuid import UUID

from producers.answer import Answer, Status
from producers.producer import AsyncProducer
from worker.core.access.caller import Caller, Forbidden

#: Turns of one list, and those that go to Redis before others have their turn in the event loop.
MOST_TURNS, PORTION = 1_000, 50
#: Characters of what is wrong with one turn: it may be wrong in thousands of ways.
LONGEST_MESSAGE = 1_000
#: What it says names where Redis is.
UNAVAILABLE = (
    "Redis did not take the turn: publish it again later;"
    " one that has had an `id` of yours from the first try on counts once"
)

#: A turn as it came, or what is wrong with it.
Given = Mapping[str, object] | str

#: The worst answer tells how a request went: what a client does not look into must not get lost.
WORST: tuple[tuple[Status, HTTPStatus, str], ...] = (
    ("unavailable", HTTPStatus.SERVICE_UNAVAILABLE, "publish all again later"),
    ("full", HTTPStatus.TOO_MANY_REQUESTS, "publish all again later, and see that a worker runs"),
    ("refused", HTTPStatus.UNPROCESSABLE_ENTITY, "mend those"),
)


@dataclass
class Publishing:
    """The turns of one request, in order. Those of one list are told apart as `schemas.line.turns_of` says."""

    producer: AsyncProducer
    caller: Caller
    #: The names that a turn may leave out.
    named: Mapping[str, str]
    #: How many of each answer there were.
    counts: Counter[str] = field(default_factory=Counter)
    _earlier: Counter[UUID] = field(default_factory=Counter)

    async def one(self, turn: Mapping[str, object]) -> Answer:
        """On its own: the same words twice are two turns. Raises `Forbidden`."""
        answer = await self.producer.publish(self.caller.own(turn, self.named))
        return self._told(answer, "turn: ")

    async def all(self, turns: Sequence[object]) -> list[Answer]:
        """One answer for each. After the first that Redis does not take none is tried."""
        answers: list[Answer] = []
        for start in range(0, len(turns), PORTION):
            if self.is_stopped:
                left = len(turns) - start
                return answers + [self._told(Answer(status="unavailable"), "")] * left
            portion = turns[start : start + PORTION]
            answers += await self.portion(
                [one if isinstance(one, Mapping) else "is not an object" for one in portion]
            )
        return answers

    async def portion(self, given: Sequence[Given]) -> list[Answer]:
        """One answer for each."""
        checked = [self._own(one) for one in given]
        good = [one for one in checked if not isinstance(one, Answer)]
        answers = iter(await self.producer.publish_many(good, self._earlier))
        place, told = 0, []
        for one in checked:
            place += not isinstance(one, Answer)
            answer = one if isinstance(one, Answer) else next(answers)
            told.append(self._told(answer, f"line {place}: "))
        return told

    @property
    def is_stopped(self) -> bool:
        return self.counts["unavailable"] > 0

    def verdict(self) -> tuple[HTTPStatus, str]:
        """The status of all answers together, and what to do."""
        for status, code, remedy in WORST:
            if count := self.counts[status]:
                return code, f"{count} of {self.counts.total()} turns are {status}: {remedy}"
        return HTTPStatus.ACCEPTED, ""

    def _own(self, given: Given) -> Mapping[str, object] | Answer:
        if isinstance(given, str):
            return Answer(status="refused", message=given)
        try:
            return self.caller.own(given, self.named)
        except Forbidden as error:
            return Answer(status="refused", message=str(error))

    def _told(self, answer: Answer, prefix: str) -> Answer:
        self.counts[answer.status] += 1
        message = answer.message and answer.message.removeprefix(prefix)[:LONGEST_MESSAGE]
        if answer.status == "unavailable":
            message = UNAVAILABLE
        return answer.model_copy(update={"message": message})


def body_of(raw: bytes) -> Mapping[str, object] | list[object]:
    """The turn or the list that a body holds. Raises `ValueError` with what is wrong with it."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ValueError("the body is not JSON that can be read: send a turn, or a list") from error
    if isinstance(found, list) and len(found) > MOST_TURNS:
        raise ValueError(
            f"the list has {len(found):,} turns, at most {MOST_TURNS:,} are taken: send them as lines"
        )
    if isinstance(found, dict | list):
        return found
    raise ValueError("the body is neither a turn nor a list of turns")
