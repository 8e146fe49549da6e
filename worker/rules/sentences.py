"""A turn's own sentences, and the clauses of a sentence that stand for themselves."""

import re

from worker.rules.ceasing import ceases

#: Stands where somebody else's words stood.
QUOTE = "\ufffc"
#: Words from which on something between quotation marks is somebody's speech, not a name.
SPOKEN_WORDS = 4

FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
QUOTED_LINE = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
FORWARDED = re.compile(
    r"^[ \t]*(?:-{2,4} ?(?:original|forwarded) message|(?:from|von|de):[^\n]*@|on [^\n]{1,200} wrote:).*\Z",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
IN_MARKS = re.compile(
    r"\"([^\"]{0,1000})\"|“([^”]{0,1000})”|«([^»]{0,1000})»|(?<!\w)‘([^’]{0,1000})’|`([^`]{0,1000})`"
)
END = re.compile(r"(?<![.!?…])[.!?…]+[\"')\]]*(?=\s)|\n+|\s[•*]\s")
ABBREVIATION = re.compile(
    r"(?:\b(?i:dr|mr|mrs|ms|prof|st|vs|etc|approx|no|jr|sr|inc|ca|e\.g|i\.e|a\.m|p\.m|u\.s|u\.k)|\b[A-Z]|(?m:^[ \t]*)\d{1,2})\.$"
)
LONGEST_ABBREVIATION = 10
BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")

#: "and I …", ", my …", "; we …": what follows has a subject of its own.
OWN_SUBJECT = r"(?:(?:I|[Ww]e|[Mm]y|[Oo]ur)\b|please\b|[A-Z]{2,}[-_\w]*\d\w*\s+(?:means|is|was)\b)"
JOINT = re.compile(
    rf"(?:\s*[,;:]|\s+[-–—])?\s+(?:and|but|so|plus|yet|whereas)\s+(?={OWN_SUBJECT})"
    rf"|\s*[,;]\s+(?={OWN_SUBJECT})|\s+[-–—]\s+(?={OWN_SUBJECT})|\s*;\s+"
)
#: A sentence that begins so has its main clause later and is left whole.
FRONTED = re.compile(
    r"(?:every|each|on|at|in|since|after|before|for|while|whilst|until|till|when|whenever|last|next|this|these"
    r"|today|yesterday|tomorrow|tonight|now|nowadays|currently|lately|recently|usually|normally|mostly|often"
    r"|sometimes|always|during|as|from|starting|because|although|though|once|back|right|most|by|with|"
    r"without|most|twice|temporarily|originally|previously|here)\b",
    re.IGNORECASE,
)
#: "My wife and I …" has one subject.
ONLY_A_NOUN = re.compile(r"(?:[Mm]y|[Oo]ur)(?: [\w'-]+){1,3}")


def sentences(text: str) -> list[str]:
    """Without code, quoted lines and forwarded mail; longer quotations are one sign, `QUOTE`."""
    own = FORWARDED.sub("", QUOTED_LINE.sub("", FENCED.sub("\n", text.replace("’", "'"))))
    plain = IN_MARKS.sub(_unless_a_name, own)
    found, start = [], 0
    for end in END.finditer(plain):
        if not ABBREVIATION.search(plain[max(start, end.end() - LONGEST_ABBREVIATION) : end.end()]):
            found.append(plain[start : end.end()])
            start = end.end()
    found.append(plain[start:])
    return [bare for one in found if (bare := BULLET.sub("", one).strip())]


def _unless_a_name(marked: re.Match[str]) -> str:
    words = next(part for part in (*marked.groups(), "") if part is not None).split()
    return marked.group() if len(words) < SPOKEN_WORDS else QUOTE


def clauses(sentence: str) -> list[str]:
    """The sentence in parts that can be understood alone; whole where that is not plain.

    What ended and what took its place stay together: they are one change.
    """
    if FRONTED.match(sentence):
        return [sentence]
    found, start = [], 0
    for joint in JOINT.finditer(sentence):
        left, right = sentence[start : joint.start()], sentence[joint.end() :]
        if not ceases(left) and not ceases(right) and not ONLY_A_NOUN.fullmatch(left):
            found.append(left)
            start = joint.end()
    return [part.strip() for part in (*found, sentence[start:]) if part.strip()]
