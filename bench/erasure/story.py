"""What happens to one scope beside another: it learns, forgets, crashes and is erased."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from redis import Redis

from bench.erasure.words import Scribe, Topic, new_word
from bench.publishing import publish
from producers.producer import Producer
from schemas.ids import batch_run_id
from schemas.scope import Scope
from worker.core.groups.setting import Setting
from worker.core.planning.kept import Kept
from worker.direct.erasing import erase
from worker.direct.forgetting import Wanted, forget
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.thinking import policy, thought

#: Groups of words: of the memory that is forgotten, of the rest of its scope, of the scope beside it.
GROUPS = ("forgotten", "erased", "neighbour")
PER_BATCH = 10


@dataclass(frozen=True)
class Scene:
    """What the story happens in."""

    parts: Parts
    producer: Producer
    redis: Redis

    def say(self, scope: Scope, *texts: str) -> None:
        now = datetime.now(UTC).isoformat()
        line = {"app": scope.app, "user": scope.user, "role": "user", "said_at": now}
        publish(self.producer, [{**line, "text": text} for text in texts])

    def settle(self) -> None:
        self.parts.inbox.flush()
        while claim := self.parts.inbox.claim():
            consolidate(self.parts, claim, datetime.now(UTC))
            self.parts.inbox.flush()


@dataclass(frozen=True)
class Story:
    """Two scopes, three topics, and a word for each place that no topic reaches."""

    lamp: Topic
    boat: Topic
    bench: Topic
    mine: Scope
    theirs: Scope
    pending: str
    parked: str
    plan: str
    crates: int

    @classmethod
    def new(cls, rng: Random, crates: int) -> "Story":
        return cls(
            lamp=Topic.new("lamp", rng),
            boat=Topic.new("boat", rng),
            bench=Topic.new("bench", rng),
            mine=Scope(app="bench", user=new_word(rng)),
            theirs=Scope(app="bench", user=new_word(rng)),
            pending=new_word(rng),
            parked=new_word(rng),
            plan=new_word(rng),
            crates=crates,
        )

    @property
    def scribe(self) -> Scribe:
        return Scribe((self.lamp, self.boat, self.bench))

    @property
    def words(self) -> dict[str, dict[str, str]]:
        """Group → what each is a word of → the word."""
        queued = {"pending": self.pending, "parked": self.parked, "plan": self.plan}
        of = (
            self.lamp.words,
            {"user": self.mine.user, **self.boat.words, **queued},
            {"user": self.theirs.user, **self.bench.words},
        )
        return dict(zip(GROUPS, of, strict=True))

    def learn(self, scene: Scene) -> None:
        """A topic is told in a batch for each turn; a turn of theirs waits, and one of mine is put aside."""
        for scope, topics in ((self.mine, (self.lamp, self.boat)), (self.theirs, (self.bench,))):
            self._say_crates(scene, scope)
            for text in (text for topic in topics for text in topic.turns):
                scene.say(scope, text)
                scene.settle()
        scene.say(self.mine, f"The {self.parked} is put aside")
        inbox = scene.parts.inbox
        inbox.flush()
        if claim := inbox.claim():
            inbox.park(claim, 1, f"nobody understands {self.parked}")
        scene.say(self.theirs, self.bench.turns[-1].replace("Well", "And"))

    def _say_crates(self, scene: Scene, scope: Scope) -> None:
        for start in range(0, self.crates, PER_BATCH):
            numbers = range(start, min(start + PER_BATCH, self.crates))
            scene.say(scope, *(f"Crate {at} stands in the yard" for at in numbers))
            scene.settle()

    def forget(self, scene: Scene) -> None:
        live = (record.memory for record in scene.parts.store.memories(self.mine))
        ids = tuple(one.id for one in live if self.lamp.live in one.text)
        forget(scene.parts, self.mine, Wanted(ids), datetime.now(UTC))

    def crash(self, scene: Scene) -> None:
        """A worker has kept its plan and is gone; then one more turn comes in."""
        parts = scene.parts
        scene.say(self.mine, f"The anchor is {self.plan}")
        claim = parts.inbox.claim_scope(self.mine.key)
        if claim is None:
            raise RuntimeError("somebody else holds the scope")
        parts.inbox.flush(self.mine.key)
        turns = tuple(parts.inbox.turns(claim))
        run = batch_run_id(self.mine.key, [turn.id for turn in turns], 0)
        setting = Setting(run, self.mine, turns, datetime.now(UTC), policy=policy(parts.settings))
        kept = Kept(count=len(turns), plan=thought(parts, claim, setting))
        parts.inbox.keep_plan(claim, kept.model_dump_json())
        scene.say(self.mine, f"The rudder is {self.pending}")

    def erase(self, scene: Scene) -> None:
        erase(scene.parts, self.mine, datetime.now(UTC))

    def check(self, scene: Scene) -> None:
        """Raises `RuntimeError` where the neighbour has lost anything, or what was erased is known."""
        known = self._known(scene, self.mine), self._known(scene, self.theirs)
        if known[0] or not any(self.bench.live in text for text in known[1]):
            raise RuntimeError(f"known afterwards: {known}")

    def read(self, scene: Scene) -> None:
        """Whatever was put to rest wakes up."""
        for scope in (self.mine, self.theirs):
            self._known(scene, scope)

    def _known(self, scene: Scene, scope: Scope) -> Sequence[str]:
        return [record.memory.text for record in scene.parts.store.memories(scope)]
