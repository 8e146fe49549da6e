"""One clause read as a statement: what it says, about whom, and in which tense."""

import re

from worker.rules.verbs import is_past

INTERJECTION = re.compile(
    r"^(?:(?:hi|hey|hello|hiya|ugh|oh|ah|hmm+|well|so|ok|okay|yes|yeah|yep|no|nah|nope|sure|right|anyway|also|and|but"
    r"|plus|then|actually|honestly|basically|unfortunately|sadly|luckily|fortunately|apparently|obviously"
    r"|wow|lol|haha|sorry|thanks|please|by the way|btw|fyi|for the record|to be honest|tbh|in fact|as you know"
    r"|just so you know|as I said|like I said|one more thing|another thing|good news|big news|quick update"
    r"|update|correction|ps|p\.s\.|note|reminder|for context|context|heads up|of course|hi there|hello there"
    r"|in case you(?:'re)? wonder(?:ing)?|since you ask(?:ed)?|(?:please )?(?:remember|note)(?: that)?|don't forget(?: that)?"
    r"|keep in mind(?: that)?|(?:you should|you need to|you might want to|let me) (?:know|tell you|add|mention)(?: that)?"
    r"|it turns out(?: that)?|I (?:should|must|have to) (?:say|add|mention)(?: that)?|I'd like you to (?:know|remember)(?: that)?"
    r"|I (?:wanted|want) (?:you )?to (?:let you )?know(?: that)?|did I mention(?: that)?|for what it's worth|finally|turns out"
    r"|I think I (?:told you|mentioned)(?: that)?|truth is|the thing is|fun fact)"
    r"(?:\s*[,:;!.\-–—]+\s*|\s+))+(?=\S)",
    re.IGNORECASE,
)
LABEL = re.compile(r"^[A-Za-z][\w' ]{0,40}:\s+(?=(?:I|We|we|My|my|Our|our)\b)")
TAIL = re.compile(
    r"(?:[\s,]+(?:lol|haha+|hehe|btw|by the way|you know|though|tbh|please|thanks|thank you|:\)|;\)|:D|:\(|xD))+$"
    r"|[\s.!?;:,…)\]\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]+$",
    re.IGNORECASE,
)
FIRST = r"(?:I|[Ww]e|[Mm]y|[Oo]ur|[Mm]ine)\b"
#: "Seattle is where I live", "Fridays are my best day".
TURNED = re.compile(
    r"^(?!(?:It|That|This|There|These|Those|Which|One|What|He|She|They|You)\b)[A-Z][\w' -]{0,60}? (?:is|are) (?:where (?:I|we)|my|our)\b"
)

SUBJECT_VERB = re.compile(
    r"(?:^|\s)(?:they|[A-Z][\w'-]*(?: \([^)]*\))?|[A-Z]\w*'s [\w -]{1,30}?) "
    r"(?:(?:also|always|never|just|now|already|recently|finally|only|\w+ly|no longer|still) )*(?P<verb>[a-z]+)(?P<next> [a-z]+)?"
)


def bare(sentence: str) -> str:
    """Without what people begin and end with out of politeness or surprise."""
    text = LABEL.sub("", INTERJECTION.sub("", sentence.strip()))
    while (shorter := TAIL.sub("", text)) != text:
        text = _closed(shorter, text)
        if text != shorter:
            break
    return text.strip(" -–—*_")


def _closed(shorter: str, text: str) -> str:
    """With the bracket that ends it, where one in the text was opened: a masked secret ends with its own."""
    for opening, closing in ("()", "[]"):
        if shorter.count(opening) > shorter.count(closing):
            return text[: text.rindex(closing) + 1] if closing in text[len(shorter) :] else shorter
    return shorter


def in_the_past(text: str) -> bool:
    """Whether the first verb after the subject is in the past tense ("has lived" reaches the present)."""
    found = SUBJECT_VERB.search(text)
    return found is not None and is_past(found["verb"])


def looks_back(text: str) -> bool:
    """Past tense or perfect: "on Friday" then means the last one."""
    found = SUBJECT_VERB.search(text)
    return found is not None and (is_past(found["verb"]) or found["verb"] in {"has", "have"})
