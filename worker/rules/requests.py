"""What a person asks of the assistant that is worth keeping: standing wishes, and wishes to be forgotten."""

import re
from collections.abc import Iterable, Iterator

from worker.rules.third_person import retold

LEAD = r"^(?:(?:and|also|so|oh|but|ok|okay|actually|one more thing|hey|now)[,:]?\s+)*"
POLITE = r"(?:(?:can|could|would|will) you\s+)?(?:please|pls|kindly)?,?\s*"
FORGET = re.compile(
    LEAD
    + POLITE
    + r"(?:(?:forget|delete|erase|remove|scrub|wipe|drop)\s+(?:from (?:your )?memory\s+)?"
    r"(?:(?:everything|anything|all|whatever|what|that|the fact that|the thing|the part)\s+)?"
    r"(?:(?:I|you)(?:'ve| have)?\s+(?:ever\s+)?(?:said|told you|mentioned|know|remember|stored|noted|saved|have)\s+)?"
    r"(?P<about>about\s+)?(?:the fact\s+)?(?:that\s+)?(?:I (?:said|told you|mentioned)\s+(?:that\s+)?)?(?P<what>.+)"
    r"|(?:don't|do not|stop)\s+(?:remember|remembering|store|storing|keep|keeping)\s+(?:the fact\s+)?(?:that\s+)?"
    r"(?P<kept>.+))$",
    re.IGNORECASE,
)
#: "Forget this: I smoke": what is to go comes behind, and words that point at it say nothing of it.
POINTED = re.compile(
    LEAD
    + POLITE
    + r"(?:(?P<verb>forget|delete|erase|remove|scrub|wipe|drop|disregard)|(?:don't|do not|stop)\s+(?:remember|store|keep|sav)\w*)"
    r"(?P<points>\s+(?:this(?: one| thing)?|it|that|these(?: things)?|the following(?: things?)?|one thing"
    r"|(?:what|everything|anything|all|the thing|something) I(?:'ve| have)? (?:just |once )?(?:said|told you|mentioned))"
    r"(?:\s+(?:about me|before|earlier|please|just now|yesterday|last time))*)?"
    r"(?:\s+(?:from|in) (?:your )?memor(?:y|ies))?(?:,? please)?\s*(?::|\s[-–—]+\s|\s?[–—])\s*(?P<what>.*)$",
    re.IGNORECASE,
)
#: Takes back the last word, not a memory.
NEVER_MIND = re.compile(
    r"^(?:it|that|this|about it|about that|the last (?:one|question|message)|what I just said|I asked|I said anything"
    r"|the file|the line|the column|the row)?(?:[\s.!]*|[,:;]\s.*)$",
    re.IGNORECASE,
)
FROM_MEMORY = re.compile(
    r"\s+(?:from|in) (?:your )?memor(?:y|ies)\b.*$|,?\s*(?:please|thanks|thank you)[\s.!]*$",
    re.IGNORECASE,
)
#: "Remove the first line from my file": no order to a memory.
FROM_ELSEWHERE = re.compile(
    r"\bfrom (?:my|our|the|this|that|his|her|their)\s+(?!memor|profile|notes|records?\b|history)",
    re.IGNORECASE,
)
#: An order that only a memory can be the object of.
OF_MEMORY = re.compile(r"\b(?:I|my|me|our|we|memor(?:y|ies)|told you|know about)\b")

STANDING = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|going forward|henceforth|whenever|every time|each time|by default"
    r"|(?:your|the) (?:answers?|replies|responses?|messages|summaries|explanations)|(?:when|if) (?:you|I)"
    r"|(?:call|address) me(?! (?:back|later|a cab|a taxi|when))|stop \w+ing"
    r"|(?:don't|do not) (?:ever|use|call|mention|suggest|recommend|ask me|remind me|send me))\b",
    re.IGNORECASE,
)
ORDER = re.compile(
    LEAD + r"(?:please|pls|kindly)?,?\s*"
    r"(?P<order>(?:always|never|from now on|in (?:the )?future|going forward|whenever|every time|each time|by default"
    r"|when|if|don't|do not|call|address|use|keep|answer|reply|respond|write|speak|talk|send|remind|avoid|stop|skip"
    r"|give|make|start|end|be|put|format|include|add|sign|show|explain|tell|leave|no|limit|refer)\b.*)$",
    re.IGNORECASE,
)
#: Lasts beyond this answer even in the form of a question: "Could you always …?"
LASTING = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|going forward|by default|whenever|every time)\b",
    re.IGNORECASE,
)
ASKED = re.compile(r"^(?:can|could|would|will) you\s+(?:please\s+)?", re.IGNORECASE)
#: "Whenever I paste code, explain it": the wish comes behind a condition.
CONDITION = re.compile(r"^(?:whenever|when|if|every time|each time)\b", re.IGNORECASE)
BEHIND = re.compile(r"^[^,]+,\s*(?:please\s+)?(?:then\s+)?", re.IGNORECASE)
#: "Always" and its like in a statement about oneself are no order.
ABOUT_ONESELF = re.compile(
    r"^(?:always|never|from now on|in future),?\s+(?:I|we|my)\b", re.IGNORECASE
)


TO_DO = re.compile(
    r"(?i)(?P<not>don't|do not)\b\s*|(?P<do>(?:always|never|call|address|use|keep|answer|reply|respond|write|speak|talk|send"
    r"|remind|avoid|stop|skip|give|make|start|end|be|put|format|include|add|sign|show|explain|tell|leave|limit|refer)\b.*)"
)


def forgettable(sentence: str) -> str | None:
    """What is to go, in the person's own words; empty where the next sentence has it."""
    if re.match(r"(?i)(?:please )?(?:don't|do not|never) forget", sentence):
        return None
    if pointed := POINTED.match(sentence):
        return _pointed_at(pointed, sentence)
    found = FORGET.match(sentence)
    if not found or FROM_ELSEWHERE.search(sentence):
        return None
    what = FROM_MEMORY.sub("", found["what"] or found["kept"] or "").strip(" .!?,")
    return what if what and not NEVER_MIND.match(what) and OF_MEMORY.search(sentence) else None


def whole_requests(sentences: Iterable[str]) -> Iterator[str]:
    """With a request that ends in a colon and what it points at as one; where nothing follows, nothing is to go."""
    asked = ""
    for sentence in sentences:
        said, asked = f"{asked} {sentence}".strip(), ""
        if forgettable(said) == "":
            asked = said
        else:
            yield said


def _pointed_at(found: re.Match[str], sentence: str) -> str | None:
    """`Forget it: …` says never mind, and what is deleted may be a line of code."""
    verb, points = (found["verb"] or "").lower(), (found["points"] or "").strip().lower()
    if verb == "forget" and points == "it":
        return None
    if verb not in {"", "forget"} and not OF_MEMORY.search(sentence):
        return None
    return found["what"].strip(" .!?,\"'“”()")


def standing_order(sentence: str) -> str | None:
    """The wish in its own words, if it is meant to last beyond this answer."""
    asked = ASKED.sub("", sentence)
    if sentence.endswith("?") and (asked == sentence or not LASTING.search(sentence)):
        return None
    found = ORDER.match(asked)
    if not found or not STANDING.search(asked) or ABOUT_ONESELF.match(found["order"]):
        return None
    order = found["order"].strip(" .!?")
    behind = BEHIND.match(order)
    if CONDITION.match(order) and not (behind and TO_DO.match(order[behind.end() :])):
        return None
    return re.sub(r"(?i),?\s*(?:please|thanks|thank you)$", "", order)


def as_wish(order: str, name: str) -> str:
    """As a statement: "keep your answers short" → "User wants the assistant to keep its answers short"."""
    lowered = order[:1].lower() + order[1:]
    told = f"I want the assistant to {lowered}"
    if refused := re.match(r"(?i)(?:don't|do not)\s+", order):
        told = f"I want the assistant not to {order[refused.end() :]}"
    elif not TO_DO.match(order):
        told = f"I ask of the assistant: {lowered}"
    own = re.sub(r"\b[Yy]our\b", "its", re.sub(r"\b[Yy]ou\b", "it", told[2:]))
    return retold(f"I {own}", name)
