"""A machine that does everything to two scopes in any order, and looks after each step whether all promises hold."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from redis import Redis

from schemas.exported import Content as Line
from schemas.plan import Run
from schemas.scope import Scope
from tests.model_of_history import (
    COUNTED,
    OF_THE_WRITE,
    Act,
    Book,
    Seen,
    Version,
    content,
    gone_by_id,
    gone_by_query,
    gone_whole,
)
from tests.model_of_truth import (
    FOR_A_WHILE,
    SLOT_OF,
    VALUES,
    Said,
    Stand,
    as_it_is,
    heard,
    in_place_of,
    slot_after,
    words_in,
)
from tests.small_world import EMBEDDERS, GRACE, WISH, Fault, SmallWorld
from worker.adapters.stores.opening import open_store
from worker.core.ports import Query
from worker.core.recalling.ask import Ask
from worker.core.views import viewed
from worker.core.writing.amending import amendment
from worker.core.writing.stated import checked, stated
from worker.direct.editing import amend
from worker.direct.erasing import erase
from worker.direct.exporting import exported
from worker.direct.forgetting import Wanted, forget, sighted
from worker.direct.importing import import_lines
from worker.direct.remembering import remember
from worker.direct.restoring import restore
from worker.direct.undoing import freed, undo
from worker.errors import Unprocessable
from worker.parts import Parts
from worker.recall import earlier, known, recall, veil_of

#: How many steps of which kind were done.
DONE: Counter[str] = Counter()
#: And what came of them: acts that were cut short, undos that were refused.
BESIDES: Counter[str] = Counter()

WHERE = st.integers(0, 1)
PICK = st.integers(0, 10**6)
FAULTS = st.none() | st.builds(
    Fault, st.sampled_from(["killed before", "killed after", "lost"]), st.integers(1, 25)
)
#: A turn of a batch: what kind, of which slot, which value, whether with a field.
TURNS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "late", "again", "forget"]),
        st.sampled_from([*VALUES]),
        PICK,
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)
TEXTS = st.sampled_from([*SLOT_OF])
#: More than can be offered to one fact is another matter.
MOST_OF_A_SLOT = 7


class Idle(Exception):
    """There is nothing to do such a step to."""


def suppose(condition: object) -> None:
    if not condition:
        raise Idle


def step(**strategies: Any) -> Callable[[Callable[..., None]], Any]:
    """A rule that is left out where there is nothing to do it to, without giving up the whole life."""

    def made(act: Callable[..., None]) -> Any:
        @wraps(act)
        def tried(self: "Life", **drawn: Any) -> None:
            with suppress(Idle):
                act(self, **drawn)

        as_a_rule: Any = rule(**strategies)
        return as_a_rule(tried)

    return made


class Life(RuleBasedStateMachine):
    url: Callable[[], str]
    redis: Redis

    @initialize(resolver=st.sampled_from(["replace", "rewrite"]))
    def begin(self, resolver: Any) -> None:
        self.redis.flushall()
        self.store = open_store(type(self).url())
        self.store.open(EMBEDDERS[0].fingerprint, EMBEDDERS[0].dimensions)
        scopes = [Scope(app=f"app-{at}", user="ann") for at in range(2)]
        self.world = SmallWorld(self.store, self.redis, scopes, resolver)
        self.now = datetime(2020, 1, 1, 12, tzinfo=UTC)
        self.books = [Book(), Book()]
        #: Of each scope: name → what was said, in order.
        self.said: list[dict[str, Said]] = [{}, {}]
        self.keys: list[list[tuple[str, str]]] = [[], []]
        self.exports: list[list[list[Line]]] = [[], []]
        self.number = 0

    def teardown(self) -> None:
        if hasattr(self, "world"):
            BESIDES["acts cut short"] += self.world.faults
            self.store.close()

    # Steps

    @step(at=WHERE, turns=TURNS, fault=FAULTS)
    def batch(self, at: int, turns: Sequence[tuple[str, str, int, bool]], fault: Any) -> None:
        scope, book = self._begun(at, "batch")
        self._assume_room(at)
        wished = [slot for kind, slot, _, _ in turns if kind == "forget"]
        suppose(len(wished) == len(set(wished)))
        names: list[str] = []
        for kind, slot, pick, has_field in turns:
            name = self._named(at, kind, slot, pick, has_field=has_field)
            if name not in names:
                names.append(name)
        fresh = [
            said
            for said in (self.said[at][name] for name in names)
            if not said.turns <= book.settled and not (book.erased_at and said.at <= book.erased_at)
        ]
        # One wish of a slot is enough for one batch.
        again = [said.slot for said in fresh if said.text is None]
        suppose(len(again) == len(set(again)))
        # A turn that waits while what it is behind is purged goes unread.
        self._purged_by(at)
        before = self._seen(at)
        expected = heard(self._stands(before), fresh, self.now)
        for name in names:
            said = self.said[at][name]
            text = said.text or WISH.format(said.slot)
            self.world.publish(scope, name, text, said.at, **dict(said.fields))
        after, run = self._act(at, lambda parts: self.world.settle(parts, self.now), fault)
        if run:
            act = book.wrote(before, after, run, self.now)
            assert act.turns == {turn for said in fresh for turn in said.turns}
            self._asked(act, after)
            if again:
                act.told = words_in("\n".join(said.text or "" for said in fresh))
            self._each_turn_is_behind_one_record(act, before, after)
        else:
            assert not fresh
        self._checked(at, after, expected)

    def _named(self, at: int, kind: str, slot: str, pick: int, *, has_field: bool) -> str:
        self.number += 1
        known = [*self.said[at]]
        if kind == "again" and known:
            return known[pick % len(known)]
        name = f"t{self.number}"
        said_at = self.now - timedelta(minutes=50) + timedelta(seconds=self.number)
        if kind == "late":
            said_at -= timedelta(hours=pick % 200)
        text = None if kind == "forget" else VALUES[slot][pick % len(VALUES[slot])]
        fields = {(f"k{self.number}", self.number)} if has_field else set[tuple[str, int]]()
        turn = self.world.turn_id(self.world.scopes[at], name)
        self.said[at][name] = Said(slot, text, said_at, frozenset([turn]), frozenset(fields))
        return name

    def _asked(self, act: Act, after: Seen) -> None:
        """What somebody asked to forget is hidden with all that was replaced by it."""
        gone = [
            id
            for id, one in act.before.items()
            if one is not None
            and id not in after.live
            and after.last(id).archive.replaced_by is None
        ]
        if gone:
            act.forgot = gone_whole(after, gone)
            act.forgot_at = act.at

    def _each_turn_is_behind_one_record(self, act: Act, before: Seen, after: Seen) -> None:
        fresh = after.versions.keys() - before.versions.keys()
        born = [after.versions[version] for version in fresh if version[1] == 1]
        counts = Counter(turn for memory in born for turn in memory.turn_ids)
        assert all(many == 1 for turn, many in counts.items() if turn in act.turns), counts

    @step(
        at=WHERE,
        text=TEXTS,
        how=st.sampled_from(["judged", "as it is", "in place of one", "in place of two", "again"]),
        pick=PICK,
        pinned=st.sampled_from([False, False, False, True]),
        fault=FAULTS,
    )
    def remember(
        self, at: int, text: str, how: str, pick: int, *, pinned: bool, fault: Any
    ) -> None:
        scope, book = self._begun(at, f"remember {how}")
        self._assume_room(at)
        before = self._seen(at)
        slot, stands = SLOT_OF[text], self._stands(before)
        key = f"w{self.number}"
        self.number += 1
        if how == "again":
            suppose(self.keys[at])
            key, text = self.keys[at][pick % len(self.keys[at])]
            slot = SLOT_OF[text]
        pinned = pinned and slot != FOR_A_WHILE
        said = Said(
            slot,
            text,
            self.now,
            frozenset(),
            frozenset([(key, self.number)]),
            frozenset([f"tag {key}"]),
        )
        mine = [one for one in stands if one.slot == slot]
        rest = [one for one in stands if one.slot != slot]
        named: list[UUID] = []
        if how.startswith("in place"):
            ids = [id for id, one in before.live.items() if SLOT_OF[one.memory.text] == slot]
            most = 2 if how.endswith("two") else 1
            suppose(len(ids) >= most)
            ids.sort(key=lambda one: (one.int + pick) % 10**6)
            named = ids[:most]
            found = [in_place_of(mine, [Stand.of(before.live[id].memory) for id in named], said)]
        elif how == "as it is":
            found = as_it_is(mine, said, self.now)
        else:
            found = slot_after(mine, [replace(said, fields=frozenset())], self.now)
        line: dict[str, Any] = {
            "text": text,
            "attribute": slot,
            "external_ref": key,
            "tags": [*said.tags],
            "metadata": dict(said.fields),
            "pinned": pinned,
            "supersedes": named,
        }
        if slot == FOR_A_WHILE:
            line["until"] = self.now + timedelta(days=2)
        one = stated(checked(line), scope, key, self.now)
        is_known = one.turn.id in book.settled
        # What stands again by `restore` is not confirmed by the statement that it came from.
        behind = {turn for record in before.live.values() for turn in record.memory.turn_ids}
        suppose(is_known or one.turn.id not in behind)
        after, run = self._act(
            at,
            lambda parts: remember(parts, scope, [one], self.now, judge=how != "as it is"),
            fault,
        )
        if run:
            assert not is_known
            book.wrote(before, after, run, self.now)
            self.keys[at].append((key, text))
            expected = [
                [*rest, *one.rest, one.carrier.carrying(said, pinned=pinned)]
                for one in found
                if one.carrier
            ]
            assert expected
        else:
            assert is_known
            expected = [stands]
        self._checked(at, after, expected)

    @step(
        at=WHERE,
        pick=PICK,
        what=st.sampled_from(["text", "tags", "field", "pin", "unpin", "no tags"]),
        fault=FAULTS,
    )
    def edit(self, at: int, pick: int, what: str, fault: Any) -> None:
        scope, book = self._begun(at, f"edit {what}")
        self._assume_room(at)
        before = self._seen(at)
        suppose(before.live)
        id = sorted(before.live)[pick % len(before.live)]
        stand = Stand.of(before.live[id].memory)
        self.number += 1
        key, number = f"e{self.number}", self.number
        others = [text for text in VALUES[stand.slot] if text != stand.text]
        suppose(stand.slot != FOR_A_WHILE or what in {"tags", "field", "no tags"})
        changes: dict[str, tuple[dict[str, Any], Stand]] = {
            "text": (
                {"text": others[pick % len(others)]},
                replace(stand, text=others[pick % len(others)], said_at=self.now),
            ),
            "tags": ({"add_tags": [key]}, replace(stand, tags=stand.tags | {key})),
            "field": (
                {"metadata": {key: number}},
                replace(stand, fields=stand.fields | {(key, number)}),
            ),
            "pin": ({"pinned": True}, replace(stand, pinned=True)),
            "unpin": ({"pinned": False}, replace(stand, pinned=False)),
            "no tags": ({"remove_tags": [*stand.tags]}, replace(stand, tags=frozenset())),
        }
        fields, wanted = changes[what]
        refused = stand.has_lapsed(self.now)
        stands = self._stands(before)
        after, run = self._act(
            at,
            lambda parts: amend(parts, scope, id, amendment(fields), key=key, now=self.now),
            fault,
            refused=refused,
        )
        if run:
            book.wrote(before, after, run, self.now)
            stands.remove(stand)
            stands.append(wanted)
        else:
            assert refused or wanted == stand
        self._checked(at, after, [stands])

    @step(at=WHERE, pick=PICK, twice=st.booleans(), fault=FAULTS)
    def undo(self, at: int, pick: int, *, twice: bool, fault: Any) -> None:
        self._begun(at, "undo")
        acts = [*self.books[at].acts.values()]
        suppose(acts)
        there = self._seen(at)
        # Rather a late one: an early one is mostly built upon.
        act = acts[-1 - (pick % len(acts) if pick % 3 else pick % min(3, len(acts)))]
        undone = self._undone(at, act, fault)
        if undone and twice:
            BESIDES["undo of the undo"] += 1
            self._tick()
            assert self._undone(at, undone, None)
            now = self._seen(at)
            assert {id: content(one) for id, one in there.live.items()} == {
                id: content(one) for id, one in now.live.items()
            }

    def _undone(self, at: int, act: Act, fault: Any) -> Act | None:
        """It is refused if, and only if, something stands against it."""
        scope, book = self.world.scopes[at], self.books[at]
        self._purged_by(at)
        before = self._seen(at)
        why_not = book.stands_against(act, before)
        # Done again, forgetting keeps the time at which it was done first: its grace may be over at once.
        suppose(
            not act.undoes
            or all(one.at + GRACE > self.now for one in book.chain(act) if one.forgot)
        )
        free: list[UUID] = []

        def turn_back(parts: Parts) -> None:
            try:
                plan = undo(parts, scope, act.id, self.now)
            except Unprocessable:
                run = parts.store.run(scope, act.id)
                if fault is None or why_not or run is None or run.state != "undone":
                    raise
                return  # Whoever was cut short had come so far that it was finished.
            free.extend(freed(parts.store, plan))

        after, run = self._act(at, turn_back, fault, refused=why_not is not None)
        if why_not is not None:
            BESIDES[f"refused: {why_not}"] += 1
            assert run is None, why_not
            self._checked(at, after, [self._stands(before)])
            return None
        assert run, act
        undo_act = book.wrote(before, after, run, self.now)
        book.turned(act, undo_act, after)
        for id in before.live.keys() | after.live.keys() | act.before.keys():
            was = act.before[id] if id in act.before else content(before.live.get(id))
            assert content(after.live.get(id)) == was, f"{id} is not as it was before {act.kind}"
        first = book.chain(act)[-1]
        for version, reason in first.filed.items():
            found = after.archives[version].archive.reason
            assert found == ("undone" if first.is_undone else reason), (found, first)
        self._checked(at, after, None)
        return undo_act

    @step(at=WHERE, pick=PICK, fault=FAULTS)
    def restore(self, at: int, pick: int, fault: Any) -> None:
        scope, book = self._begun(at, "restore")
        self._assume_room(at)
        self._purged_by(at)
        before = self._seen(at)
        versions = sorted(before.versions)
        suppose(versions)
        version = versions[pick % len(versions)]
        refused = version in book.hidden
        after, run = self._act(
            at,
            lambda parts: restore(parts, scope, *version, self.now),
            fault,
            refused=refused,
        )
        if run:
            assert not refused
            book.wrote(before, after, run, self.now)
        if not refused:
            wanted = before.versions[version].model_dump(exclude=OF_THE_WRITE)
            assert content(after.live.get(version[0])) == wanted
        for id in before.live.keys() | after.live.keys():
            if refused or id != version[0]:
                assert after.live.get(id) == before.live.get(id)
        self._checked(at, after, None)

    @step(at=WHERE, pick=PICK, fault=FAULTS)
    def forget_by_id(self, at: int, pick: int, fault: Any) -> None:
        self._begun(at, "forget by id")
        self._purged_by(at)
        before = self._seen(at)
        ids = sorted({id for id, _ in before.versions})
        suppose(ids)
        id = ids[pick % len(ids)]
        self._forgotten(at, Wanted((id,)), gone_by_id(before, id), before, fault)

    @step(at=WHERE, text=TEXTS, fault=FAULTS)
    def forget_by_query(self, at: int, text: str, fault: Any) -> None:
        scope, _ = self._begun(at, "forget by query")
        self._purged_by(at)
        before = self._seen(at)
        named = sighted(self.world.parts, scope, text, self.now).named
        saying = before.saying(text)
        assert bool(named) == bool(saying)
        wanted = Wanted(tuple(one.id for one in named), text)
        self._forgotten(at, wanted, gone_by_query(before, text), before, fault)

    def _forgotten(
        self, at: int, wanted: Wanted, gone: set[Version], before: Seen, fault: Any
    ) -> None:
        scope, book = self.world.scopes[at], self.books[at]
        after, run = self._act(at, lambda parts: forget(parts, scope, wanted, self.now), fault)
        if run:
            act = book.wrote(before, after, run, self.now)
            act.forgot, act.forgot_at = set(gone), self.now
            act.needs |= gone
            # Nothing can be built on what is gone.
            told = {turn for version in gone for turn in before.versions[version].turn_ids}
            assert act.turns <= told, "turns of what stays are not its concern"
        else:
            assert not gone
        left = [
            Stand.of(one.memory)
            for id, one in before.live.items()
            if (id, one.memory.version) not in gone
        ]
        self._checked(at, after, [left])

    @step(at=WHERE, days=st.integers(1, 5), fault=FAULTS)
    def time_passes(self, at: int, days: int, fault: Any) -> None:
        self._begun(at, "time passes")
        self.now += timedelta(days=days)
        before = self._seen(at)
        after, run = self._passed(at, fault)
        assert run is None
        self._checked(at, after, [self._stands(before)])

    def _passed(self, at: int, fault: Any) -> tuple[Seen, Run | None]:
        scope = self.world.scopes[at]
        return self._act(at, lambda parts: self.world.held_once(parts, scope, self.now), fault)

    @step(at=WHERE, fault=FAULTS)
    def sleep(self, at: int, fault: Any) -> None:
        scope, book = self._begun(at, "sleep")
        before = self._seen(at)
        after, run = self._act(at, lambda parts: self.world.sleep(parts, scope, self.now), fault)
        stands = self._stands(before)
        lapsed = [one for one in stands if one.has_lapsed(self.now) and not one.pinned]
        assert bool(run) == bool(lapsed)
        if run:
            book.wrote(before, after, run, self.now)
        self._checked(at, after, [[one for one in stands if one not in lapsed]])

    @step(at=WHERE, chance=st.integers(0, 2), fault=FAULTS)
    def erase(self, at: int, chance: int, fault: Any) -> None:
        suppose(chance == 0)
        scope, book = self._begun(at, "erase")
        after, run = self._act(at, lambda parts: erase(parts, scope, self.now), fault)
        assert run is None
        assert not after.versions
        assert not after.runs
        assert not self.store.about(scope).is_prepared
        book.erased(self.now)
        self.keys[at].clear()
        left = [line for line in self.world.queued(scope) if "seen:" not in line]
        assert left == []
        self._checked(at, after, [[]])

    @step(which=st.integers(0, len(EMBEDDERS) - 1), at=WHERE)
    def another_embedder(self, which: int, at: int) -> None:
        self._begun(at, "another embedder")
        before = self._seen(at)
        self.world.changed_over(EMBEDDERS[which])
        after, run = self._passed(at, None)
        assert run is None
        self._checked(at, after, [self._stands(before)])

    @step(at=WHERE, pick=PICK)
    def import_again(self, at: int, pick: int) -> None:
        """What a scope once said of itself brings nothing back, and changes nothing."""
        scope, _ = self._begun(at, "import again")
        self._purged_by(at)
        before = self._seen(at)
        self.exports[at].append([*exported(self.store, scope, vectors=bool(pick % 2))])
        lines = self.exports[at][pick % len(self.exports[at])]
        after, run = self._act(at, lambda parts: import_lines(parts, scope, lines, self.now), None)
        assert run is None, run
        assert before == after
        self._checked(at, after, [self._stands(before)])

    # What is common to all steps

    def _begun(self, at: int, name: str) -> tuple[Scope, Book]:
        self._tick()
        self.doing = name
        return self.world.scopes[at], self.books[at]

    def _tick(self) -> None:
        self.now += timedelta(hours=1)

    def _purged_by(self, at: int) -> None:
        """What is due goes before anything is looked at, as it would with the act."""
        self._passed(at, None)
        self._gone(at, self._seen(at))

    def _assume_room(self, at: int) -> None:
        counts = Counter(one.slot for one in self._stands(self._seen(at)))
        suppose(all(many <= MOST_OF_A_SLOT for many in counts.values()))

    def _seen(self, at: int) -> Seen:
        return Seen.of(self.store, self.world.scopes[at])

    def _stands(self, seen: Seen) -> list[Stand]:
        return [Stand.of(one.memory) for one in seen.live.values()]

    def _act(
        self, at: int, do: Callable[[Parts], object], fault: Any, *, refused: bool = False
    ) -> tuple[Seen, Run | None]:
        """The scope afterwards, and the run that came of it; the other scope is as it was."""
        DONE[self.doing] += 1
        scope, other = self.world.scopes[at], self.world.scopes[1 - at]
        elsewhere = self.world.kept(other)
        before = {run.id for run in self.store.runs(scope)}
        try:
            self.world.done(do, scope, fault, self.now)
        except Unprocessable:
            if not refused:
                raise
        else:
            assert not refused, "it was not refused"
        assert self.world.kept(other) == elsewhere, "the other scope is as it was"
        after = self._seen(at)
        fresh = [run for id, run in after.runs.items() if id not in before]
        assert len(fresh) < 2, fresh
        return after, fresh[0] if fresh else None

    # What must be true after each step

    def _checked(self, at: int, after: Seen, expected: Iterable[list[Stand]] | None) -> None:
        scope, book = self.world.scopes[at], self.books[at]
        if expected is not None:
            found = Counter(self._stands(after))
            options = [Counter(one) for one in expected]
            assert found in options, f"found {found}, expected one of {options}"
        assert self.store.open_runs(scope) == []
        self._gone(at, after)
        self._versions_only_grow(book, after)
        self._turns_are_settled_once(book, after)
        self._nothing_forgotten_is_shown(at, after)
        self._moments_are_as_they_were(at, after)
        self._vectors_agree(at, after)

    def _gone(self, at: int, after: Seen) -> None:
        """What was forgotten goes in its time, and nothing else ever does."""
        book = self.books[at]
        missing = book.versions.keys() - after.versions.keys()
        assert missing - book.purged <= book.may_go(GRACE, self.now), "a version is lost"
        assert not (book.purged & after.versions.keys()), "what was purged is back"
        assert not (book.must_go(GRACE, self.now) & after.versions.keys()), "not purged"
        book.purged |= missing

    def _versions_only_grow(self, book: Book, after: Seen) -> None:
        for version, memory in after.versions.items():
            now = memory.model_dump(exclude=OF_THE_WRITE | COUNTED | {"scope"})
            assert book.versions.setdefault(version, now) == now, "a version has changed"
            book.ends.setdefault(version, set()).add(memory.until)
        for (id, number), one in after.archives.items():
            if id in after.live:
                assert after.live[id].memory.version > number
            archive = one.archive
            if archive.reason in {"superseded", "merged", "late"}:
                assert archive.replaced_by is not None
                known = {version[0] for version in (*after.versions, *book.purged)}
                assert archive.replaced_by in known
            assert archive.run in after.runs

    def _turns_are_settled_once(self, book: Book, after: Seen) -> None:
        applied = [run for run in after.runs.values() if run.state == "applied"]
        assert {run.state for run in after.runs.values()} <= {"applied", "undone"}
        found = {turn for run in applied for turn in run.turn_ids}
        assert found == book.settled
        learned = Counter(turn for run in applied if run.kind == "batch" for turn in run.turn_ids)
        assert all(many == 1 for many in learned.values())
        states = {id: act.is_undone for id, act in book.acts.items()}
        assert {id: run.state == "undone" for id, run in after.runs.items()} == states

    def _nothing_forgotten_is_shown(self, at: int, after: Seen) -> None:
        scope, book = self.world.scopes[at], self.books[at]
        shown = earlier(self.store, scope)
        versions = {(one.memory.id, one.memory.version) for one in shown}
        assert after.archives.keys() - versions == book.hidden, (
            f"{after.archives.keys() - versions} hidden, not {book.hidden}"
        )
        stay = after.versions.keys() - book.hidden
        may_tell = frozenset[str]().union(*(words_in(after.versions[one].text) for one in stay))
        may_tell |= book.told(in_reads=True)
        veil = veil_of(self.store, scope)
        reads = {
            "memories": [one.model_dump_json() for one in known(self.store, scope, self.now)],
            "history": [one.model_dump_json() for one in shown],
            "runs": [veil.run(run).model_dump_json() for run in after.runs.values()],
            "export": [one.model_dump_json() for one in exported(self.store, scope, vectors=False)],
        }
        for read, texts in reads.items():
            told = words_in("\n".join(texts))
            assert told <= may_tell, f"{read} tells {told - may_tell}"
        in_store = frozenset[str]().union(*(words_in(m.text) for m in after.versions.values()))
        in_store |= book.told(in_reads=False)
        told = words_in(self.world.kept(scope))
        assert told <= in_store, f"store or queue tells {told - in_store}"

    def _moments_are_as_they_were(self, at: int, after: Seen) -> None:
        book = self.books[at]
        live = [one.memory for one in after.live.values()]
        archives = [one.archive for one in after.archives.values()]
        unknown = book.hidden | book.purged
        unknown |= {version for version, ends in book.ends.items() if len(ends) > 1}
        for moment, there in book.moments:
            found = viewed(archives, live, self.now, as_of=moment)
            told = {(one.id, one.version): one.text for one in found}
            assert _without(told, unknown) == _without(there, unknown), f"as of {moment}"
            assert not told.keys() & (book.hidden | book.purged)
        current = {
            (one.id, one.version): one.text
            for one in live
            if one.until is None or self.now < one.until
        }
        book.moments.append((self.now, current))

    def _vectors_agree(self, at: int, after: Seen) -> None:
        scope, world = self.world.scopes[at], self.world
        about = self.store.about(scope)
        if not about.is_prepared:
            assert not after.versions
            return
        mine = {one.fingerprint: one for one in EMBEDDERS}[about.embedder or ""]
        archived = [(one.archive.memory, one.vector) for one in after.archives.values()]
        for memory, vector in (
            *((one.memory, one.vector) for one in after.live.values()),
            *archived,
        ):
            assert vector == mine.embed([memory.text])[0]
        if mine is not world.parts.embedder or not after.live:
            return
        texts = sorted({one.memory.text for one in after.live.values()})
        asked = [Query(vector=vector) for vector in mine.embed(texts)]
        nominated = self.store.nominate(scope, asked, len(after.live))
        for text, ranking in zip(texts, nominated.rankings, strict=True):
            ids = {id for id, one in after.live.items() if one.memory.text == text}
            assert {*ranking.by_vector[: len(ids)]} == ids, text
        text = texts[self.now.day % len(texts)]
        best = recall(self.store, mine, scope, Ask((text,), limit=100), self.now).items
        told = {one.memory.text for one in best}
        assert told <= {one.text for one in known(self.store, scope, self.now)}
        assert text in told or all(
            one.memory.until and one.memory.until <= self.now
            for one in after.live.values()
            if one.memory.text == text
        )


def _without(told: dict[Version, str], unknown: set[Version]) -> dict[Version, str]:
    return {version: text for version, text in told.items() if version not in unknown}


def machine(url: Callable[[], str], client: Redis) -> type[Life]:
    """On stores at these addresses, each new."""
    return type("Life", (Life,), {"url": staticmethod(url), "redis": client})
