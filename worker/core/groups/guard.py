"""The guard of a merge: nothing that the members say gets lost unsaid, and nothing is said that none of them says.

Members ⊆ text ∪ after ∪ drops, and text adds nothing, in six kinds: numbers, dates, names, quotations,
identifiers and negations; and each clause of a member leaves a content word behind, each of a text has one of a member.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from schemas.memory import Statement
from worker.core.texts import names, negated
from worker.core.texts.clauses import clauses
from worker.core.texts.codes import coded
from worker.core.texts.dates import dated, parts_of, parts_of_partial
from worker.core.texts.folding import folded
from worker.core.texts.negated import Negated
from worker.core.texts.numerals import numbers
from worker.core.texts.quotations import quotations
from worker.core.texts.units import units
from worker.core.texts.words import carriers, normalised


@dataclass(frozen=True)
class Details:
    """What one text says, kind by kind."""

    text: str
    #: Dates, numbers and their units: each the set of its spellings.
    counts: frozenset[frozenset[str]]
    #: Every spelling that the text has or may stand for.
    spellings: frozenset[str]
    codes: frozenset[str]
    names: frozenset[str]
    #: All words in the form in which names are compared.
    words: frozenset[str]
    #: Those that carry meaning, word by word also where there are no spaces.
    forms: frozenset[str]
    quotations: frozenset[str]
    negated: tuple[Negated, ...]
    averse: tuple[Negated, ...]
    carriers: frozenset[str]


#: A digit of another script.
_DIGIT = re.compile(r"(?![0-9])\d")


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def details(text: str) -> Details:
    plain = _DIGIT.sub(lambda sign: str(unicodedata.digit(sign[0])), _compatible(text))
    dates = dated(plain)
    code = coded(dates.rest)
    counted = numbers(code.rest)
    measured = units(dates.rest)
    counts = dates.parts | counted.certain | measured.certain
    return Details(
        text=normalised(text),
        counts=counts,
        spellings=counted.possible.union(measured.possible, *counts),
        codes=code.codes,
        names=names.names(text),
        words=names.keys(text),
        forms=_forms(text),
        quotations=quotations(text),
        negated=negated.negated(text),
        averse=negated.averse(text),
        carriers=carriers(text),
    )


#: Looks at a text; one that remembers saves time where the same texts are compared again and again.
Reader = Callable[[str], Details]


@dataclass(frozen=True)
class Known:
    """What counts as said without standing in a text."""

    spellings: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


def lost(members: Sequence[Statement], pieces: Iterable[str], read: Reader = details) -> list[str]:
    """What of the members is in none of the pieces (text, after and drops), in words."""
    left = [read(piece) for piece in pieces]
    found: list[str] = []
    for member in members:
        found += _not_among(read(member.text), left, Known(words=names.keys(member.subject)))
        found += _lost_clauses(member, _union(piece.carriers for piece in left))
    return list(dict.fromkeys(found))


def invented(
    members: Sequence[Statement], texts: Iterable[str], read: Reader = details
) -> list[str]:
    """What of the texts no member says, in words; the members' own times and subjects count as said."""
    sources = [read(member.text) for member in members]
    known = _known(members)
    said = _union(source.forms for source in sources)
    subjects = _union(_forms(member.subject) for member in members)
    found: list[str] = []
    for text in texts:
        found += _not_among(read(text), sources, known)
        found += _made_up(read(text), text, said, subjects)
    return list(dict.fromkeys(found))


def unsaid(members: Sequence[Statement], text: str, read: Reader = details) -> list[str]:
    """What of the six kinds in a text no member has, in words; its other words may be its own."""
    sources = [read(member.text) for member in members]
    return list(dict.fromkeys(_not_among(read(text), sources, _known(members))))


def denied(members: Sequence[Statement], text: str, read: Reader = details) -> list[str]:
    """What the text denies although a member plainly says it, in words."""
    sources = [(read(member.text), clauses(member.text)) for member in members]
    return [
        f'"{negation.clause}"'
        for negation in read(text).negated
        if any(_affirms(said, own, negation) for own, said in sources)
    ]


def opposed(members: Sequence[Statement], read: Reader = details) -> list[str]:
    """What one of the members is averse to and another speaks of without aversion or negation, in words."""
    sources = [read(member.text) for member in members]
    return list(
        dict.fromkeys(
            f'"{one.clause}"'
            for source in sources
            for one in source.averse
            if any(_is_fond(other, one.about) for other in sources)
        )
    )


def _is_fond(other: Details, about: frozenset[str]) -> bool:
    """Whether it speaks of the same, and nowhere in a way that might turn it round."""
    turned = (*other.averse, *other.negated)
    return bool(about & other.carriers) and not any(about & one.about for one in turned)


def affirmed(members: Sequence[Statement], text: str) -> list[str]:
    """What a member denies although the text plainly says it, in words."""
    found = (denied([one.model_copy(update={"text": text})], one.text) for one in members)
    return list(dict.fromkeys(negation for one in found for negation in one))


def foreign(members: Sequence[Statement], text: str) -> list[str]:
    """Words of the text that are in no member, whatever their ending, and carry meaning."""
    said = " ".join(f"{one.text} {one.subject} {one.said_by}" for one in members)
    known = _forms(said)
    return list(dict.fromkeys(f'"{word}"' for form, word in names.forms(text) if form not in known))


def _known(members: Sequence[Statement]) -> Known:
    """The members' own times, and of whom and by whom they are."""
    return Known(
        spellings=_union(_times(member) for member in members),
        words=_union(names.keys(f"{member.subject} {member.said_by}") for member in members),
    )


def _affirms(said: Sequence[str], own: Details, negation: Negated) -> bool:
    """Whether one of the clauses is the denied one without its negation."""
    if any(negation.about & other.about for other in own.negated):
        return False
    whole = carriers(negation.clause)
    return any(words <= whole and words & negation.about for words in map(carriers, said))


def _not_among(own: Details, others: Sequence[Details], known: Known) -> Iterator[str]:
    """Each number, date, identifier, name, quotation and negation of one text that the others do not have."""
    spellings = _union(other.spellings for other in others) | known.spellings
    yield from (_named(one) for one in sorted(own.counts, key=sorted) if not one & spellings)
    codes = _union(other.codes for other in others)
    yield from (f'the identifier "{code}"' for code in sorted(own.codes - codes))
    words = _union(other.words for other in others) | known.words
    yield from (f'the name "{one}"' for one in sorted(own.names) if names.key(one) not in words)
    for quotation in sorted(own.quotations):
        if not any(quotation in other.text for other in others):
            yield f'the quotation "{quotation}"'
    denied = [negation for other in others for negation in other.negated]
    carriers_of_others = _union(other.carriers for other in others)
    for negation in own.negated:
        if not negated.kept(negation, denied, carriers_of_others):
            yield f'the negation in "{negation.clause}"'


def _lost_clauses(member: Statement, left: frozenset[str]) -> Iterator[str]:
    for clause in clauses(member.text):
        words = carriers(clause) - carriers(member.subject)
        if words and not words & left:
            yield f'all of "{clause}"'


def _made_up(
    own: Details, text: str, said: frozenset[str], subjects: frozenset[str]
) -> Iterator[str]:
    """Clauses without a word that anybody said; what they say in names, dates and numbers is looked at by itself."""
    named = {names.key(name) for name in own.names}
    for clause in clauses(text):
        words = {form: word for form, word in names.forms(clause) if form not in subjects}
        plain = (word for form, word in words.items() if form not in named)
        if any(map(_is_a_word, plain)) and said.isdisjoint(words):
            yield f'all of "{clause}"'


def _is_a_word(word: str) -> bool:
    return word.isalpha() and folded(word) not in names.NO_NAMES


def _forms(text: str) -> frozenset[str]:
    return frozenset(form for form, _ in names.forms(text))


def _times(member: Statement) -> frozenset[str]:
    moments = [member.said_at, *([member.until] if member.until else [])]
    dates = [parts_of(moment) for moment in moments]
    if member.happened_at:
        dates.append(parts_of_partial(member.happened_at))
    return _union(dates)


def _named(count: frozenset[str]) -> str:
    spelling = min(count)
    if spelling.startswith("unit "):
        return f"the {spelling}"
    return f"the date ({spelling})" if " " in spelling else f"the number {spelling}"


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)
