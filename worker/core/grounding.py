"""Whether the turns that a fact cites support it: by meaning where words differ, in any script.

Wrongly dropping a paraphrase loses something for good, so a fact without a shared word goes only where a second
sign speaks against it.
"""

import re
from collections.abc import Iterable, Sequence

from schemas.turn import Turn
from worker.core.dates import dated
from worker.core.heard import Heard
from worker.core.hearing import PLACEHOLDER
from worker.core.identifiers import identifiers
from worker.core.names import certain_names, key, keys
from worker.core.words import content_words, terms

#: Made-up names in the instructions' examples: no person says them.
EXAMPLES = frozenset({"orsolka", "skarnholm", "brackmere", "vintilla"})

APOLOGY = re.compile(
    r"\b(?:i(?:'m| am) sorry|i apologi[sz]e|i (?:can't|cannot|can not|couldn't|could not|am unable to|do not|don't)"
    r"|as an ai|unable to|no (?:personal |relevant |new )?(?:information|facts?)|not enough information"
    r"|nothing to (?:extract|remember)|tut mir leid|lo siento|désolé|mi dispiace|desculpe)\b"
    r"|申し訳|すみません|抱歉|对不起|죄송",
    re.IGNORECASE,
)


def unsupported(text: str, cited: Sequence[Turn], heard: Heard) -> str | None:
    """Why a fact is left out; nothing where it may stand."""
    said = _said(cited)
    everything = _said((*heard.context, *heard.turns))
    words = content_words(text)
    if EXAMPLES & set(terms(text)) - set(terms(everything)):
        return "an example of the instructions"
    if words & content_words(said):
        return None
    if words & content_words(" ".join(heard.cut.get(turn.id, "") for turn in cited)):
        return "only recalled, quoted or forwarded text says it"
    if APOLOGY.search(text):
        return "an apology"
    return "names what nobody said" if _introduces(text, everything) else None


def _said(turns: Iterable[Turn]) -> str:
    said = "\n".join(f"{turn.speaker or ''}\n{turn.text}" for turn in turns)
    return PLACEHOLDER.sub(" ", said)


def _introduces(text: str, said: str) -> bool:
    """A name or a number that stands nowhere in what was said; a date may be worked out."""
    unheard = [name for name in certain_names(text) if key(name) not in keys(said)]
    digits = {code for code in identifiers(_without_dates(text)) if code not in identifiers(said)}
    return bool(unheard or digits)


def _without_dates(text: str) -> str:
    """Without its dates."""
    return dated(text).rest
