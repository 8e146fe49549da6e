"""Whether a person asked for what a fact of kind `forget` is about to take away."""

import re
from functools import lru_cache

from worker.core.texts.folding import WORD, folded
from worker.core.texts.looked import looked
from worker.core.texts.scripts import LETTER
from worker.core.texts.words import content_words

#: Beginnings of words by which people ask to forget or to delete, in languages with spaces.
ASKING = """
forget delet eras remov wip scrub purg unlearn disregard unremember
vergiss verges lösch entfern streich oubli efface supprim retire enlev enlèv
olvid olvíd borr elimin quita suprim esque esqueç apag exclu dimentic cancell rimuov rimuovi scord
vergeet verget verwijder wis glöm radera glem slett slet fjern unohd poista felejt töröl
zapomn zapomeň usuń usun skasuj smaž vymaž zabudni odstra uită uita șterge sterge unut sil
забуд удал сотр стер видал зітр забрав изтри заборав избриш ξέχασ ξεχάσ ξεχνα διάγρα διαγρά σβήσ
תשכח שכח מחק תמחק למחוק انس تنس امسح احذف امح فراموش پاک حذف بھول مٹا भूल मिटा हटा ভুলে মুছ
lupa hapus buang quên xóa xoá sahau futa kalimutan burah
"""
#: Words for keeping in mind: denied, they ask to forget.
KEEPING = """
remember memor stor sav record retain noting merk speicher behalt erinner
souvien retien enregistr gard recuerd guard memoriz lembr guard ricord memorizz salv onthou bewaar
kom spara husk lagre zapamięt zapisu запомин запомн сохран помн
"""
UNSPACED = (
    "忘|删|刪|清除|抹|别记|別記|不要记|不要記|別再提|消し|消去|削除|消して|覚えない|覚えてお?かな|記憶しな|記録しな"
    "|잊|지워|지우|삭제|기억하지|저장하지|ลืม|ลบ|ភ្លេច|លុប|မေ့|ဖျက်"
)
#: In other words.
IDIOMS = (
    "n't keep (?:that|this|it|what|.{0,40} memor)|n't note|(?:never|n't) (?:told you|mentioned)"
    "|rather you (?:did|do)n't|off the record|strike (?:that|this|it|what)|get rid of|ta bort"
    "|fais comme si"
)
DENIED = (
    r"(?:not|n't|dont|never|stop|without|nicht|nie|niemals|kein\w*|pas|plus|jamais|no|nunca|jamás|jamas|não|nem"
    r"|non|mai|niet|nooit|inte|aldrig|ikke|aldri|не|никогда|nigdy|jangan|đừng|chớ|אל|لا|मत)"
)
#: What may stand between a denial and what it denies, within one clause.
BETWEEN = r"(?:you|to|ever|let|me|us|dare|je|jemals|le|la|lo|mich|uns|daran|de|à|di|att|å|вы|ты)"
#: "Don't forget" where the denial follows, is part of the word, or words have no spaces.
DENIED_AFTER = "nicht|nie|niemals|pas|jamais|niet|nooit|inte|aldrig|ikke|aldri|не|никогда|mai|nunca|nunca|मत|نکن"
REMINDING = (
    r"\b(?:unutma|silme)(?:y[ıi]n(?:[ıi]z)?)?\b|别忘|別忘|不要忘|勿忘|不能忘|别删|別刪|不要删|不要刪|忘れな|忘れず|消さな|削除しな"
    r"|잊지|지우지|삭제하지|อย่าลืม|อย่าลบ|ห้ามลบ"
)


def _any(beginnings: str) -> str:
    return "|".join(map(re.escape, sorted(beginnings.split(), key=len, reverse=True)))


#: What separates words of one sentence.
GAP = r"[^\w.!?。\n]+"
FORGETS = re.compile(rf"(?<!{LETTER})(?:{_any(ASKING)})|{UNSPACED}|{IDIOMS}")
#: Some words lie between a denial and what it denies, before or after it.
KEEPS_NOT = re.compile(
    rf"{DENIED}{GAP}(?:\w+{GAP}){{0,4}}?(?:{_any(KEEPING)})"
    rf"|(?<!\w)(?:{_any(KEEPING)})\w*{GAP}(?:\w+{GAP}){{0,7}}?{DENIED}(?!\w)"
)
#: "Don't forget", and what somebody tells of their own memory.
NO_REQUEST = re.compile(
    rf"{DENIED}\s+(?:{BETWEEN}\s+){{0,3}}(?:{_any(ASKING)})\w*"
    rf"|\bn['’](?:{_any(ASKING)})\w*\s+(?:pas|jamais|plus)(?!\w)"
    rf"|(?<!{LETTER})(?:{_any(ASKING)})\w*\s+(?:\w+\s+)?(?:{DENIED_AFTER})(?!\w)|{REMINDING}"
    r"|\bi\s+(?:(?:always|often|sometimes|usually|just|keep)\s+)?(?:forget|delete|remove)"
    r"|\bi\s+(?:(?:really|do|did|can|could|will)\s*)*\w*(?:n't|not|never)\s+(?:really\s+)?remember"
)
#: Names of everything, and of what holds it: they say nothing of what is to go.
EVERYTHING = frozenset(
    """
    everything anything all whatever information info data detail details fact facts memory memories record records
    known know told said stored saved user alles alle tout toutes todo toda todos tudo tutto всё все
    """.split()
)


def unasked(text: str, own: str, visible: str) -> str | None:
    """What speaks against a request to forget, in words for the model.

    `own` is what people say in the turns that the fact cites, `visible` all that the model was shown.

    In a listed language a request without any known word of forgetting is none. In another, and where a few words
    leave the language open, the model is believed as far as what is to go was spoken of. What this cannot do: tell
    "The landlord will remove my old bath" from a request.
    """
    words = _topic(text)
    shown = looked(visible)
    if words and not words & (shown.words | shown.terms):
        return (
            'says what is to go in words that nobody used: "text" has to name it in the words of'
            " the user's request"
        )
    if asks_to_forget(own) or (words and not shown.is_listed):
        return None
    return (
        "cites no turn in which a user asks to forget anything: if it is a fact of another kind, give it"
        " that kind, else leave it out"
    )


@lru_cache(maxsize=8)
def asks_to_forget(text: str) -> bool:
    """Remembered: many facts of a reply cite the same turns."""
    plain = NO_REQUEST.sub(" ", folded(text))
    return bool(FORGETS.search(plain) or KEEPS_NOT.search(plain))


def _topic(text: str) -> frozenset[str]:
    """The words of what is to go, those of asking and of everything left out."""
    plain = WORD.sub(
        lambda found: "" if _is_general(found.group()) else found.group(), folded(text)
    )
    return content_words(plain) if WORD.search(plain) else frozenset()


def _is_general(word: str) -> bool:
    return word in EVERYTHING or FORGETS.match(word) is not None
