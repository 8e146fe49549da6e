"""One statement in other words, by rule: what a person would call the same, and every detail still there."""

import random
import re
from collections.abc import Callable, Sequence

#: Word → another that says the same in such a statement; read both ways.
SYNONYMS = (
    ("kids", "children"),
    ("bought", "purchased"),
    ("began", "started"),
    ("photo", "picture"),
    ("movie", "film"),
    ("movies", "films"),
    ("mom", "mother"),
    ("dad", "father"),
    ("happy", "glad"),
    ("big", "large"),
    ("beautiful", "lovely"),
    ("assists", "helps"),
    ("helpful", "useful"),
    ("values", "treasures"),
    ("trip", "journey"),
    ("job", "occupation"),
    ("difficult", "hard"),
    ("loves", "adores"),
    ("enjoys", "likes"),
    ("finds", "considers"),
    ("believes", "thinks"),
    ("important", "essential"),
    ("recently", "lately"),
    ("appreciates", "is grateful for"),
    ("plans to", "intends to"),
    ("wants to", "would like to"),
    ("is interested in", "has an interest in"),
    ("is excited about", "is thrilled about"),
    ("received", "got"),
    ("spending time", "passing time"),
)
CONTRACTIONS = (
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("has not", "hasn't"),
    ("cannot", "can't"),
    ("it is", "it's"),
)
#: What may be said first as well as last.
LAST = re.compile(
    r"(?P<rest>.+?),? (?P<last>(?:in (?=[A-Z])|(?:during|since|after|before|while) )(?:[\w'-]+ ?){1,5})\.?"
)
PAST = re.compile(r"(?P<who>[A-Z]\w+) (?P<verb>[a-z]+ed)\b")

Rule = Callable[[str, str], str]


def synonyms(text: str, _: str) -> str:
    """Each word of the table once."""
    done = text
    for one, other in SYNONYMS:
        for old, new in ((one, other), (other, one)):
            if re.search(rf"\b{old}\b", text):
                done = re.sub(rf"\b{old}\b", new, done, count=1)
                break
    return done


def contracted(text: str, who: str) -> str:
    """Or spelt out, where it is contracted; "Ann is" becomes "Ann's"."""
    for whole, short in CONTRACTIONS:
        for old, new in ((whole, short), (short, whole)):
            if re.search(rf"\b{old}\b", text):
                return re.sub(rf"\b{old}\b", new, text, count=1)
    return re.sub(rf"^{who} is\b", f"{who}'s", text)


def reported(text: str, who: str) -> str:
    return f"{who} said that {text}" if text.startswith(who) else text


def turned(text: str, who: str) -> str:
    """What is said last comes first."""
    found = LAST.fullmatch(text)
    if found is None or not text.startswith(who):
        return text
    last = found["last"]
    return f"{last[0].upper()}{last[1:]}, {found['rest']}."


def perfect(text: str, who: str) -> str:
    """The past as what has been done."""
    return PAST.sub(r"\g<who> has \g<verb>", text, count=1) if text.startswith(who) else text


def padded(text: str, who: str) -> str:
    return f"Well, {text.removesuffix('.')}, you know" if text.startswith(who) else text


RULES: tuple[Rule, ...] = (synonyms, contracted, reported, turned, perfect)
#: Rules that are tried on one statement.
MOST = 2


def reworded(text: str, who: str, chance: random.Random, rules: Sequence[Rule] = RULES) -> str:
    """By up to two rules that change it, drawn; with mere fillers where none does, if it begins with the person."""
    done, used = text, 0
    for rule in chance.sample(rules, len(rules)):
        new = rule(done, who)
        if new != done:
            done, used = new, used + 1
        if used == MOST:
            break
    return done if used else padded(text, who)
