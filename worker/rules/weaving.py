"""Texts that keep what an update would lose: what was before, what holds otherwise, what holds as well."""

import re

from worker.rules.verbs import PARTICIPLE, past

#: Parts a woven text from its newest statement.
SEAM = re.compile(r"; (?:before that|before:|otherwise:|also:) ")
#: Longest woven text, in characters; beyond it the oldest clauses go to the archive alone.
LONGEST = 400
ADVERBS = r"(?P<adverbs>(?:(?:also|always|usually|often|still|already|now|currently) )*)"
SUBJECT = re.compile(
    rf"^(?P<who>[A-Z][\w-]*(?: \([^)]*\))?|They) {ADVERBS}(?P<verb>[a-z]+)\b(?P<rest>.*)$"
    rf"|^(?P<owner>[A-Z][\w-]*)'s (?P<thing>[\w -]{{1,40}}?) {ADVERBS.replace('adverbs', 'more')}"
    r"(?P<is>[a-z]*s|are)\b(?P<value>.*)$"
)
PRESENT_ONLY = re.compile(r"\s+(?:now|these days|currently|at the moment|nowadays)(?=$|[\s,;.])")


def standing(text: str) -> str:
    """What a woven text says of the present."""
    return SEAM.split(text, maxsplit=1)[0]


def with_before(newest: str, older: list[str]) -> tuple[str, tuple[str, ...]]:
    """The newest with each older statement as past; and the pieces that no longer fit, literally."""
    text, drops = newest, list[str]()
    for one in older:
        head, *tail = _pieces(one)
        for at, piece in enumerate((f"; {_earlier(head, newest)}", *tail)):
            if len(text) + len(piece) <= LONGEST or at == 0:
                text += piece
            else:
                drops.append(SEAM.sub("", piece, count=1))
    return text, tuple(drops)


def with_rest(newest: str, older: list[str], seam: str) -> str:
    """The newest with older statements that hold `otherwise` or `also`, in their own words."""
    return newest + "".join(f"; {seam}: {one}" for one in older)


def _pieces(text: str) -> list[str]:
    """The head, then each part with its seam."""
    starts = [found.start() for found in SEAM.finditer(text)]
    return [text[a:b] for a, b in zip([0, *starts], [*starts, len(text)], strict=True)]


def _earlier(statement: str, newest: str) -> str:
    """The statement in the past, its subject left out where the newest has the same."""
    found = SUBJECT.match(PRESENT_ONLY.sub("", statement))
    then = past(found["verb"] or found["is"]) if found else None
    if not found or not then:
        return f"before: {statement}"
    if found["owner"]:
        thing = f"{found['owner']}'s {found['thing']}"
        whose = "their" if newest.startswith(found["owner"]) else f"{found['owner']}'s"
        subject = "" if newest.startswith(thing) else f"{whose} {found['thing']} "
        return f"before that {subject}{found['more']}{then}{found['value']}"
    rest = found["rest"]
    following = rest.split()[0] if rest.split() else ""
    if found["verb"] == "has" and (following in PARTICIPLE or following.endswith("ed")):
        then, rest = following, rest.strip().removeprefix(following)
    return f"before that {found['adverbs']}{then}{rest}"
