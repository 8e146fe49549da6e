"""What callers attach stays on the memory, or on the one that stands in its place, whatever happens to it."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.memory import Memory, MemoryRecord
from schemas.plan import File, Plan, Retire
from tests.build import SCOPE, at, candidacy, fact, turn, uid, vector
from tests.effort import examples
from tests.worker.core.planning.test_plan_properties import Shelf
from worker.core.groups.judgment import Group, Groups
from worker.core.groups.setting import Setting
from worker.core.planning.plan import new_texts, plan
from worker.core.writing.amending import amended, amending, amendment
from worker.core.writing.attaching import attached
from worker.core.writing.stated import Stated, checked, stated
from worker.core.writing.superseding import superseding, with_changes

TEXTS = st.sampled_from(
    ["Drinks tea", "Drinks tea.", "Drinks coffee", "Lives in Ghent", "猫がいる"]
)
RELATIONS = st.sampled_from(["same", "update", "contradict"])


@dataclass
class World:
    """A scope's memory, and where each thing that was attached has to be."""

    shelf: Shelf = field(default_factory=lambda: Shelf({}))
    #: A tag and the name of a field, the same word for both → the memory that has it.
    attached: dict[str, UUID] = field(default_factory=dict)
    pinned: set[UUID] = field(default_factory=set)
    steps: Any = field(default_factory=count)

    def setting(self, *statements: Stated) -> Setting:
        step = next(self.steps)
        turns = tuple(one.turn for one in statements) or (turn(f"t{step}"),)
        return Setting(run=uid(f"run {step}"), scope=SCOPE, turns=turns, now=at(step), kind="write")

    def put(self, made: Plan) -> None:
        self.shelf = self.shelf.put(made)
        for change in made.changes:
            if isinstance(change, Retire):
                archive = change.archive.archive
                assert archive.replaced_by
                moved = {
                    w: archive.replaced_by
                    for w, id in self.attached.items()
                    if id == archive.memory.id
                }
                self.attached |= moved

    def memory(self, id: UUID) -> Memory:
        if id in self.shelf.live:
            return self.shelf.live[id].memory
        (filed,) = [one for one in self.shelf.archives.values() if one.archive.memory.id == id]
        assert filed.archive.reason in {"late", "superseded", "merged"}
        return filed.archive.memory

    def check(self) -> None:
        for word, id in self.attached.items():
            memory = self.memory(id)
            assert word in memory.tags
            assert memory.metadata[word] == word
        for id in self.pinned:
            assert self.shelf.live[id].memory.pinned


def judged(draw: Any, world: World, facts: list[Any], setting: Setting) -> Plan:
    live = list(world.shelf.live.values())[:5]
    case = candidacy(facts, live)
    left = list(draw(st.permutations([*case.fact_labels, *case.memory_labels])))
    groups = list[Group]()
    while len(left) > 1:
        size = draw(st.integers(1, 4))
        members, left = left[:size], left[size:]
        if len(members) > 1:
            groups.append(Group(why="so", members=tuple(members), relation=draw(RELATIONS)))
    found = Groups(groups=tuple(groups), new=())
    return plan(setting, case, found, {text: vector(text) for text in new_texts(case, found)})


def batch(draw: Any, world: World) -> None:
    setting = world.setting()
    said = at(draw(st.integers(-5, 20)))
    facts = [fact(draw(TEXTS), turn_ids=(setting.turns[0].id,), said_at=said)]
    world.put(judged(draw, world, facts, setting))


def statement(draw: Any, world: World, **fields: Any) -> tuple[str, Stated]:
    step = next(world.steps)
    word = f"w{step}"
    line = {"text": draw(TEXTS), "tags": [word], "metadata": {word: word}, **fields}
    if draw(st.booleans()):
        line["said_at"] = at(draw(st.integers(-5, step))).isoformat()
    return word, stated(checked(line), SCOPE, word, at(step))


def remember(draw: Any, world: World) -> None:
    pin = draw(st.sampled_from([False, False, True]))
    told = [statement(draw, world, pinned=pin) for _ in range(draw(st.integers(1, 2)))]
    statements = [one for _, one in told]
    setting = world.setting(*statements)
    made = judged(draw, world, [one.fact for one in statements], setting)
    if made.held:
        return
    made = attached(made, statements)
    world.put(made)
    for word, one in told:
        mine = [c for c in made.changes if one.turn.id in c.turn_ids and not isinstance(c, Retire)]
        filed = [c for c in mine if isinstance(c, File)]
        main = filed[0].archive.archive.memory if filed else mine[0].record.memory
        world.attached[word] = main.id
        if pin and not filed:
            world.pinned.add(main.id)


def supersede(draw: Any, world: World) -> None:
    free = [id for id in world.shelf.live if id not in world.pinned]
    if not free:
        return
    ids = draw(st.lists(st.sampled_from(free), min_size=1, max_size=3, unique=True))
    word, one = statement(draw, world, supersedes=[str(id) for id in ids])
    setting = world.setting(one)
    changes = list(superseding(setting, one, world.shelf.live, vector(one.fact.text)))
    blank = plan(setting, candidacy([]), Groups(groups=(), new=()), {})
    world.put(attached(with_changes(blank, changes), [one]))
    world.attached[word] = ids[0]


def amend(draw: Any, world: World) -> None:
    if not world.shelf.live:
        return
    id = draw(st.sampled_from(sorted(world.shelf.live, key=str)))
    fields: dict[str, Any] = draw(
        st.sampled_from(
            [{"text": "Drinks milk"}, {"pinned": False}, {"pinned": True}, {"kind": "x"}]
        )
    )
    old, setting, key = world.shelf.live[id], world.setting(), uid(f"edit {next(world.steps)}")
    found = amended(old.memory, amendment(fields), key, setting.now)
    if found is None:
        return
    new = MemoryRecord(memory=found, vector=vector(found.text))
    world.put(amending(setting, key, old, new, ""))
    if "pinned" in fields:
        world.pinned = (world.pinned | {id}) if fields["pinned"] else world.pinned - {id}


@given(st.data())
@settings(max_examples=examples(150), deadline=None)
def test_what_callers_attach_survives_whatever_comes_after_it(data: st.DataObject) -> None:
    world = World()
    for _ in range(data.draw(st.integers(2, 8))):
        act = data.draw(st.sampled_from([batch, remember, remember, supersede, amend]))
        act(data.draw, world)
        world.check()


@given(st.data())
@settings(max_examples=examples(80), deadline=None)
def test_whatever_a_direct_write_changes_is_kept_as_it_was(data: st.DataObject) -> None:
    world = World()
    for _ in range(data.draw(st.integers(2, 6))):
        before = dict(world.shelf.live)
        act = data.draw(st.sampled_from([remember, supersede, amend]))
        act(data.draw, world)
        kept = {
            (one.archive.memory.id, one.archive.memory.version): one.archive.memory
            for one in world.shelf.archives.values()
        }
        for id, record in before.items():
            now = world.shelf.live.get(id)
            if now is None or now.memory.version != record.memory.version:
                assert kept[id, record.memory.version] == record.memory
            else:
                assert now.memory.metadata == record.memory.metadata
                assert now.memory.tags == record.memory.tags
