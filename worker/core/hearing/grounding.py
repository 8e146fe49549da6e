"""Whether the turns that a fact cites support it: by meaning where words differ, in any script.

Wrongly dropping a paraphrase loses something for good, so a fact without a shared word goes only where a second
sign speaks against it.
"""

import re
from collections.abc import Iterable, Sequence

from schemas.turn import Turn
from worker.core.hearing.heard import Heard
from worker.core.hearing.hearing import PLACEHOLDER, QUOTATION
from worker.core.texts.dates import dated
from worker.core.texts.identifiers import identifiers
from worker.core.texts.looked import Looked, looked
from worker.core.texts.names import certain_names, key
from worker.core.texts.words import content_words, terms

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
    said = looked(_said(cited))
    everything = looked(_said((*heard.context, *heard.turns)))
    words = content_words(text)
    if EXAMPLES & set(terms(text)) - everything.terms:
        return "an example of the instructions"
    is_said = bool(words & said.words)
    if cut := "\n".join(heard.cut.get(turn.id, "") for turn in cited).strip():
        hidden = looked(cut)
        if _repeats(text, hidden, everything) if is_said else words & hidden.words:
            return "only recalled, quoted or forwarded text says it"
    if is_said:
        return None
    if APOLOGY.search(text):
        return "an apology"
    return "names what nobody said" if _introduces(text, everything) else None


def _said(turns: Iterable[Turn]) -> str:
    said = "\n".join(f"{turn.speaker or ''}\n{turn.text}" for turn in turns)
    return PLACEHOLDER.sub(" ", said)


def _repeats(text: str, hidden: Looked, visible: Looked) -> bool:
    """Whether all its words, or a name or a number of it, stand in what the model was not shown and nowhere else."""
    words = content_words(text)
    if words <= hidden.words and not words <= visible.words:
        return True
    codes = set(identifiers(_without_dates(text))) & hidden.codes
    named = {key(name) for name in certain_names(text)} & hidden.names
    return bool(codes - visible.codes or named - visible.names)


def only_quoted(text: str, said: str) -> bool:
    """Whether all that a text says stands between the quotation marks of what was said, and nothing of it outside."""
    words = content_words(text)
    quoted = "\n".join(QUOTATION.findall(said))
    return bool(
        quoted
        and len(words) > 1
        and words <= looked(quoted).words
        and not words & looked(QUOTATION.sub(" ", said)).words
    )


def _introduces(text: str, said: Looked) -> bool:
    """A name or a number that stands nowhere in what was said; a date may be worked out."""
    names = {key(name) for name in certain_names(text)}
    return bool(names - said.names or set(identifiers(_without_dates(text))) - said.codes)


def _without_dates(text: str) -> str:
    """Without its dates."""
    return dated(text).rest
