"""Recall for a chat backend: `from worker.recaller import Recaller`.

    recaller = Recaller.open()
    answer = recaller.recall("acme", "alice", "Where do I live?", conversation="42", include_pending=True)

It answers within its deadline, with what works: `Answer.degraded` says what was not done, and an exception means wrong
input. Make one in each process, after any fork.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self, TypeVar, Unpack
from uuid import UUID

from redis import Redis

from schemas.scope import Scope
from worker.adapters.lately import Lately
from worker.adapters.shown import TURNS, Beside, Place, ShownLog
from worker.adapters.timed import THREADS, Deadline, Timed
from worker.core.failing.circuit import SEVERAL
from worker.core.hearing.marks import Marks
from worker.core.planning.runs import settled_turns
from worker.core.ports import Reader
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Budget
from worker.core.recalling.block import block
from worker.core.recalling.calls import Asked, Calls
from worker.core.recalling.messages import Place as Where
from worker.core.recalling.messages import with_block
from worker.core.recalling.options import Asking, Options, asking
from worker.core.recalling.showing import in_view
from worker.core.recalling.waiting import Past, fitting, told_of, unsettled
from worker.errors import Misconfigured, SlowwaveError, Unavailable
from worker.recall import recall
from worker.settings import Settings, load
from worker.wiring import Memories, ask_of, connecting, layout_of, lent_memories, serving_of

T = TypeVar("T")

#: Shares of what is left of a deadline that these parts are waited for: others come behind.
REDIS_SHARE, EMBEDDER_SHARE, RERANKER_SHARE = 0.2, 0.5, 0.9
#: Share of the usual deadline that a part is waited for before it counts as late: one caller in a hurry says nothing
#: of how it serves the others.
FAIR_SHARE = 0.1
#: Seconds beyond its deadline after which an answer is not coming at all: all threads of `arecall` have others to give.
GRACE_SECONDS = 0.2

Lent = Callable[[Settings], AbstractContextManager[Memories]]


@dataclass(frozen=True)
class _Found:
    """An answer, and what its conversation was known to have been shown before."""

    answer: Answer
    shown: dict[UUID, int] = field(default_factory=dict)


class Recaller:
    """Safe from any thread. Needs the store and the embedder; a Redis adds what was shown and the turns that wait."""

    def __init__(self, settings: Settings, lent: Lent = lent_memories) -> None:
        """Nothing is opened until it is asked for; see `open`. Raises `Misconfigured` for settings of recall."""
        self._settings, self._lent = settings, lent
        self._usual = ask_of(settings)
        # What the answer holds was bounded when it was asked for, and now counts as shown.
        self._layout = replace(layout_of(settings), budget=Budget())
        self._marks = Marks(settings.recall_begin, settings.recall_end)
        self._pid, self._is_closed = os.getpid(), False
        self._opening, self._connecting = threading.Lock(), threading.Lock()
        self._stack = ExitStack()
        self._memories: Memories | None = None
        self._shown: ShownLog | None = None
        self._lately = Lately()
        self._serving = serving_of(settings)
        self._connect = connecting(settings)
        # A late read may be one scope's own, such as one that wakes up: the store rests after several.
        fair = FAIR_SHARE * settings.recall_deadline_seconds
        self._timed = {
            "store": Timed("the store", SEVERAL, fair_seconds=fair),
            "embedder": Timed("the embedder", fair_seconds=fair),
            "reranker": Timed("the reranker", fair_seconds=fair),
            "Redis": Timed("Redis", fair_seconds=fair),
        }
        self._threads = ThreadPoolExecutor(THREADS, "slowwave-recall")

    @classmethod
    def open(cls, settings: Settings | None = None) -> Self:
        """From these settings, else the environment's. Raises `Misconfigured` naming what to set.

        A store or an embedder that is out of reach just now is asked for again by each recall.
        """
        made = cls(settings or load())
        try:
            with suppress(Unavailable):
                made._opened()
        except BaseException:
            made.close()
            raise
        return made

    def recall(self, app: str, user: str, *queries: str, **options: Unpack[Options]) -> Answer:
        """The memories that answer, the best first; without a query the user's profile. See `Options`.

        Of a `conversation` it tells each memory once: again only as a correction, and once in `withdrawn` where what
        was shown no longer stands. Raises `ValueError` for wrong input, and `Misconfigured` once it is closed
        or in a process that was forked since it was made.
        """
        asked, deadline = self._asked(app, user, queries, options)
        return self._told(asked, self._found(asked, deadline))

    async def arecall(
        self, app: str, user: str, *queries: str, **options: Unpack[Options]
    ) -> Answer:
        """The same without blocking the event loop. Cancelled, nothing counts as shown."""
        asked, deadline = self._asked(app, user, queries, options)
        future = asyncio.wrap_future(self._threads.submit(self._found, asked, deadline))
        try:
            found = await asyncio.wait_for(future, deadline.left + GRACE_SECONDS)
        except TimeoutError:
            return Answer(degraded=("too many recalls at once: nothing was looked up in time",))
        return self._told(asked, found)

    def block(self, answer: Answer) -> str:
        """All of an answer as one text for a prompt, between the settings' marks; empty where nothing is told.

        The same memories are the same bytes. Header and marks come on top of what `max_tokens` allowed the answer.
        """
        return block(answer, self._layout)

    def with_block(
        self, messages: Sequence[Mapping[str, Any]], answer: Answer, place: Where = "system"
    ) -> list[dict[str, Any]]:
        """A chat's messages with this block in the place of any earlier one, see `with_block` of the core."""
        return with_block(messages, self.block(answer), self._marks, place)

    def feedback(self, app: str, user: str, memory_id: UUID | str, *, useful: bool) -> None:
        """Somebody says that a memory was useful, or that it is wrong. Waits for nothing; raises `ValueError`."""
        self._check_open()
        key = Scope(app=app, user=user).key
        try:
            id = UUID(str(memory_id))
        except ValueError as error:
            raise ValueError(f"{memory_id!r} is no id of a memory: give the whole id") from error
        self._serving.feedback(key, id, useful=useful)

    def close(self) -> None:
        """Bring what was noted to Redis, once, and let go of everything; calls under way may end with an error."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._serving.close()
        for timed in self._timed.values():
            timed.close()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _asked(
        self, app: str, user: str, queries: tuple[str, ...], options: Options
    ) -> tuple[Asking, Deadline]:
        self._check_open()
        usual = self._settings.recall_deadline_seconds
        asked = asking(Scope(app=app, user=user), queries, options, self._usual, usual)
        return asked, Deadline(time.monotonic() + asked.deadline_seconds)

    def _check_open(self) -> None:
        if self._is_closed:
            raise Misconfigured("this Recaller is closed: open another")
        if os.getpid() != self._pid:
            raise Misconfigured(
                "this Recaller was opened before the process was forked, and its threads and connections are the"
                " parent's: open one in each process, after the fork"
            )

    def _found(self, asked: Asking, deadline: Deadline) -> _Found:
        """The story of one recall. It notes nothing: who asked may have gone."""
        calls = self._calls(deadline)
        beside, notes = self._beside(asked, deadline)
        place = _place(asked)
        shown = in_view(beside.shown, self._lately.of(place)) if place else {}
        waiting = told_of(beside.queue, self._marks, asked.pending)
        try:
            memories = self._memories or calls("store", self._opened)
            if waiting:
                ids = [one.id for one in waiting]
                past = calls("store", partial(_past, memories.store, asked.scope, ids))
                waiting = unsettled(waiting, past)
            pending, budget = fitting(waiting, asked.ask.budget)
            ask = replace(asked.ask, shown={**shown, **asked.ask.shown}, budget=budget)
            found = recall(
                memories.store,
                memories.embedder,
                asked.scope,
                ask,
                datetime.now(UTC),
                reranker=memories.reranker,
                calls=calls,
            )
        except SlowwaveError as error:
            found = Answer(degraded=(f"the memories could not be read ({error}): none is told",))
            pending, _ = fitting(waiting, asked.ask.budget)
        degraded = (*notes, *found.degraded)
        return _Found(replace(found, pending=pending, degraded=degraded), shown)

    def _told(self, asked: Asking, found: _Found) -> Answer:
        """Whoever asked has it now: what it shows is noted, and brought to Redis aside."""
        answer, place = found.answer, _place(asked)
        if place:
            answer, showings = self._lately.claim(place, answer, found.shown)
            self._serving.show(place, showings)
        if asked.is_of_now:
            ids = (one.memory.id for one in answer.items)
            self._serving.note(asked.scope, asked.ask.queries, ids)
        return answer

    def _calls(self, deadline: Deadline) -> Calls:
        def call(part: Asked, work: Callable[[], T]) -> T:
            shares = {"embedder": EMBEDDER_SHARE, "store": 1.0, "reranker": RERANKER_SHARE}
            return self._timed[part].call(work, deadline.left * shares[part])

        return call

    def _beside(self, asked: Asking, deadline: Deadline) -> tuple[Beside, list[str]]:
        """What Redis knows; without it, what therefore is not done."""
        place = _place(asked)
        if place is None and not asked.pending:
            return Beside(), []

        def read() -> Beside:
            turns = TURNS if asked.pending else 0
            return self._log().beside(asked.scope.key, place, turns)

        try:
            return self._timed["Redis"].call(read, deadline.left * REDIS_SHARE), []
        except SlowwaveError as error:
            lost = ["what was shown before may be shown again"] if place else []
            lost += ["turns that wait are not told"] if asked.pending else []
            return Beside(), [f"{' and '.join(lost)}: {error}"]

    def _opened(self) -> Memories:
        with self._opening:
            if self._memories is None:
                self._memories = self._stack.enter_context(self._lent(self._settings))
            return self._memories

    def _log(self) -> ShownLog:
        with self._connecting:
            if self._shown is None:
                client: Redis = self._connect()
                self._stack.callback(client.close)
                self._shown = ShownLog(client, self._settings.redis_partitions)
            return self._shown


def _place(asked: Asking) -> Place | None:
    if asked.conversation is None:
        return None
    return Place.of(asked.scope.key, asked.conversation)


def _past(store: Reader, scope: Scope, turn_ids: Sequence[UUID]) -> Past:
    return Past(settled_turns(store.runs(scope, turn_ids)), store.about(scope).erased_at)
