"""What somebody says of themselves, told about them: "I love my cat" → "User loves their cat"."""

import re

from worker.rules.verbs import COMMON, PARTICIPLE, third_person

ADVERB = (
    r"(?:also|always|never|usually|often|sometimes|rarely|really|just|still|already|now|currently|recently"
    r"|mostly|normally|generally|finally|actually|only|even|no longer|not|almost|mainly|probably|definitely"
    r"|hardly|seldom|ever|both|once|then|first|totally|quite"
    r"|(?!fly\b|rely\b|apply\b|reply\b|supply\b|comply\b|multiply\b)\w+ly)"
)
PRONOUN = re.compile(
    r"\b(?:(?P<subject>I|[Ww]e)(?:'(?P<short>m|re|ve|d|ll))?(?P<adverbs>(?:\s+" + ADVERB + r"\b)*)"
    r"(?:\s+(?P<verb>[A-Za-z]+(?:'t)?)\b)?"
    r"|(?P<possessive>[Mm]y|[Oo]ur)|(?P<own>[Mm]ine|[Oo]urs)|(?P<object>[Mm]e|us)"
    r"|(?P<self>[Mm]yself|[Oo]urselves)|(?P<your>[Yy]our)"
    r"|(?P<you>[Yy]ou)(?:'(?P<are>re|ve|ll)|\s+(?P<aux>are|have|were|do))?)\b"
)
TYPED = {
    re.compile(r"\b[Ii]m\b(?!\.)"): "I'm",
    re.compile(r"\b[Ii]ve\b"): "I've",
    re.compile(r"\bi(?=\s|'|$)"): "I",
    re.compile(r"\b([Dd])ont\b"): r"\1on't",
}
#: After a name, and after "they".
SHORT_FORMS = {
    "m": ("is", "are"),
    "re": ("is", "are"),
    "ve": ("has", "have"),
    "ll": ("will", "will"),
}
PLURAL = {"am": "are", "was": "were", "is": "are", "wasn't": "weren't"}
JOINED = re.compile(rf"\b(and|or|but|then)(\s+(?:{ADVERB}\s+)*)([a-z]+)(?=\s+\S)")


def as_typed(text: str) -> str:
    """With the apostrophes and the capital "I" that people leave out."""
    for sloppy, right in TYPED.items():
        text = sloppy.sub(right, text)
    return text


def retold(clause: str, name: str, you: str = "the assistant") -> str:
    """The first mention gets the name, later ones "they"; verbs follow. `you` is whom it is said to."""
    return _Retelling(name, you).of(clause)


class _Retelling:
    def __init__(self, name: str, you: str) -> None:
        self._name = name
        self._you = you
        self._named = False
        self._present = False

    def of(self, clause: str) -> str:
        parts: list[str] = []
        at = 0
        for found in PRONOUN.finditer(clause):
            parts += [self._joined(clause[at : found.start()]), self._told(found)]
            at = found.end()
        text = "".join([*parts, self._joined(clause[at:])]).strip()
        return text[:1].upper() + text[1:]

    def _told(self, found: re.Match[str]) -> str:
        match found.lastgroup:
            case "possessive":
                return self._mention(f"{self._name}'s", "their")
            case "own":
                return self._mention(f"{self._name}'s", "theirs")
            case "object":
                return self._mention(self._name, "them")
            case "self":
                return "themselves"
            case "your":
                return f"{self._you}'s"
            case "you" | "are" | "aux":
                return self._addressed(found)
            case _:
                return self._subject(found)

    def _addressed(self, found: re.Match[str]) -> str:
        verb = SHORT_FORMS[found["are"]][0] if found["are"] else third_person(found["aux"] or "")
        return f"{self._you} {verb}" if found["are"] or found["aux"] else self._you

    def _mention(self, first: str, later: str) -> str:
        told = later if self._named else first
        self._named = True
        return told

    def _subject(self, found: re.Match[str]) -> str:
        first, self._named = not self._named, True
        short, verb = found["short"], found["verb"] or ""
        adverbs = found["adverbs"] or ""
        self._present = False
        if short:
            helper = self._helper(short, verb, first=first)
            return f"{self._name if first else 'they'} {helper}{adverbs}{' ' if verb else ''}{verb}"
        if first:
            told = third_person(verb) if verb else ""
            self._present = told != verb and verb in COMMON
            return f"{self._name}{adverbs}{' ' if verb else ''}{told}"
        return f"they{adverbs}{' ' if verb else ''}{PLURAL.get(verb, verb)}"

    def _helper(self, short: str, verb: str, *, first: bool) -> str:
        if short == "d":
            return (
                "had" if verb in PARTICIPLE or verb == "better" or verb.endswith("ed") else "would"
            )
        return SHORT_FORMS[short][0 if first else 1]

    def _joined(self, text: str) -> str:
        """Verbs after "and" that share the subject agree with it."""
        if not self._present:
            return text
        return JOINED.sub(
            lambda found: (
                f"{found[1]}{found[2]}{third_person(found[3]) if found[3] in COMMON else found[3]}"
            ),
            text,
        )
