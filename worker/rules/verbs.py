"""English verbs between first and third person, present and past."""

import re

#: Unchanged in the third person.
MODAL = frozenset(
    "will would can could should must may might shall ought used cannot can't couldn't won't wouldn't"
    " shouldn't mustn't mightn't needn't".split()
)
TO_BE_AND_HAVE = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "go": "goes", "cancel": "cancels",
}  # fmt: skip
#: Base form → past. Those that do not change are left out: they are told by their surroundings.
IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "be:was is:was are:were have:had has:had do:did does:did go:went goes:went get:got make:made take:took"
        " come:came see:saw know:knew think:thought buy:bought bring:brought sell:sold tell:told give:gave"
        " find:found leave:left lose:lost meet:met pay:paid keep:kept feel:felt begin:began break:broke"
        " choose:chose drink:drank drive:drove eat:ate fall:fell fly:flew forget:forgot grow:grew hear:heard"
        " hold:held lead:led learn:learned lend:lent light:lit mean:meant run:ran ring:rang ride:rode rise:rose"
        " say:said send:sent sing:sang sit:sat sleep:slept speak:spoke spend:spent stand:stood steal:stole"
        " swim:swam teach:taught throw:threw understand:understood wake:woke wear:wore win:won write:wrote"
        " build:built catch:caught draw:drew feed:fed fight:fought freeze:froze hang:hung hide:hid lay:laid"
        " shoot:shot show:showed stick:stuck strike:struck tear:tore become:became bend:bent bite:bit"
        " blow:blew deal:dealt dig:dug"
    ).split()
)
PAST = frozenset(IRREGULAR.values()) | frozenset(
    "quit cut hit hurt shut learnt wasn't weren't didn't hadn't".split()
)
PARTICIPLE = PAST | frozenset(
    "been gone done seen known taken come given broken chosen drunk driven eaten fallen flown forgotten"
    " grown ridden risen sung spoken stolen swum thrown woken worn written drawn become begun".split()
)
#: End in "ed" and are no past.
NOT_PAST = frozenset(
    "need feed speed breed bleed heed embed shed wed proceed succeed exceed".split()
)

#: Base forms common enough to be known for verbs after "and".
COMMON = frozenset(IRREGULAR) - {"is", "are", "has", "does", "goes"} | frozenset(
    "live work like love hate prefer play study walk cycle bike cook bake read watch listen teach use own rent"
    " try want need wait start stop finish plan travel commute train practise practice volunteer visit call"
    " help clean wash knit sew paint draw dance jog hike ski climb surf skate garden fish hunt collect"
    " repair fix order brew prepare serve share stay move smoke vape snack fast pray meditate stretch"
    " shop save invest manage run design program code test deploy review avoid enjoy attend host support"
    " follow check answer open close put set let relax".split()
)
ENDS_IN_HISS = re.compile(r"(?:s|x|z|ch|sh|o)$")
CONSONANT_Y = re.compile(r"[^aeiou]y$")
SHORT = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")


def is_past(verb: str) -> bool:
    low = verb.lower()
    return low in PAST or (low.endswith("ed") and low not in NOT_PAST)


def third_person(verb: str) -> str:
    """What "User" is followed by where "I" is followed by this; a past tense or a modal as it is."""
    low = verb.lower()
    if low in TO_BE_AND_HAVE:
        return TO_BE_AND_HAVE[low]
    if low in MODAL or is_past(low) or low in {"was", "has", "wasn't", "didn't", "hadn't", "not"}:
        return low
    if CONSONANT_Y.search(low):
        return f"{low[:-1]}ies"
    return f"{low}es" if ENDS_IN_HISS.search(low) else f"{low}s"


def base(verb: str) -> str | None:
    """The base form of a verb in the third person, where it is a known one."""
    low = verb.lower()
    stems = (low.removesuffix("ies") + "y", low.removesuffix("es"), low.removesuffix("s"))
    return next((stem for stem in stems if stem != low and stem in COMMON), None)


def past(verb: str) -> str | None:
    """The past of a verb in the third person ("lives" → "lived"); null for what is no known one."""
    low = verb.lower()
    if low in {"is", "are", "has", "does"}:
        return IRREGULAR[low]
    root = base(low)
    if root is None:
        return None
    if root in IRREGULAR:
        return IRREGULAR[root]
    if root.endswith("e"):
        return f"{root}d"
    if CONSONANT_Y.search(root):
        return f"{root[:-1]}ied"
    return f"{root}{root[-1]}ed" if SHORT.match(root) else f"{root}ed"
