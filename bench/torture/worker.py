"""A real worker that dies at named points and keeps a ledger of what it writes: `python -m bench.torture.worker`.

The product has no hook for this. What it takes its parts from, `worker.wiring`, is given classes here that do the same
and can die before and after.
"""

import os
import threading
import time
from collections.abc import Collection, Sequence
from typing import Any, cast
from uuid import UUID

from bench.torture.fate import Fate, Orders
from bench.torture.ledger import AFTER, Event, Write, point
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Held, Run
from schemas.scope import Scope
from worker import pump, wiring
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.model import Chat, Completion, Message, Model
from worker.adapters.stores.opening import open_store
from worker.core.ports import Hold, Store, Writer
from worker.core.step import Prompt
from worker.interfaces.cli.main import run
from worker.settings import Settings

#: How long a lost bell is waited for: as long beside the torture's lease as beside a real one, or everybody would
#: mostly wait for what died with a worker.
BELL_SECONDS = 2

FATE = Fate(Orders.given())


class MortalInbox(Inbox):
    """The queue."""

    def claim(self) -> Claim | None:
        claim = super().claim()
        if claim is not None:
            FATE.at(point("claim", AFTER))
        return claim

    def kept_plan(self, claim: Claim) -> str | None:
        return None if FATE.is_control else super().kept_plan(claim)

    def keep_plan(self, claim: Claim, payload: str) -> None:
        FATE.at(point("plan"))
        if not FATE.is_control:
            super().keep_plan(claim, payload)
        FATE.at(point("plan", AFTER))

    def commit(
        self,
        claim: Claim,
        count: int,
        tokens: int,
        parked: Sequence[Held] = (),
        heard: Collection[UUID] | None = None,
        **options: Any,
    ) -> None:
        FATE.at(point("commit"))
        super().commit(claim, count, tokens, parked, heard, **options)
        FATE.at(point("commit", AFTER))

    def park(self, claim: Claim, count: int, reason: str) -> None:
        FATE.at(point("park"))
        super().park(claim, count, reason)
        FATE.at(point("park", AFTER))

    def fail(self, claim: Claim, backoff_seconds: float, **options: Any) -> None:
        FATE.at(point("fail"))
        super().fail(claim, backoff_seconds, **options)
        FATE.at(point("fail", AFTER))


class MortalChat:
    """The model."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        job = "extraction" if prompt.job == "extraction" else "judge"
        FATE.at(point(job))
        done = self._chat.complete(prompt, messages)
        FATE.at(point(job, AFTER))
        return done

    def close(self) -> None:
        self._chat.close()


class MortalWriter:
    """The store's write side: each call stands in the ledger before and after."""

    def __init__(self, writer: Writer, scope: Scope, hold: Hold) -> None:
        self._writer, self._scope, self._hold = writer, scope, hold

    def prepare(self) -> None:
        self._told("prepare", None, self._writer.prepare)

    def put_run(self, run: Run) -> None:
        names: dict[str, Write] = {"open": "run open", "applied": "run applied"}
        name = names.get(run.state, "run parked")
        self._told(name, run, lambda: self._writer.put_run(run))

    def put_archives(self, records: Sequence[ArchiveRecord]) -> None:
        self._told("archives", None, lambda: self._writer.put_archives(records))

    def put_memories(self, records: Sequence[MemoryRecord]) -> None:
        self._told("live", None, lambda: self._writer.put_memories(records))

    def remove_memories(self, ids: Sequence[Any]) -> None:
        self._told("removals", None, lambda: self._writer.remove_memories(ids))

    def _told(self, name: Write, run: Run | None, write: Any) -> None:
        id = str(run.id) if run else ""
        scope, fence = self._scope.key, self._hold.fence
        FATE.at(point(name))
        FATE.tell(Event(name, "before", scope, fence, id))
        write()
        FATE.tell(Event(name, "after", scope, fence, id))
        FATE.at(point(name, AFTER))


class MortalStore:
    """The rest of the store is as it is."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def writer(self, scope: Scope, hold: Hold) -> MortalWriter:
        return MortalWriter(self._store.writer(scope, hold), scope, hold)

    def open_runs(self, scope: Scope) -> list[Run]:
        return [] if FATE.is_control else self._store.open_runs(scope)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _mortal_model(settings: Settings) -> Model:
    model = OPEN_MODEL(settings)
    model._chat = MortalChat(cast("Chat", model._chat))  # noqa: SLF001 - nobody else needs to reach around a model
    return model


def _mortal_store(*arguments: Any) -> MortalStore:
    return MortalStore(open_store(*arguments))


OPEN_MODEL = wiring.open_model


def _end_with(parent: int) -> None:
    """A bench that was killed leaves no worker behind."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    vars(pump).update(BELL_SECONDS=BELL_SECONDS)
    vars(wiring).update(Inbox=MortalInbox, open_model=_mortal_model, open_store=_mortal_store)
    run()
