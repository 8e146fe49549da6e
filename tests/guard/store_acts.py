"""What asks a store for anything, by name."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.desk import Desk
from tests.guard import acts, scene
from worker.core.recalling.ask import Ask
from worker.recall import recall

#: What no night writes that finds nothing to do.
UNCHANGED = "a night over what is as it was"


@contextmanager
def recalling(table: Desk, *queries: str) -> Iterator[acts.Act]:
    scene.say_what_is_known(table)

    def asked() -> None:
        parts = table.parts
        assert recall(parts.store, parts.embedder, table.scope, Ask(queries), table.now).items

    yield asked


CASES: dict[str, acts.Case] = {
    "settling the first batch of a scope": lambda table: acts.settling(
        table, *scene.CHAT, scene.ALONE[0], known=False
    ),
    "settling a batch of ten turns": lambda table: acts.settling(table, *scene.TEN_TURNS),
    "settling a batch of chat": lambda table: acts.settling(table, *scene.CHAT),
    "settling a batch whose plan was kept": acts.settling_what_was_kept,
    "recalling": lambda table: recalling(table, scene.KNOWN[0]),
    "recalling what is known of somebody": recalling,
    "a night over what changed": lambda table: acts.sleeping(table, night=0),
    UNCHANGED: lambda table: acts.sleeping(table, night=1),
}
