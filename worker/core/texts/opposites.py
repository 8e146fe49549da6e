"""Whether a fact says the opposite of what its turns say.

Only where the words leave no doubt: the fact says a denial in its words without the denial, or denies word for word
what nobody denied. "Wants gym reminders" for "No need to remind me about the gym" is not seen, as honest paraphrases
("Dislikes coriander" for "I don't like coriander") look just like it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from worker.core.texts.clauses import clauses
from worker.core.texts.folding import folded
from worker.core.texts.negated import Negated, negated
from worker.core.texts.scripts import HIRAGANA
from worker.core.texts.words import carriers

#: From the end of the sentence before on, so that each sign is looked at once.
QUESTION = re.compile(r"(?:^|(?<=[.!?。！？\n]))[^.!?。！？\n]*+[?？]")
#: "Not only" adds, and a "no" before a pronoun answers: neither denies what follows.
NO_DENIAL = re.compile(
    r"\b(?:not|nicht|no|pas|non|não|не|niet|inte|ikke|nie)\s+"
    r"(?:only|just|merely|simply|nur|bloß|solo|sólo|solamente|seulement|soltanto|só|apenas|только|alleen|bara|kun|tylko)\b"
    r"|^(?:no|non|нет|nee|nej|nei)\s+(?:i|i'm|i've|i'd|i'll|it|it's|we|he|she|they|you|my|our|the|this|that|there"
    r"|actually|je|я|мы|ik|jag|jeg)\b"
)
#: Words that only say since when a denial holds.
ANY_MORE = frozenset(
    "anymor longer mehr plus más mas più mais больше meer längre lenger längr mer już artık".split()
)
#: What a statement calls the user where words have no spaces.
USER = re.compile("用户|使用者|ユーザー|사용자")
#: Longest clause that is read, in characters: a longer one has no punctuation, and may say anything.
LONGEST_CLAUSE = 400
INFLECTED = re.compile(f"[{HIRAGANA}]")


@dataclass(frozen=True)
class _Clause:
    """A clause without its question, what it denies, and all its words."""

    words: frozenset[str]
    #: For each denial the words that it is about; empty for a bare "not any more".
    denies: tuple[frozenset[str], ...]


def reverses(text: str, subject: str, said: str) -> str | None:
    """How the fact turns around what was said, in words for the model; nothing where it does not for certain."""
    stated = _stated(said)
    denials = negated(text)
    if not denials and _affirms(_core(carriers(USER.sub(" ", text)) - carriers(subject)), stated):
        return "leaves out a denial of its turn"
    if (
        denials
        and not any(one.denies for one in stated)
        and any(_denies(denials, clause) for clause in stated)
    ):
        return "denies what its turn says"
    return None


@lru_cache(maxsize=8)
def _stated(said: str) -> tuple[_Clause, ...]:
    return tuple(_clauses(said))


def _clauses(said: str) -> Iterator[_Clause]:
    for clause in clauses(QUESTION.sub(" ", said)):
        if len(clause) > LONGEST_CLAUSE:
            yield _Clause(frozenset(), ())
            continue
        found = () if NO_DENIAL.search(folded(clause)) else negated(clause)
        yield _Clause(_core(carriers(clause)), tuple(_core(one.about) - ANY_MORE for one in found))


def _affirms(words: frozenset[str], stated: Sequence[_Clause]) -> bool:
    """Whether these words are a denial of the turn without its "not", and nothing else in it could have said them."""
    taken_back = {
        id(before)
        for before, clause in pairwise(stated)
        if frozenset() in clause.denies and not clause.words - ANY_MORE
    }
    rest = (one.words for one in stated if not one.denies and id(one) not in taken_back)
    # "My brother eats no meat but I do": a clause that is all grammar means what stands around it.
    if any(not others or others & words for others in rest):
        return False
    denied = any(
        about and about <= words <= clause.words for clause in stated for about in clause.denies
    )
    # A fact that has all words of what is no more, "used to" among them, tells of the past.
    ended = any(id(clause) in taken_back and words < clause.words for clause in stated)
    return bool(words) and (denied or ended)


def _denies(denials: tuple[Negated, ...], clause: _Clause) -> bool:
    """Whether one of the denials has all words of the clause."""
    words = clause.words
    return bool(words) and any(
        words <= _core(carriers(one.clause)) and words & one.about for one in denials
    )


def _core(words: frozenset[str]) -> frozenset[str]:
    """Without the bigrams that hold an ending, where words have no spaces."""
    return frozenset(word for word in words if not INFLECTED.search(word)) or words
