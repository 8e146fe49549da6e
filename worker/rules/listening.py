"""One turn, sentence by sentence: what is said in it, in the third person."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from worker.core.texts.words import content_words
from worker.rules.clause import FIRST, TURNED, bare
from worker.rules.mood import is_question, no_statement, opens_pretence, without_tag
from worker.rules.people import Mention, Person, mentioned, referred, resolved
from worker.rules.requests import as_wish, forgettable, standing_order, whole_requests
from worker.rules.sentences import FRONTED, clauses, sentences
from worker.rules.slots import PETS
from worker.rules.technical import continued, is_technical, unfolded
from worker.rules.third_person import as_typed, retold

OWN = re.compile(rf"^{FIRST}")
MAIN_SUBJECT = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b")
I_AM_SAM = re.compile(r"^(?:I'm|I am) (?P<name>[A-Z][a-z]+)$")
#: Capitalised like a name: "I'm German".
NO_NAME = re.compile(
    r"(?:ish|ese|an|ch|ic|Jew|Hindu|Sikh|Greek|Swiss|Thai|Dane|Swede|Finn|Pole|Turk|Scot|Gemini|Leo|Virgo|Libra"
    r"|Aries|Taurus|Pisces|Cancer)$"
)
PET = re.compile(rf"\b(?P<pet>{PETS})\b")
PET_NAME = re.compile(
    r"^(?:(?:His|Her|Its) name(?:'s| is)|(?:He|She|It)(?:'s| is) (?:called|named)) (?P<name>[A-Z]\w+)$"
)
#: Longest sentence, in characters; a longer one is a text, and a model's work.
LONGEST = 500


@dataclass(frozen=True)
class Said:
    """A statement in the third person, not yet a fact."""

    text: str
    #: Whom it is about.
    subject: str
    kind: str = "fact"
    is_technical: bool = False


@dataclass
class Listener:
    """Hears one turn of one speaker and remembers whom it spoke of last.

    `name` is the speaker's in texts, `subject` in facts; `you` is whom they talk to; `people` are names
    known to be somebody's.
    """

    name: str
    subject: str
    you: str = "the assistant"
    people: frozenset[str] = frozenset()
    dropped: Counter[str] = field(default_factory=Counter)
    _person: Person | None = None
    _pet: str | None = None

    def hear(self, text: str) -> list[Said]:
        found: list[Said] = []
        pretending = False
        for sentence in whole_requests(sentences(text)):
            if len(sentence) > LONGEST:
                self.dropped["too long for a rule"] += 1
                continue
            pretending = pretending or opens_pretence(sentence)
            if pretending:
                self.dropped["fiction"] += 1
                continue
            for said in self._sentence(as_typed(sentence)):
                self._take(said, found)
        return found

    def _take(self, said: Said, found: list[Said]) -> None:
        """A sentence that goes on about the code before it joins it."""
        if not continued(said.text) or not said.is_technical:
            found.append(said)
        elif found and found[-1].is_technical:
            more = said.text[:1].lower() + said.text[1:]
            found[-1] = Said(f"{found[-1].text}; {more}", self.subject, is_technical=True)
        else:
            self.dropped["not about the user"] += 1

    def _sentence(self, sentence: str) -> Iterator[Said]:
        if forget := forgettable(sentence):
            yield self._forgotten(forget)
        elif order := standing_order(sentence):
            yield Said(as_wish(order, self.name), self.subject, "instruction")
        elif is_question(statement := without_tag(sentence)):
            self.dropped["question"] += 1
        else:
            plain = bare(statement)
            for clause in unfolded(plain) if self._is_technical(plain) else clauses(plain):
                yield from self._clause(bare(clause))

    def _forgotten(self, what: str) -> Said:
        """In the words in which it would be known, somebody else's as theirs."""
        if mention := self._mention(what):
            return replace(self._of(mention), kind="forget")
        return Said(self._told(what), self.subject, "forget")

    def _is_technical(self, text: str) -> bool:
        return not OWN.match(text) and (continued(text) or is_technical(text))

    def _clause(self, clause: str) -> Iterator[Said]:
        if reason := no_statement(clause):
            self.dropped[reason] += 1
            return
        said = self._statement(clause)
        if said:
            yield said
        elif clause:
            self.dropped["not about the user"] += 1

    def _statement(self, clause: str) -> Said | None:
        if mention := self._mention(clause):
            self._person = mention.person
            return self._of(mention)
        if found := PET_NAME.match(clause):
            return self._of_pet(found["name"])
        if pet := PET.search(clause):
            self._pet = pet["pet"].lower()
        if self._is_own(clause):
            return self._own(resolved(clause, self._person))
        if self._is_technical(clause):
            return Said(clause[:1].upper() + clause[1:], self.subject, is_technical=True)
        return None

    def _of(self, mention: Mention) -> Said:
        rest = self._told(mention.said)
        told = rest if mention.said[:1].isupper() else rest[:1].lower() + rest[1:]
        return Said(f"{mention.person.shown} {told}", mention.person.subject)

    def _mention(self, clause: str) -> Mention | None:
        known = re.match(r"(?P<name>[A-Z]\w+(?: [A-Z]\w+)?)\s+(?P<said>[a-z].*)", clause)
        if known and known["name"] in self.people:
            name = known["name"]
            return Mention(Person(name, name, name, "they"), known["said"])
        return mentioned(clause, self.name, self.subject) or referred(clause, self._person)

    def _of_pet(self, name: str) -> Said | None:
        return (
            Said(f"{self.name}'s {self._pet} is called {name}", self.subject) if self._pet else None
        )

    def _is_own(self, clause: str) -> bool:
        fronted = FRONTED.match(clause) and MAIN_SUBJECT.search(clause)
        return bool(OWN.match(clause) or fronted or TURNED.match(clause))

    def _own(self, clause: str) -> Said | None:
        named = I_AM_SAM.match(clause)
        if named and not NO_NAME.search(named["name"]):
            clause = f"My name is {named['name']}"
        text = self._told(clause)
        meaning = content_words(text) - content_words(self.name)
        return Said(text, self.subject) if meaning else None

    def _told(self, words: str) -> str:
        return retold(words, self.name, self.you)
