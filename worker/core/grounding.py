"""Whether the turns that a fact cites support it: by meaning where words differ, in any script.

Wrongly dropping a paraphrase loses something for good, so a fact without a shared word goes only where a second
sign speaks against it.
"""

import re
from collections.abc import Sequence

from schemas.turn import Turn
from worker.core.details import names
from worker.core.heard import Heard
from worker.core.identifiers import identifiers
from worker.core.words import content_words, folded_words

#: Made-up names in the instructions' examples: no person says them.
EXAMPLES = frozenset({"orsolva", "skarnholm", "brackwater", "tobiasz"})

APOLOGY = re.compile(
    r"\b(?:i(?:'m| am) sorry|i apologi[sz]e|i (?:can't|cannot|can not|couldn't|could not|am unable to|do not|don't)"
    r"|as an ai|unable to|no (?:personal |relevant |new )?(?:information|facts?)|not enough information"
    r"|nothing to (?:extract|remember)|tut mir leid|lo siento|désolé|mi dispiace|desculpe)\b"
    r"|申し訳|すみません|抱歉|对不起|죄송",
    re.IGNORECASE,
)


def unsupported(text: str, cited: Sequence[Turn], heard: Heard) -> str | None:
    """Why a fact is left out; nothing where it may stand."""
    said = " ".join(f"{turn.speaker or ''} {turn.text}" for turn in cited)
    everything = " ".join(f"{t.speaker or ''} {t.text}" for t in (*heard.context, *heard.turns))
    if EXAMPLES & folded_words(text) - folded_words(everything):
        return "it is an example from the instructions"
    if content_words(text) & content_words(said):
        return None
    cut = " ".join(heard.cut.get(turn.id, "") for turn in cited)
    if content_words(text) & content_words(cut):
        return "only recalled, quoted or forwarded text says it"
    if APOLOGY.search(text):
        return "it is an apology"
    if _introduces(text, everything):
        return "it names what nobody said"
    return None
