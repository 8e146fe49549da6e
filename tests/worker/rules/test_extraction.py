from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worker.rules.replay import facts_of, turn
from worker.core.hearing.heard import Heard
from worker.rules.extraction import RuleExtraction


@pytest.mark.parametrize(
    "text, expected",
    [
        ("I live in Porto.", ["User lives in Porto"]),
        ("Oh, by the way, I'm left-handed!", ["User is left-handed"]),
        ("i dont eat meat", ["User doesn't eat meat"]),
        ("We've got two kids.", ["User has got two kids"]),
        ("I teach maths and play the oboe.", ["User teaches maths and plays the oboe"]),
        ("I like tea and work.", ["User likes tea and work"]),
        ("My desk is by the window.", ["User's desk is by the window"]),
        ("Fridays are my best day.", ["Fridays are User's best day"]),
        ("As a night owl, I work best after ten.", ["As a night owl, User works best after ten"]),
        ("When I fly I take the aisle seat.", ["When User flies they take the aisle seat"]),
        ("My home is in Ghent, remember?", ["User's home is in Ghent"]),
        ("Don't forget that I'm allergic to nuts!", ["User is allergic to nuts"]),
        ("Correction: I start at nine.", ["User starts at nine"]),
        ("I'm Ines.", ["User's name is Ines"]),
        ("I'm German.", ["User is German"]),
        ("I keep bees, and my garden is tiny.", ["User keeps bees", "User's garden is tiny"]),
        (
            "I left the choir and I sing at home now.",
            ["User left the choir and they sing at home now"],
        ),
        (
            "I used to take sugar in tea, not any more.",
            ["User used to take sugar in tea, not any more"],
        ),
        ("My wife and I moved to Ghent.", ["User's wife and they moved to Ghent"]),
        ("I'd love to learn the harp.", ["User would love to learn the harp"]),
        (
            "QX-118 means a worn lamp, QX-181 means the lid is open.",
            ["QX-118 means a worn lamp", "QX-181 means the lid is open"],
        ),
        (
            "Staging listens on port 7443, production on 7444.",
            ["Staging listens on port 7443", "Production listens on port 7444"],
        ),
        (
            "E77 is back. Replacing the fuse fixed it.",
            ["E77 is back; replacing the fuse fixed it"],
        ),
        ("The gate code is 4417.", ["The gate code is 4417"]),
        ("I have a parrot. His name is Rio.", ["User has a parrot", "User's parrot is called Rio"]),
    ],
)
def test_plain_statements_are_kept_in_the_third_person(text: str, expected: list[str]) -> None:
    assert [fact.text for fact in facts_of(turn(text))] == expected


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of Peru?",
        "do you know where I left it",
        "Do you think I'm too old for ballet?",
        "Thanks, great!",
        "Translate this: good morning.",
        "I need a regex for e-mail addresses.",
        "My code doesn't compile.",
        "I see. I don't know. I'll try that. I like it.",
        "If I ever win the lottery I'd buy a vineyard.",
        "I wish I had a garden.",
        "Maybe I'll get a dog.",
        "I could eat a horse.",
        "In my story I am a blind pianist.",
        "My character hates rain.",
        "Imagine I'm a pirate. I own a parrot.",
        'My boss wrote: "I live in Madrid and hate Mondays."',
        "> I live in Rome",
        "```\nI live in Rome\n```",
        "Look:\n---- Forwarded message ----\nI live in Rome.",
        "Yes!",
        "No need to remind me about the gym.",
        "Ich wohne in Köln.",
        "猫を二匹飼っています",
        "It rains. The weather is lovely.",
        "",
    ],
)
def test_what_is_no_statement_about_the_user_is_left_out(text: str) -> None:
    found = RuleExtraction().read(Heard((turn(text or " "),)), ())

    assert found.facts == ()
    assert sum(found.dropped.values()) > 0 or not text.strip() or text[0] in ">`"


@pytest.mark.parametrize(
    "text, wish",
    [
        ("Please keep your answers short.", "User wants the assistant to keep its answers short"),
        ("Never call me Mister.", "User wants the assistant to never call them Mister"),
        ("Please don't use emojis.", "User wants the assistant not to use emojis"),
        (
            "Could you always answer in French?",
            "User wants the assistant to always answer in French",
        ),
        (
            "Whenever I paste code, explain it line by line.",
            "User asks of the assistant: whenever they paste code, explain it line by line",
        ),
    ],
)
def test_standing_wishes_are_instructions(text: str, wish: str) -> None:
    [fact] = facts_of(turn(text))

    assert (fact.text, fact.kind, fact.attribute) == (wish, "instruction", None)


@pytest.mark.parametrize(
    "text, what",
    [
        ("Please forget that I smoke.", "User smokes"),
        ("Delete what I told you about my salary.", "User's salary"),
        ("Don't remember that I was ill.", "User was ill"),
        ("Please forget this: I smoke.", "User smokes"),
        ("Please forget: I smoke", "User smokes"),
        ("Can you forget this about me - I smoke?", "User smokes"),
        ("Forget this one – my brother is in prison.", "User's brother is in prison"),
        ("Please delete what I said: my sister is called Ada.", "User's sister is called Ada"),
        ("Forget what I told you earlier: I hate opera.", "User hates opera"),
        ("Delete this from your memory: I am in debt.", "User is in debt"),
        ("Remove the following from memory: my salary", "User's salary"),
        ("Please do not store the following: my salary is 5000.", "User's salary is 5000"),
        ("Stop remembering this: I smoke.", "User smokes"),
        ('Please forget this: "I smoke".', "User smokes"),
        ("Please forget this:\nI smoke.", "User smokes"),
        ("Please erase it: my old address.", "User's old address"),
    ],
)
def test_a_request_to_forget_names_what_is_to_go(text: str, what: str) -> None:
    [fact] = facts_of(turn(text))

    assert (fact.text, fact.kind) == (what, "forget")


def test_what_is_to_go_of_somebody_else_is_named_as_it_is_known() -> None:
    said = "My sister Ada lives in Porto."
    [known] = facts_of(turn(said))
    [gone] = facts_of(turn(f"Please forget this: {said}"))

    assert (gone.text, gone.subject, gone.kind) == (known.text, known.subject, "forget")


@pytest.mark.parametrize(
    "text",
    [
        "Forget it.",
        "Forget the last question.",
        "Delete the file.",
        "I forgot my keys.",
        "I always forget this: my keys.",
        "Don't forget this: I smoke.",
        "Please do not forget: my birthday is in May.",
        "Forget it: I'll do it myself.",
        "Forget this, I was wrong.",
        "Delete this line: import os",
        "Remove the following: trailing spaces",
        "Remove the first line from my file.",
        "Please forget this:",
    ],
)
def test_taking_back_a_word_forgets_nothing(text: str) -> None:
    assert not [fact for fact in facts_of(turn(text)) if fact.kind == "forget"]


@pytest.mark.parametrize(
    "text, subject, told",
    [
        ("My brother Tariq is coeliac.", "Tariq", "Tariq (User's brother) is coeliac"),
        ("My mum is a nurse.", "user's mum", "User's mum is a nurse"),
        ("My dad's birthday is 4 July.", "user's dad", "User's dad's birthday is 4 July"),
        ("My sister is called Ida.", "Ida", "User's sister is called Ida"),
        ("My flatmate Bo visits me.", "Bo", "Bo (User's flatmate) visits User"),
    ],
)
def test_what_is_true_of_a_relative_is_about_the_relative(
    text: str, subject: str, told: str
) -> None:
    [fact] = facts_of(turn(text))

    assert (fact.subject, fact.text) == (subject, told)


def test_a_pronoun_stands_for_the_relative_named_before() -> None:
    facts = facts_of(
        turn("My brother Tariq is coeliac, so I serve no bread when he visits. He loves rice.")
    )

    assert [(fact.subject, fact.text) for fact in facts] == [
        ("Tariq", "Tariq (User's brother) is coeliac"),
        ("user", "User serves no bread when Tariq visits"),
        ("Tariq", "Tariq loves rice"),
    ]


def test_a_named_speaker_is_the_subject() -> None:
    ines, moss = facts_of(
        turn("I can't do Fridays.", speaker="Ines"),
        turn("Fridays are my best day.", speaker="Moss"),
    )

    assert (ines.subject, ines.text, ines.said_by) == ("Ines", "Ines can't do Fridays", "Ines")
    assert (moss.subject, moss.text) == ("Moss", "Fridays are Moss's best day")


def test_between_two_people_you_is_the_other_one() -> None:
    alone, _ = facts_of(
        turn("I water your garden.", speaker="Ines"), turn("I like tea.", speaker="Moss")
    )
    with_machine, _ = facts_of(
        turn("I water your garden.", speaker="Ines"),
        turn("Good.", role="assistant"),
        turn("I like tea.", speaker="Moss"),
    )

    assert alone.text == "Ines waters Moss's garden"
    assert with_machine.text == "Ines waters the assistant's garden"


def test_a_name_that_facts_are_about_already_stays_a_subject() -> None:
    heard = Heard((turn("Nadia moved to Perth."),), slots=(("Nadia", "home"),))

    [fact] = RuleExtraction().read(heard, ()).facts

    assert (fact.subject, fact.attribute) == ("Nadia", "home")


@pytest.mark.parametrize("role", ["assistant", "system", "tool", "developer", "function"])
def test_only_people_are_learned_from(role: str) -> None:
    heard = Heard((turn("I live in Porto.", role=role),))  # type: ignore[arg-type]

    assert RuleExtraction().read(heard, ()).facts == ()


def test_a_machines_turn_and_context_teach_nothing() -> None:
    automated = turn("I live in Porto.").model_copy(update={"automated": True})
    heard = Heard((automated,), context=(turn("I live in Ghent."),))

    assert RuleExtraction().read(heard, ()).facts == ()


def test_relative_dates_count_from_the_day_it_was_said() -> None:
    facts = facts_of(
        turn("I adopted Olive last month and I fly to Oslo in two weeks.", "2024-02-29T10:00:00Z")
    )

    assert [fact.happened_at for fact in facts] == ["2024-01", "2024-03-14"]


def test_the_day_is_that_of_the_speakers_own_clock() -> None:
    [fact] = facts_of(turn("I broke my arm yesterday.", "2026-02-01T23:30:00-05:00"))

    assert fact.happened_at == "2026-01-31"


def test_nothing_is_dated_from_an_approximate_time() -> None:
    vague = turn("I broke my arm yesterday.").model_copy(update={"approximate_time": True})

    assert RuleExtraction().read(Heard((vague,)), ()).facts[0].happened_at is None


def test_a_temporary_state_without_an_end_lasts_the_overlay_days() -> None:
    said = turn("While the lift is broken I take the stairs.")

    [fact] = RuleExtraction().read(Heard((said,), overlay_days=5), ()).facts

    assert fact.until == said.said_at + timedelta(days=5)
    assert fact.until_assumed


def test_a_named_end_is_kept() -> None:
    [fact] = facts_of(turn("I'm in Crete until 14 August.", "2026-08-01T10:00:00Z"))

    assert fact.until == datetime(2026, 8, 15, tzinfo=UTC)
    assert not fact.until_assumed


@pytest.mark.parametrize(
    "text, volatile",
    [("I'm so tired.", True), ("I'm at the airport.", True), ("I'm a nurse.", False)],
)
def test_moods_and_whereabouts_fade(text: str, volatile: bool) -> None:
    assert facts_of(turn(text))[0].volatile is volatile


def test_codes_are_identifiers() -> None:
    [fact] = facts_of(turn("ERR_77 means the lamp is worn."))

    assert fact.identifiers == ("err_77",)
    assert fact.attribute == "meaning of ERR_77"


def test_a_sentence_said_twice_in_a_turn_is_one_fact() -> None:
    assert len(facts_of(turn("I live in Porto. I live in Porto!"))) == 1


WORDS = st.sampled_from(
    [*"I we my you he She not if and , . ? ! \" ' ` > ( ) : ; - … 😀 ü 猫".split(), *(
        "live in Porto forget that always never please until next Friday yesterday while is called"
        " Tariq brother cat ERR_1 means 4417 31 February 2026 ago 999 years sold the Saab was \n"
    ).split(" ")]
)  # fmt: skip


@given(st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=40).map(" ".join)))
def test_any_text_is_read_and_every_fact_cites_its_turn(text: str) -> None:
    said = turn(text.replace("\0", "") or "-")

    for fact in facts_of(said):
        assert fact.turn_ids == (said.id,)
        assert fact.text.strip()
        assert fact.until is None or fact.until > said.said_at
