"""Facts about somebody else: "My brother Tariq is coeliac" is about Tariq."""

import re
from dataclasses import dataclass

PRONOUNS = {
    "she": "sister mother mum mom mam daughter wife girlfriend aunt niece grandmother grandma granny nan"
    " fiancée stepmother stepdaughter stepsister sister-in-law mother-in-law daughter-in-law",
    "he": "brother father dad son husband boyfriend uncle nephew grandfather grandpa grandad stepfather"
    " stepson stepbrother brother-in-law father-in-law son-in-law",
    "they": "partner cousin friend colleague coworker co-worker flatmate roommate housemate neighbour neighbor"
    " fiancé fiance ex twin sibling child kid baby toddler parents kids children grandparents in-laws spouse"
    " grandchild godson goddaughter",
}
PRONOUN_OF = {noun: pronoun for pronoun, nouns in PRONOUNS.items() for noun in nouns.split()}
NOUN = "|".join(sorted(map(re.escape, PRONOUN_OF), key=len, reverse=True))
NAME = r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)?"
MENTION = re.compile(
    rf"^(?:[Mm]y|[Oo]ur)\s+(?P<noun>(?:[a-z-]+\s+){{0,2}}?(?P<kin>{NOUN}))(?:,?\s+(?P<name>{NAME})(?<!'s),?)?"
    rf"(?:\s+(?P<rest>(?!and (?:I|me)\b|or\b)[a-z'].*)|(?P<short>'s\s+.*))$"
)
NAMING = re.compile(
    rf"^(?:is|are)\s+(?:called|named)\s+(?P<name>{NAME})\b|^'s name is (?P<other>{NAME})\b"
)
#: "My mum's birthday is …": the mum's, not "mum is".
OWNED = re.compile(r"^'s\s+(?:[\w-]+\s+){1,3}?(?:is|are|was|were|has)\b")
LED = re.compile(r"^(?P<pronoun>He|She|They)(?:'(?P<short>s|re|ve|ll))?\s+(?P<rest>.+)$")
SHORT_FORMS = {"s": "is", "re": "is", "ve": "has", "ll": "will"}


@dataclass(frozen=True)
class Person:
    """Whom a sentence is about: `subject` names them in a fact, `shown` in its text, `called` where they come up."""

    subject: str
    shown: str
    called: str
    pronoun: str


@dataclass(frozen=True)
class Mention:
    """A person and what is said of them."""

    person: Person
    said: str


def mentioned(clause: str, owner: str, subject: str) -> Mention | None:
    """The relative or friend that a clause begins with. `owner` is the speaker's name in texts, `subject` in facts."""
    found = MENTION.match(clause)
    if not found:
        return None
    said = found["rest"] or f"is{found['short'][2:]}"
    naming = NAMING.match(found["rest"] or found["short"])
    name = found["name"] or (naming and (naming["name"] or naming["other"]))
    noun = found["noun"]
    shown = f"{name} ({owner}'s {noun})" if found["name"] else f"{owner}'s {noun}"
    if not found["rest"] and OWNED.match(found["short"]):
        shown, said = f"{shown}'s", found["short"][2:].strip()
    person = Person(
        subject=name or f"{subject}'s {noun}",
        shown=shown,
        called=name or f"{owner}'s {noun}",
        pronoun=PRONOUN_OF[found["kin"]],
    )
    return Mention(person, said)


def referred(clause: str, last: Person | None) -> Mention | None:
    """What a clause that begins with "she" or "he" says of the person named before it."""
    found = LED.match(clause)
    if not found or last is None or not _fits(last, found["pronoun"].lower()):
        return None
    verb = SHORT_FORMS.get(found["short"] or "", "")
    shown = Person(last.subject, last.called, last.called, last.pronoun)
    return Mention(shown, f"{verb} {found['rest']}".strip())


def resolved(clause: str, last: Person | None) -> str:
    """With the name where "he", "she" or "him" stood, if it can only be the person named before."""
    if last is None or last.pronoun == "they":
        return clause
    object_form = "him" if last.pronoun == "he" else None
    text = re.sub(rf"\b{last.pronoun}\b(?!')", last.called, clause)
    return re.sub(r"\bhim\b", last.called, text) if object_form else text


def _fits(person: Person, pronoun: str) -> bool:
    return pronoun == person.pronoun or (person.pronoun == "they" and pronoun in {"he", "she"})
