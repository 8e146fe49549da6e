"""The judge by itself, on statements as extraction makes them; the embedder is a number in the table."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.memory import Fact, Memory, MemoryRecord
from tests.effort import examples
from tests.worker.rules.replay import SCOPE, facts_of, turn
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.merging import born
from worker.core.judging.group_rules import complaints
from worker.rules.judgment import RuleJudgment

#: Of an embedder, as measured: one statement in two wordings, and two that are about the same thing.
SAME, NEAR = 0.962, 0.93
EARLIER, LATER = "2026-01-05T09:00:00+00:00", "2026-03-05T09:00:00+00:00"


def fact(text: str, said_at: str = LATER) -> Fact:
    [found] = facts_of(turn(text, said_at))
    return found


def memory(text: str, said_at: str = EARLIER, number: int = 1) -> MemoryRecord:
    said = fact(text, said_at)
    made = born(
        said, id=UUID(int=number), scope=SCOPE, run=UUID(int=0), now=said.said_at, metadata={}
    )
    return MemoryRecord(memory=made, vector=b"")


def candidacy(
    facts: Sequence[Fact], records: Sequence[MemoryRecord] = (), cosine: float = NEAR
) -> Candidacy:
    """Everything about one subject is offered to everything else."""
    labels = [f"f{at + 1}" for at in range(len(facts))] + [
        f"c{at + 1}" for at in range(len(records))
    ]
    offered = tuple(tuple(one for one in labels if one != f"f{at + 1}") for at in range(len(facts)))
    cosines = {(f"f{at + 1}", one): cosine for at, mine in enumerate(offered) for one in mine}
    return Candidacy(tuple(facts), (b"",) * len(facts), tuple(records), offered, cosines)


def judged(item: Candidacy) -> Groups:
    return RuleJudgment(SAME).read(item, ())


def of_pair(older: str, newer: str, cosine: float = NEAR) -> Group | None:
    found = judged(candidacy([fact(newer)], [memory(older)], cosine))
    return found.groups[0] if found.groups else None


@pytest.mark.parametrize(
    "older, newer, cosine",
    [
        ("I live in Porto.", "My home is in Porto.", NEAR),
        ("I moved to Porto.", "I'm based in Porto.", NEAR),
        ("I've lived in Porto for over three years.", "I live in Porto.", NEAR),
        ("I keep two rescue greyhounds.", "I have two greyhounds that are rescues.", 0.98),
        ("I play the cello in an orchestra.", "I play the cello.", 0.97),
        ("I meet friends at Café Müller.", "I meet friends at Cafe\u0301 Mu\u0308ller.", NEAR),
        ("I'm vegetarian.", "I am a vegetarian.", NEAR),
    ],
)
def test_the_same_in_other_words_is_said_again(older: str, newer: str, cosine: float) -> None:
    group = of_pair(older, newer, cosine)

    assert group is not None
    assert (group.relation, group.drops, group.text) == ("same", (), None)


@pytest.mark.parametrize(
    "older, newer",
    [
        ("I moved from Graz to Lyon.", "I moved from Lyon to Graz."),
        ("I sold the Volvo and bought a Mazda.", "I sold the Mazda and bought a Volvo."),
        ("I switched from Rust to Zig.", "I switched from Zig to Rust."),
    ],
)
def test_a_change_that_is_turned_round_is_no_repetition(older: str, newer: str) -> None:
    found = of_pair(older, newer, 0.99)
    assert found is None or found.relation != "same"


@pytest.mark.parametrize(
    "older, newer",
    [
        ("ERR_12 means it is full.", "ERR_13 means it is full."),
        ("I run 5k every morning.", "I run 10k every morning."),
        ("Ticket PAY-311 is mine.", "Ticket PAY-312 is mine."),
        ("Parcel 88213-A is mine.", "Parcel 88213-B is mine."),
        ("Locker A-12 is mine.", "Locker A.12 is mine."),
        ("I work at Acme.", "I also work at Initech."),
        ("Staging listens on port 7443.", "Production listens on port 7443."),
        ("I have a cat.", "I have a dog."),
        ("I have a cat called Olive.", "I have a cat called Pickle."),
        ("I speak Dutch.", "I'm learning Korean."),
        ("I'm allergic to peanuts.", "I'm allergic to penicillin."),
        ("I drink coffee.", "I drink tea."),
        ("I take sugar in tea.", "I don't take sugar in tea."),
        ("I never eat breakfast.", "I eat breakfast."),
        ("I'm a paramedic.", "I'm not a paramedic."),
        ("I live in Porto.", "I lived in Ghent as a child."),
        ("I live in Porto.", "I'm moving to Ghent in May."),
        ("I live in Porto.", "I want to live in Ghent."),
        ("I work at Acme.", "I worked at Initech for a year."),
        ("I work as a nurse at St Elin.", "I also run the first-aid course at St Elin now."),
        ("My house is in Lisbon.", "My office is in Lisbon."),
        ("My favourite colour is teal.", "My favourite tea is sencha."),
        ("I like Saabs.", "I sold the Saab."),
        ("I work at the library.", "I complained about the library's heating."),
        ("I prefer the aisle seat.", "I prefer the window seat."),
        ("My dentist is Dr Weber.", "My dentist is Dr Alonso."),
        ("I live in Porto.", "My sister lives in Ghent."),
        ("Never use emojis.", "Always use emojis."),
    ],
)
def test_look_alikes_stay_apart_however_near(older: str, newer: str) -> None:
    assert of_pair(older, newer, cosine=0.999) is None


@pytest.mark.parametrize(
    "older, newer, text",
    [
        (
            "I've lived in Porto for over three years.",
            "I moved to Ghent.",
            "User moved to Ghent; before that lived in Porto for over three years",
        ),
        (
            "I work as a baker at Acme.",
            "I work at Initech now.",
            "User works at Initech now; before that worked as a baker at Acme",
        ),
        (
            "My favourite colour is teal.",
            "My favorite colour is rust.",
            "User's favourite colour is rust; before that their favourite colour was teal",
        ),
        (
            "I'm single.",
            "I got married to Alex.",
            "User got married to Alex; before that was single",
        ),
        (
            "I smoke in the garden.",
            "I quit smoking.",
            "User quit smoking; before that smoked in the garden",
        ),
        (
            "Production listens on port 7444.",
            "Production moved to 7445.",
            "Production moved to 7445; before that listened on port 7444",
        ),
    ],
)
def test_a_change_keeps_what_was_before(older: str, newer: str, text: str) -> None:
    group = of_pair(older, newer)

    assert group is not None
    assert group.relation in {"update", "contradict"}
    assert (group.text or "").replace("favorite", "favourite") == text


def test_more_detail_takes_the_place_of_less() -> None:
    group = of_pair("I play the cello.", "I play the cello in an orchestra.", 0.97)

    assert group is not None
    assert (group.relation, group.text) == ("update", None)


def test_details_on_both_sides_are_both_kept() -> None:
    group = of_pair("I've lived in Porto for three years.", "My home is in Porto, by the river.")

    assert group is not None
    assert group.text == (
        "User's home is in Porto, by the river; also: User has lived in Porto for three years"
    )


def test_one_sentence_may_overturn_two_memories() -> None:
    records = [
        memory("I drive an old Saab to the office."),
        memory("I rent a parking place in Mill Street.", number=2),
        memory("I learned to drive at nineteen.", number=3),
    ]

    [group] = judged(
        candidacy([fact("I sold the Saab and gave up the parking place.")], records)
    ).groups

    assert set(group.members) == {"f1", "c1", "c2"}
    assert group.relation == "contradict"
    assert "drove an old Saab" in (group.text or "")
    assert "rented a parking place in Mill Street" in (group.text or "")


def test_what_holds_for_a_while_says_what_stands_again() -> None:
    older = "Every morning I make a pour-over coffee and listen to a podcast."
    group = of_pair(older, "While the machine is in repair I drink tea every morning.")

    assert group is not None
    assert group.after == ("Every morning User makes a pour-over coffee and listens to a podcast")
    assert group.text is not None
    assert group.text.endswith(f"otherwise: {group.after}")


def test_what_arrives_late_becomes_history() -> None:
    late = fact("I live in Porto.", EARLIER)

    [group] = judged(candidacy([late], [memory("I moved to Ghent.", LATER)])).groups

    assert (group.members, group.text) == (("f1", "c1"), None)
    assert group.relation == "update"
    assert group.drops == ("User lives in Porto",)


@pytest.mark.parametrize("known", ["I moved to Ghent.", "I live in Ghent."])
def test_all_that_arrives_late_in_one_batch_becomes_history(known: str) -> None:
    late = [
        fact("I live in Porto.", "2026-01-05T09:00:00+00:00"),
        fact("I live in Faro.", "2026-01-07T09:00:00+00:00"),
        fact("I live in Ghent.", "2026-01-06T09:00:00+00:00"),
    ]

    found = judged(candidacy(late, [memory(known, LATER)]))

    [group] = found.groups
    assert (set(group.members), found.new) == ({"f1", "f2", "f3", "c1"}, ())
    assert (group.relation, group.text) != ("same", None)


def test_what_was_said_before_in_the_same_words_and_comes_late_twice_is_that_said_again() -> None:
    late = [fact("I live in Ghent.", at) for at in (EARLIER, "2026-01-07T09:00:00+00:00")]

    [group] = judged(candidacy(late, [memory("I live in Ghent.", LATER)])).groups

    assert (set(group.members), group.relation) == ({"f1", "f2", "c1"}, "same")


@pytest.mark.parametrize("beside", [(), ("2026-01-05T09:00:00+00:00",)])
def test_a_value_that_comes_back_takes_the_place_of_what_stood_between(
    beside: tuple[str, ...],
) -> None:
    """Its words stand in the text already, as what was before."""
    record = memory("I live in Faro.")
    woven = "User lives in Faro; before that lived in Porto"
    old = record.memory.model_copy(update={"text": woven})
    back = [fact("I live in Porto.", at) for at in (LATER, *beside)]

    found = judged(candidacy(back, [MemoryRecord(memory=old, vector=b"")]))

    [group] = found.groups
    assert found.new == ()
    assert group.relation == "contradict"
    assert (group.text or "").startswith("User lives in Porto; before that lived in Faro")


def test_a_finding_that_a_model_would_be_refused_is_none() -> None:
    """One text cannot hold it all, and what would be dropped is longer than a clause."""
    record = memory("I live in Porto.")
    longer = (
        f"User lives in Porto; before: User lived in {'a quiet and leafy street near ' * 10}Faro"
    )
    old = record.memory.model_copy(update={"text": longer})
    moved = fact(f"I moved to Ghent, to {'a loud and busy street near ' * 4}Gravensteen.")

    found = judged(candidacy([moved], [MemoryRecord(memory=old, vector=b"")]))

    assert (found.groups, found.new) == ((), ("f1",))


def test_a_late_detail_that_is_not_known_is_added() -> None:
    late = fact("I've lived in Porto for over three years.", EARLIER)

    found = judged(candidacy([late], [memory("I live in Porto.", LATER)]))

    assert (found.groups, found.new) == ((), ("f1",))


def test_twins_of_a_batch_are_one_with_the_richer_words() -> None:
    rich, poor = "I've lived in Porto for over three years.", "I live in Porto."

    [group] = judged(candidacy([fact(rich, EARLIER), fact(poor)])).groups

    assert set(group.members) == {"f1", "f2"}
    assert (group.relation, group.text) == (
        "same",
        "User has lived in Porto for over three years",
    )


def test_a_request_to_forget_takes_the_whole_memory_or_its_clause() -> None:
    records = [
        memory("I smoke ten cigarettes a day."),
        memory("I smoke and play the cello.", number=2),
        memory("I play chess.", number=3),
    ]
    request = fact("Please forget that I smoke.")

    whole = judged(candidacy([request], records[:1])).groups[0]
    clause = judged(candidacy([request], records[1:])).groups[0]

    assert (whole.relation, whole.text) == ("forget", None)
    assert (clause.members, clause.drops) == (("f1", "c1"), ("User smokes",))
    assert clause.text == "User plays the cello"
    assert "smoke" not in whole.why + clause.why


@pytest.mark.parametrize(
    ("said", "stands_again", "text", "after"),
    [
        (
            "I smoke and play the cello.",
            "User plays chess",
            "User plays the cello",
            "User plays chess",
        ),
        (
            "I smoke and play the cello.",
            "User smokes and plays chess",
            "User plays the cello",
            "User plays chess",
        ),
        ("I smoke ten cigarettes a day.", "User plays chess", "User plays chess", None),
        ("I smoke ten cigarettes a day.", "User smokes", None, None),
    ],
)
def test_of_what_would_stand_again_a_request_to_forget_leaves_what_it_does_not_name(
    said: str, stands_again: str, text: str | None, after: str | None
) -> None:
    stored = memory(said)
    end = stored.memory.said_at + timedelta(days=99)
    overlay = stored.memory.model_copy(update={"until": end, "after": stands_again})
    known = stored.model_copy(update={"memory": overlay})

    (group,) = judged(candidacy([fact("Please forget that I smoke.")], [known])).groups

    assert (group.text, group.after) == (text, after)


def test_a_request_to_forget_what_is_not_known_is_in_no_group() -> None:
    found = judged(candidacy([fact("Please forget that I smoke.")], [memory("I play chess.")]))

    assert found.groups == ()


def test_every_group_says_why() -> None:
    group = of_pair("I live in Porto.", "I moved to Ghent.")

    assert group is not None
    assert group.why == "home is now Ghent"


def test_nothing_is_asked() -> None:
    assert RuleJudgment(SAME).ask(candidacy([fact("I live in Porto.")])) == ()


SENTENCES = st.sampled_from(
    [
        "I live in Porto.",
        "I moved to Ghent.",
        "I've lived in Porto for over three years.",
        "My home is in Porto, by the river.",
        "I live in Bergen for now.",
        "I don't live in Porto any more.",
        "I drive a Saab to the office.",
        "I sold the Saab and gave up the flat in Porto.",
        "I cycle to work now.",
        "I work as a nurse at St Elin.",
        "I work at Acme now.",
        "I have a cat called Olive.",
        "My cat is called Pickle.",
        "ERR_12 means it is full.",
        "ERR_13 means it is full.",
        "Please forget that I live in Porto.",
        "Please forget my job.",
        "Always use metric units.",
        "My brother Tariq is coeliac.",
        "Every morning I drink tea.",
        "While the kettle is broken I drink juice every morning.",
    ]
)
DAYS = st.integers(0, 5)
SPOKEN = st.tuples(SENTENCES, DAYS)


def said(spoken: tuple[str, int]) -> Fact:
    found = fact(spoken[0], EARLIER)
    day = timedelta(days=spoken[1])
    until = found.until + day if found.until else None
    return found.model_copy(update={"said_at": found.said_at + day, "until": until})


def remembered(spoken: tuple[str, int], number: int) -> MemoryRecord:
    found = said(spoken)
    made: Memory = born(
        found, id=UUID(int=number), scope=SCOPE, run=UUID(int=0), now=found.said_at, metadata={}
    )
    return MemoryRecord(memory=made, vector=b"")


@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(SPOKEN, min_size=1, max_size=5),
    st.lists(SPOKEN.filter(lambda one: "forget" not in one[0]), max_size=6),
    st.floats(-1, 1),
    st.integers(2, 8),
    st.randoms(use_true_random=False),
)
def test_whatever_is_offered_the_finding_keeps_the_rules_of_groups(
    facts: list[tuple[str, int]],
    memories: list[tuple[str, int]],
    cosine: float,
    max_group: int,
    random: st.DataObject,
) -> None:
    records = [remembered(one, number) for number, one in enumerate(memories, start=1)]
    item = candidacy([said(one) for one in facts], records, cosine)
    offered = tuple(tuple(one for one in mine if random.random() < 0.8) for mine in item.offered)  # type: ignore[attr-defined]
    item = Candidacy(item.facts, item.vectors, item.candidates, offered, item.cosines)

    found = RuleJudgment(SAME, max_group).read(item, ())

    assert complaints(item, found, max_group) == []
