"""Proper names: capitalised words inside a sentence, and names with an honorific where there are no capitals."""

import re
import unicodedata
from collections.abc import Iterator

from worker.core.texts.dates import MONTH, WEEKDAY
from worker.core.texts.folding import folded
from worker.core.texts.function_words import FUNCTION_WORDS
from worker.core.texts.numerals import WHOLE_WORDS
from worker.core.texts.scripts import HAN, HANGUL, KATAKANA, LETTER, UNSPACED_RUN
from worker.core.texts.words import ONLY_HIRAGANA, PIECE, stem

TOKEN = re.compile(rf"{LETTER}+(?:['’]{LETTER}+)*")
#: What stands before the first word of a sentence or a list entry.
SENTENCE_END = re.compile(r"(?:^|[.!?:;。！？]|[\n\"“”«»(\[*•–—])\s*[-\"“«(\[*•]*\s*$")
HONOURED = re.compile(
    rf"([{HAN}]{{1,4}}|[{KATAKANA}]{{2,}}|[{HANGUL}]{{2,4}})(?:さん|様|くん|君|ちゃん|氏|先生|씨|님)"
)
#: A first word with one of these after it is what the sentence is about.
BE_AND_HAVE = frozenset(
    {"is", "was", "has", "had", "are", "were", "will", "isn't", "wasn't", "hasn't"}
)
#: Words that tell German from other languages.
GERMAN = frozenset(
    "das der den dem und ist nicht ein eine einen mit sich wird kein keine zum zur auf bei seit für über von".split()
)
#: Capitalised in places, and yet no name.
NO_NAMES = FUNCTION_WORDS | MONTH.keys() | WEEKDAY.keys() | WHOLE_WORDS
#: From here on an inflected name of an alphabet with cases is told by its beginning.
SHORTEST_BEGINNING = 4


def names(text: str) -> frozenset[str]:
    """The names of a text as they are written, without a possessive; in doubt a first word is one."""
    return _found(text, BE_AND_HAVE)


def certain_names(text: str) -> frozenset[str]:
    """Only what cannot be a common word; none in German, which writes all nouns like names."""
    words = {folded(token) for token in TOKEN.findall(text)}
    return frozenset() if words & GERMAN else _found(text, frozenset())


def _found(text: str, verbs: frozenset[str]) -> frozenset[str]:
    text = unicodedata.normalize("NFKC", text)
    found = set(HONOURED.findall(text))
    tokens = list(TOKEN.finditer(text))
    for at, token in enumerate(tokens):
        after = tokens[at + 1].group() if at + 1 < len(tokens) else ""
        before = text[max(0, token.start() - 8) : token.start()]
        first = bool(SENTENCE_END.search(before)) and after not in verbs
        if _is_name(token.group(), first=first):
            found.add(bare(token.group()))
    return frozenset(found)


def bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def keys(text: str) -> frozenset[str]:
    """All words of a text in the form in which names are compared."""
    plain = unicodedata.normalize("NFKC", text)
    words = {key(bare(token)) for token in TOKEN.findall(plain)}
    return frozenset(words | {key(name) for name in HONOURED.findall(plain)})


def key(name: str) -> str:
    """English plurals are one name; so are the cases of a name in an alphabet that inflects it."""
    plain = folded(name)
    if plain.isascii():
        return stem(plain)
    if name[0].upper() != name[0].lower():
        return plain[: max(SHORTEST_BEGINNING, len(plain) - 2)]
    return plain


def forms(text: str) -> Iterator[tuple[str, str]]:
    """Each word that carries meaning in the form in which names are compared, and as it is written.

    Where words have no spaces, each sign stands for itself, but for endings in kana.
    """
    for token in TOKEN.findall(unicodedata.normalize("NFKC", text)):
        for piece in PIECE.findall(bare(token)):
            if UNSPACED_RUN.match(piece):
                yield from ((sign, sign) for sign in piece if not ONLY_HIRAGANA.fullmatch(sign))
            elif folded(piece) not in FUNCTION_WORDS:
                yield key(piece), piece


def _is_name(word: str, *, first: bool) -> bool:
    core = bare(word)
    plain = folded(core)
    if any(sign.isupper() for sign in core[1:]):
        return True
    if not core[0].isupper() or plain in NO_NAMES:
        return False
    return core != word or (len(core) > 1 and not first)
