"""From turns to facts: what is heard, with what, and what comes of it."""

from dataclasses import replace
from typing import cast

from worker.adapters.inbox import Claim
from worker.adapters.model import Tally
from worker.adapters.tokenizer import token_counter
from worker.core.groups.setting import Setting
from worker.core.hearing.extract import SLOTS
from worker.core.hearing.heard import Found, Heard
from worker.core.hearing.hearing import heard_in
from worker.core.hearing.known import known, known_queries, sayings
from worker.core.hearing.marks import Marks
from worker.core.hearing.windows import less_context, smaller_windows
from worker.core.judging.equal_facts import merged
from worker.core.step import Doubtful, UnreadableReply
from worker.errors import TooLong
from worker.parts import Parts

#: Memories that each ranking may nominate for one saying.
POOL = 20

BROKE_OFF = "the reply broke off, whatever followed is unknown"


def extracted(parts: Parts, claim: Claim, setting: Setting, tally: Tally) -> Found:
    """Turns → facts. Where only machinery or recalled text was said, nothing is asked."""
    conversations = [turn.conversation for turn in setting.turns]
    heard = heard_in(
        setting.turns,
        parts.inbox.context(claim, conversations),
        Marks(parts.settings.recall_begin, parts.settings.recall_end),
        remember_assistant=parts.settings.remember_assistant,
    )
    if not heard.turns:
        return Found(())
    rules = parts.settings.model == "rules"
    slots = tuple(parts.store.slots(setting.scope, SLOTS))
    heard = replace(
        heard,
        slots=slots,
        window=parts.settings.extraction_tokens,
        count=token_counter(parts.settings.tokenizer),
        overlay_days=parts.settings.overlay_days,
        instructions=parts.settings.app_instructions.get(setting.scope.app, ""),
        known=_known(parts, setting, heard) if parts.judging.adds_only and not rules else None,
    )
    found = _found(parts, heard, tally)
    return replace(found, facts=merged(found.facts))


def _found(parts: Parts, heard: Heard, tally: Tally) -> Found:
    """What is too long for the model, or for its reply, is put to it in smaller portions."""
    try:
        return parts.model.run(parts.extraction, heard, tally)
    except TooLong:
        smaller = smaller_windows(heard) or less_context(heard)
        if smaller is None:
            raise
    except UnreadableReply as error:
        smaller = smaller_windows(heard)
        if not error.parts:
            raise
        if smaller is None:
            return _as_far_as_it_goes(parts, heard, error)
    return _found(parts, smaller, tally)


def _as_far_as_it_goes(parts: Parts, heard: Heard, error: UnreadableReply) -> Found:
    """The facts that were complete before every reply broke off, if any: their run says so."""
    try:
        found = parts.extraction.read(heard, error.parts)
    except Doubtful as doubt:
        found = cast("Found", doubt.stands)
    if not found.facts:
        raise error
    return replace(found, dropped={**found.dropped, BROKE_OFF: 1})


def _known(parts: Parts, setting: Setting, heard: Heard) -> tuple[str, ...]:
    """What is near to what was said, so that extraction does not repeat it."""
    said = sayings(heard.turns)
    asked = known_queries(said, parts.embedder.embed(said)) if said else []
    if not asked:
        return ()
    pool = parts.store.nominate(setting.scope, asked, POOL)
    return known(pool, setting.now, token_counter(parts.settings.tokenizer))
