"""Extraction without a model: what English-speaking people plainly say about themselves and their own."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from schemas.memory import Fact
from schemas.turn import Turn
from worker.core.hearing.heard import Found, Heard
from worker.core.step import Prompt
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import normalised
from worker.rules.clause import in_the_past, looks_back
from worker.rules.endings import ending
from worker.rules.listening import Listener, Said
from worker.rules.moments import happened
from worker.rules.slots import slot_of

#: The speaker without a name: in texts, and as the subject of a fact.
NAMELESS, NAMELESS_SUBJECT = "User", "user"

#: Kinds whose words are a wish, not a state.
WISHES = frozenset({"instruction", "forget"})
LIKING = re.compile(
    r"\b(?:likes?|loves?|enjoys?|prefers?|hates?|dislikes?|can't stand|favou?rite|would rather)\b"
)
MOOD = (
    r"(?:tired|hungry|thirsty|sick|ill|happy|sad|excited|bored|busy|stressed|nervous|angry|annoyed|exhausted|cold"
    r"|hot|sleepy|awake|late|upset|lonely|anxious|worried|hungover|frustrated|home|out|away|outside|travell?ing)"
)
VOLATILE = re.compile(
    rf"\b(?:is|are|feels?|feeling) (?:(?:so|very|really|a bit|quite|too|still) )*{MOOD}\b"
    r"|\b(?:right now|at the moment|today|tonight|this (?:morning|afternoon|evening))\b"
    r"|\bjust (?:woke|got|came|arrived|finished|left|had|ate|saw)\b"
    r"|\b(?:is|are) (?:on|at|in) (?:the|a|an) (?:train|bus|plane|tram|car|way|airport|station|gym|queue|meeting|call"
    r"|office|dentist|doctor's|shop|supermarket|caf[eé])\b"
    r"|\b(?:is|are) (?:waiting|looking for|trying to|about to|heading|stuck)\b"
    r"|\bgetting (?:an?|this|the) [\w ]*(?:[Ee]rror|[Ee]xception|[Ww]arning)"
)


class RuleExtraction:
    """Asks nothing. Reads people's own turns; assistants and machines teach it nothing."""

    def ask(self, item: Heard) -> Sequence[Prompt]:
        return ()

    def read(self, item: Heard, replies: Sequence[BaseModel]) -> Found:
        facts: list[Fact] = []
        dropped: Counter[str] = Counter()
        people = _known_people(item)
        for turn in item.turns:
            if turn.role != "user" or turn.automated:
                dropped["not a person's turn"] += 1
                continue
            listener = _listener(turn, item, people)
            facts += [_fact(said, turn, item.overlay_days) for said in listener.hear(turn.text)]
            dropped += listener.dropped
        return Found(tuple(_once(facts)), dict(dropped))


def _listener(turn: Turn, item: Heard, people: frozenset[str]) -> Listener:
    """Between two named people "you" is the other one; otherwise it is the assistant."""
    others = {one.speaker for one in item.labelled.values() if one.role == "user"} - {turn.speaker}
    machine = any(one.role == "assistant" for one in item.labelled.values())
    other = next(iter(others)) if len(others) == 1 and not machine else None
    return Listener(
        turn.speaker or NAMELESS,
        turn.speaker or NAMELESS_SUBJECT,
        you=other or ("you" if len(others) > 1 else "the assistant"),
        people=people,
    )


def _known_people(item: Heard) -> frozenset[str]:
    """Names that facts are already about, the speakers' own apart."""
    speakers = {turn.speaker for turn in item.labelled.values() if turn.speaker}
    return frozenset(subject for subject, _ in item.slots if subject[:1].isupper()) - speakers


def _once(facts: Sequence[Fact]) -> Iterator[Fact]:
    """One sentence said twice in a turn is one fact."""
    seen: set[tuple[object, ...]] = set()
    for fact in facts:
        key = (fact.kind, fact.subject, fact.turn_ids, normalised(fact.text))
        if key not in seen:
            seen.add(key)
            yield fact


def _fact(said: Said, turn: Turn, overlay_days: int) -> Fact:
    is_state = said.kind not in WISHES
    slot = slot_of(said.text) if is_state else None
    end = None
    if is_state and not said.is_technical:
        past = in_the_past(said.text)
        end = ending(said.text, turn.said_at, overlay_days, is_past=past)
    return Fact(
        text=said.text,
        subject=said.subject,
        attribute=slot.attribute if slot else None,
        kind="preference" if is_state and LIKING.search(said.text) else said.kind,
        volatile=is_state and VOLATILE.search(said.text) is not None,
        said_by=turn.speaker or turn.role,
        turn_ids=(turn.id,),
        said_at=turn.said_at,
        happened_at=_moment(said.text, turn) if is_state else None,
        until=end.until if end else None,
        until_assumed=end.assumed if end else False,
        identifiers=identifiers(said.text),
    )


def _moment(text: str, turn: Turn) -> str | None:
    """Nothing is counted from a time that was not given."""
    if turn.approximate_time:
        return None
    return happened(text, turn.said_at.date(), "past" if looks_back(text) else "other")
