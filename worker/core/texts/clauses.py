"""A text in pieces that each say one thing."""

import re

BREAK = re.compile(
    r"[.;!?](?=\s|$)|[。！？；、，\n()]|,(?=\s)|\s[-–—]\s"
    r"|\b(?:and|but|while|whereas|because|although|though|when|who|which|und|aber|weil|während|et|mais|y|pero"
    r"|porque|e|ma|и|но)\b",
    re.IGNORECASE,
)
#: Ends a sentence for certain: an abbreviation or an initial has a short word before its full stop.
SENTENCE_END = re.compile(r"(?<=\w{4})[.!?]+\s+(?=[^\W\d_])(?=[A-Z\u0080-\uffff])|[。！？]|;\s|\n")


def clauses(text: str) -> list[str]:
    return [clause.strip() for clause in BREAK.split(text) if clause.strip()]


def sentences(text: str) -> list[str]:
    return [one.strip() for one in SENTENCE_END.split(text) if one.strip()]
