"""Words that turn a statement into its opposite, in several languages."""

import re

from worker.core.texts.folding import WORD

ENGLISH = "no not never none nobody nothing nowhere neither nor without cannot unable"
#: Contractions as they are typed without their apostrophe.
RUN_TOGETHER = """
dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt hasnt havent hadnt
aint
"""
OTHERS = """
nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder
nunca jamás jamas sin nadie ningún ninguna ninguno tampoco
ne pas jamais sans rien aucun aucune
non nessun nessuno nessuna niente senza
não nem nenhum nenhuma ninguém sem
niet geen nooit niemand niets zonder inte aldrig ingen inget ikke aldri ingenting utan uten uden
не нет ни никогда никто ничего без нельзя nie nigdy nikt nic bez
değil yok hiç không chưa لا ليس لم لن لیس לא אין नहीं मत
"""
#: Words that turn a liking or a habit round without a negation.
AVERSE = frozenset(
    """
dislike dislikes disliked hate hates hated hating detest detests detested loathe loathes loathed despise despises
despised abhor abhors avoid avoids avoided avoiding quit quits stopped ceased
hasse hasst hassen hasste verabscheut verabscheue meidet vermeidet
déteste détestent hait détester odia odio odian detesta detestan aborrece odeia odeio evita haat verafschuwt
ненавижу ненавидит избегает бросил бросила nienawidzi hatar hater nefret
أكره يكره تكره नफरत नफ़रत घृणा
""".split()
)
UNSPACED_AVERSION = re.compile("讨厌|討厭|厌恶|嫌い|嫌う|嫌って|싫어|싫다|싫은|เกลียด")
WORDS = frozenset(f"{ENGLISH} {OTHERS}".split())
BARE = frozenset(RUN_TOGETHER.split())
#: Compounds in which a sign of negation does not negate.
NOT_NEGATIVE = re.compile(
    "非常|未来|未來|不过|不過|不仅|不僅|不但|差不多|对不起|對不起|少ない|危ない|もったいない"
)
UNSPACED_NEGATION = re.compile(
    "不|没|沒|无|無|非|未|别|勿|ません|ない|なかった|なく|않|없|아니|(?<!\\w)안(?!\\w)|(?<!\\w)못|ไม่|มิได้"
)
#: The abbreviation of "number".
NUMERO = re.compile(r"\bno\.\s*(?=\d)")


def placed_negations(plain: str) -> list[tuple[str, int]]:
    """Negations of a folded text with the position at which each ends."""
    plain = NUMERO.sub(lambda found: " " * len(found.group()), plain)
    found = [
        (word, match.end()) for match in WORD.finditer(plain) if (word := _negation(match.group()))
    ]
    signs = NOT_NEGATIVE.sub(lambda found: " " * len(found.group()), plain)
    found += [(match.group(), match.end()) for match in UNSPACED_NEGATION.finditer(signs)]
    return sorted(found, key=lambda one: one[1])


def placed_aversions(plain: str) -> list[tuple[str, int]]:
    """Words of aversion of a folded text with the position at which each ends."""
    found = [
        (match.group(), match.end()) for match in WORD.finditer(plain) if match.group() in AVERSE
    ]
    found += [(match.group(), match.end()) for match in UNSPACED_AVERSION.finditer(plain)]
    return sorted(found, key=lambda one: one[1])


def _negation(word: str) -> str | None:
    if word.endswith("n't") or word in BARE or word == "cannot":
        return "not"
    if word.startswith("n'"):
        return "ne"
    return word if word in WORDS else None
