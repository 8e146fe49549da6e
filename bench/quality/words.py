"""Whether a text says a value: by whole words and numbers, so that any wording passes that says it. Pure.

A *need* is a phrase that has to stand in a text, word next to word; of several parted by `|` any one. `vienn*` is any
word that begins so, for languages that bend names. `~some longer sentence` is said in other words as well: all of its
numbers and four fifths of its content words have to be there. Numbers are whole tokens: 4 is in no 4412, 4.5 or A4.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from worker.core.texts.folding import folded
from worker.core.texts.scripts import LETTER, UNSPACED, UNSPACED_RUN
from worker.core.texts.words import content_words, stem

#: Of the content words of a longer sentence, the share that says it.
MOST = 0.8

SPACED = rf"(?:(?![{UNSPACED}]){LETTER})"
#: Words and numbers that signs hold together: "4.5", "a-12", "10:30", "src/cache".
JOINED = re.compile(rf"{SPACED}+(?:[.,:/@_#+'-]{SPACED}+)*|[{UNSPACED}]|[;.!?\u3002\uff01\uff1f\n]")
WORD = re.compile(rf"{SPACED}+")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
STOPS = frozenset(";.!?\u3002\uff01\uff1f\n")
#: A full stop behind these ends no clause.
TITLES = frozenset("dr mr mrs ms st prof no vs".split())

#: What says of the value that comes next, else of the one before, that it is over.
OVER = (
    "no longer|any more|anymore|used to|previously|formerly|nicht mehr|früher|ya no|antes|больше не|раньше"
    "|不再|以前|之前"
).split("|")
#: The same at the beginning or end of a clause only.
OVER_AT_THE_EDGE = ("before", "before that", "otherwise")
#: The same, but only beside another value.
FROM = (
    "from|instead of|not|sold|left|quit|statt|aus|von|nicht|en vez de|de|вместо|из|не|从|而不是"
).split("|")

Tokens = tuple[str, ...]
Span = tuple[int, int]


def statement(subject: str, text: str) -> str:
    """What a memory says, and of whom."""
    return f"{subject}: {text}"


def tells(text: str, needs: Iterable[str]) -> bool:
    """Whether all needs stand in the text, no two in the same place."""
    needs = tuple(needs)
    loose = [need for need in needs if need.startswith("~")]
    exact = [need for need in needs if not need.startswith("~")]
    if not all(_says(text, need) for need in loose):
        return False
    there = _bag(text)
    if not all(any(_may(there, phrase) for phrase in need.split("|")) for need in exact):
        return False
    whole = tokens(text)
    return _apart([spans(whole, need) for need in exact])


@lru_cache(maxsize=1 << 14)
def _bag(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


def _may(there: frozenset[str], phrase: str) -> bool:
    """Whether a text with these words could have the phrase: most have not, and this is quick."""
    return there.issuperset(_whole(phrase))


def _whole(phrase: str) -> Tokens:
    """Of a phrase what stands in a text as it is."""
    wanted, is_open = _wanted(phrase)
    return wanted[:-1] if is_open else wanted


def certain(need: str) -> Tokens:
    """What each text that tells the need has among its tokens; it may be nothing."""
    if need.startswith("~"):
        return _numbers(need.removeprefix("~"))
    return () if "|" in need else _whole(need)


def _numbers(text: str) -> Tokens:
    return tuple(token for token in tokens(text) if any(map(str.isdigit, token)))


def claims(text: str, about: Sequence[str], value: str, others: Iterable[str] = ()) -> bool:
    """Whether the text says that the value is true: somewhere it stands in a clause that does not call it over.

    `others` are what else the same thing may be or has been.
    """
    if not tells(text, (*about, value)):
        return False
    if value.startswith("~"):
        return True
    others = [one for one in others if one != value and not one.startswith("~")]
    whole = tokens(text)
    found = _placed(clauses(whole), value) or _placed([whole], value)
    return any(not _is_over(clause, span, _beside(clause, span, others)) for clause, span in found)


def _placed(pieces: Iterable[Tokens], value: str) -> list[tuple[Tokens, Span]]:
    return [(piece, span) for piece in pieces for span in spans(piece, value)]


def _beside(clause: Tokens, span: Span, others: Iterable[str]) -> list[Span]:
    found = [one for other in others for one in spans(clause, other)]
    return [one for one in found if not _overlap(one, span)]


def _is_over(clause: Tokens, span: Span, others: Sequence[Span]) -> bool:
    marks = [mark for one in OVER for mark in spans(clause, one)]
    for one in OVER_AT_THE_EDGE:
        marks += [mark for mark in spans(clause, one) if mark[0] == 0 or mark[1] == len(clause)]
    if others:
        marks += [mark for one in FROM for mark in spans(clause, one)]
    return any(_meant(mark, [span, *others]) == span for mark in marks)


def _meant(mark: Span, values: Sequence[Span]) -> Span:
    """Of the values the next behind the mark, else the last before it."""
    behind = [one for one in values if one[0] >= mark[1]]
    return min(behind) if behind else max(values)


@lru_cache(maxsize=1 << 14)
def tokens(text: str) -> Tokens:
    """Stems of words, whole numbers and codes, single signs of scripts without spaces, and what ends a clause."""
    return tuple(token for found in JOINED.findall(folded(text)) for token in _split(found))


def _split(found: str) -> Iterator[str]:
    if any(sign.isdigit() for sign in found):
        yield THOUSANDS.sub("", found).removesuffix("'s")
    elif found in STOPS or UNSPACED_RUN.match(found):
        yield found
    else:
        yield from (stem(word) for word in WORD.findall(found) if word != "s")


def clauses(whole: Tokens) -> list[Tokens]:
    """Pieces that a stop ends; one behind an initial or a title ends none."""
    found, start = [], 0
    for at, one in enumerate(whole):
        if one in STOPS and not (one == "." and at and _is_short(whole[at - 1])):
            found.append(whole[start:at])
            start = at + 1
    return [piece for piece in (*found, whole[start:]) if piece]


def _is_short(word: str) -> bool:
    """Whether a full stop behind it belongs to it."""
    return word in TITLES or (len(word) == 1 and word.isalpha())


def spans(whole: Tokens, need: str) -> list[Span]:
    """Every place of a need in a text."""
    return [span for phrase in need.split("|") for span in _places(whole, phrase)]


@lru_cache(maxsize=1 << 15)
def _wanted(phrase: str) -> tuple[Tokens, bool]:
    """Without what ends a sentence; whether the last word may go on."""
    bare = phrase.rstrip("*").rstrip()
    made = tokens(bare)
    last = WORD.findall(bare)[-1:]
    # Where words have no spaces any sign may be followed by another.
    is_open = phrase.endswith("*") and bool(last) and bare.endswith(last[0])
    if is_open:
        made = (*made[:-1], folded(last[0]))
    while made and made[-1] in STOPS:
        made = made[:-1]
    return made, is_open


def _places(whole: Tokens, phrase: str) -> Iterator[Span]:
    wanted, is_open = _wanted(phrase)
    many = len(wanted)
    for at in range(len(whole) - many + 1 if many else 0):
        there = whole[at : at + many]
        ends = there[-1].startswith(wanted[-1]) if is_open else there[-1] == wanted[-1]
        if ends and there[:-1] == wanted[:-1]:
            yield at, at + many


def _apart(places: Sequence[Sequence[Span]], taken: Sequence[Span] = ()) -> bool:
    """Whether each has a place of its own."""
    if not places:
        return True
    free = (span for span in places[0] if not any(_overlap(span, one) for one in taken))
    return any(_apart(places[1:], (*taken, span)) for span in free)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _says(text: str, need: str) -> bool:
    """Whether a longer sentence is said in these or other words."""
    wanted = need.removeprefix("~")
    there = _bag(text)
    if not there.issuperset(_numbers(wanted)):
        return False
    words = content_words(wanted)
    return len(words & content_words(text)) >= MOST * len(words)
