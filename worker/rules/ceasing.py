"""Words that end something: what was sold, given up, left or stopped."""

import re

VERBS = (
    r"(?:sold|(?:gave|given|giving|gives) up|got rid of|(?:gave|given) away|(?:threw|thrown) (?:out|away)|stopped|quit"
    r"|cancell?ed|dropped|returned|scrapped|donated|ended|left|resigned from|retired from|moved out of|broke up with"
    r"|(?:switched|moved|changed) (?:away )?from|swapped|traded in|no longer|lost|closed|unsubscribed from)"
)
#: The thing that ended, up to the next clause.
CEASING = re.compile(
    rf"\b{VERBS}\s+(?P<what>[^,;.]+?)(?=$|[,;.]|\s+(?:and|but|so|because|for|to|last|this|in favou?r of|yesterday|today"
    r"|recently|now|since|when|after)\b)",
    re.IGNORECASE,
)
#: "doesn't smoke any more", "used to smoke".
ANY_MORE = re.compile(
    r"\b(?:doesn't|don't|does not|do not|isn't|is not|aren't)\s+(?P<what>[^,;.]+?)\s+any ?(?:more|longer)\b"
    r"|\bused to\s+(?P<once>[^,;.]+)",
    re.IGNORECASE,
)
INSTEAD = re.compile(
    r"\binstead of\s+(?P<what>[^,;.]+?)(?=$|[,;.]|\s+(?:and|but|for now|while|until)\b)",
    re.IGNORECASE,
)


def ceased(text: str) -> tuple[str, ...]:
    """What the statement says is over, in its own words."""
    found: list[str] = []
    for pattern in (CEASING, ANY_MORE, INSTEAD):
        for match in pattern.finditer(text):
            found += [words for words in match.groups() if words]
    return tuple(found)


def ceases(text: str) -> bool:
    return bool(ceased(text))
