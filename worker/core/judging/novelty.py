"""A gate for those who would rather lose a nuance than pay for a judge: what is hardly new confirms what is known.

Off unless a setting turns it on.
"""

from dataclasses import dataclass

from schemas.memory import Statement
from worker.core.groups.guard import Reader, denied, details, invented
from worker.core.groups.judgment import Candidacy, Group, memories_in
from worker.core.groups.outcome import outcome
from worker.core.groups.setting import ALWAYS_JUDGED
from worker.core.judging.equal_facts import beside_its_words
from worker.core.texts.names import forms

HARDLY_NEW = "hardly anything in it is new"


@dataclass(frozen=True)
class Novelty:
    """When a fact says hardly anything new."""

    #: 1 − the highest cosine to a memory: below it a fact confirms that memory.
    below: float
    #: Kinds of facts that are always judged.
    exempt: frozenset[str] = ALWAYS_JUDGED


def repeated(candidacy: Candidacy, fact: str, novelty: Novelty) -> Group | None:
    """The fact with the nearest memory, as the same; nothing where a number, code, name, "not" or the order differs."""
    near = [
        (candidacy.cosines[fact, one], one)
        for one in memories_in(candidacy.offered_to(fact))
        if (fact, one) in candidacy.cosines
    ]
    if not near or candidacy.fact(fact).kind in novelty.exempt:
        return None
    cosine, nearest = max(near)
    if 1 - cosine >= novelty.below or differ(candidacy.shown(fact), candidacy.shown(nearest)):
        return None
    group = Group(why=HARDLY_NEW, members=(fact, nearest), relation="same")
    return group if outcome(candidacy, group).kind == "same" else None


def differ(said: Statement, known: Statement, read: Reader = details) -> bool:
    """In what must never be taken for the same: kind, times, numbers, codes, dates, names, quotations, "not", order."""
    if beside_its_words(said) != beside_its_words(known) or reordered(said.text, known.text):
        return True
    return any(
        invented([one], [other.text], read) or denied([one], other.text, read)
        for one, other in ((said, known), (known, said))
    )


def reordered(said: str, known: str) -> bool:
    """Whether what both name and say comes in another order: neither words nor an embedding tell who lent to whom."""
    one, other = ([form for form, _ in forms(text)] for text in (said, known))
    shared = set(one) & set(other)
    return [form for form in one if form in shared] != [form for form in other if form in shared]
