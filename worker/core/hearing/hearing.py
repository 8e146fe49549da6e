"""Which turns are learned from, and what of their text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from schemas.turn import Turn
from worker.core.hearing.heard import Heard
from worker.core.hearing.marks import MARKS, Marks
from worker.core.texts.scripts import UNSPACED

#: Roles of which nothing is learned: instructions and the noise of tools.
MACHINERY = frozenset({"system", "developer", "tool", "function"})


#: A lone word of machines, such as a heartbeat's answer.
SENTINEL = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
#: What stands for what was cut, so that the sentence around it still reads.
PLACEHOLDER = re.compile(r"\[(?:code|quoted text|forwarded text)\]")
#: What a messenger puts in front: kind, number and sender in brackets.
ENVELOPE = re.compile(
    r"\A\s*\[(?=[^\]\n]*\d)(?:msg|message|sms|mail|e-?mail|id|from|via|chat|whatsapp|telegram|signal)\b"
    r"[^\]\n]{0,200}\]\s*",
    re.IGNORECASE,
)
FENCE = re.compile(r"(```|~~~).*?(?:\1[`~]*|\Z)", re.DOTALL)
#: A line of a mail's head.
HEADER = r"(?:[ \t]*(?:sent|date|to|cc|subject|reply-to):[^\n]*(?:\n|\Z))"
#: One that a list such as "From: Oslo, To: Bergen, Date: Friday" does not have.
TELLING_HEADER = r"[ \t]*(?:sent|subject):"
#: From here on a mail is somebody else's; without an address two more lines of a head have to say so.
FORWARDED = re.compile(
    r"^[ \t]*(?:-{2,}[ \t]*(?:forwarded message|original message|weitergeleitete nachricht"
    r"|ursprüngliche nachricht|message transféré|mensaje reenviado)[ \t]*-{2,}"
    rf"|begin forwarded message:|from:(?=[^\n]*\S@\S)[^\n]*+\n{HEADER}"
    rf"|from:[^\n]+\n(?={HEADER}{{0,4}}{TELLING_HEADER}){HEADER}{{2}}).*",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
QUOTED_LINES = re.compile(
    r"(?:^[^\n]{0,200}\bwrote:[ \t]*\n+)?^[ \t]*>[^\n]*(?:\n[ \t]*>[^\n]*)*", re.MULTILINE
)
#: A straight mark after a letter or digit is an end, inches, seconds or minutes, but for scripts without spaces.
QUOTATION = re.compile(
    rf'(?:(?<!\w)(?<!\d )|(?<=[{UNSPACED}]))"[^"]*"|„[^„“”]*[“”]|“[^“”]*”|«[^«»]*»|「[^「」]*」'
)
#: A quotation of more than one sentence is a text that was pasted, not a title or a word.
PASTED = re.compile(r"[.!?]\s+[^\s\"”»]|。[^」]")

#: What is cut out → what stands in its place.
CUTS = (
    (ENVELOPE, ""),
    (FENCE, "[code]"),
    (FORWARDED, "[forwarded text]"),
    (QUOTED_LINES, "[quoted text]"),
    (QUOTATION, "[quoted text]"),
)


@dataclass(frozen=True)
class Own:
    """What a speaker said in their own words, and what was cut out of it."""

    text: str
    cut: str = ""


def heard_in(
    turns: Sequence[Turn],
    context: Sequence[Turn] = (),
    marks: Marks = MARKS,
    *,
    remember_assistant: bool = False,
) -> Heard:
    """What extraction is given; no `turns` where nothing remains to learn from, so that no model is asked.

    Turns of the assistant stay, as what a "Yes!" answers.
    """
    own = {turn.id: own_words(turn.text, marks) for turn in (*context, *turns)}
    heard = _worth_hearing(turns, own)
    voices = {"user", "assistant"} if remember_assistant else {"user"}
    return Heard(
        turns=heard if any(turn.role in voices for turn in heard) else (),
        context=_worth_hearing(context, own),
        remember_assistant=remember_assistant,
        cut={turn_id: words.cut for turn_id, words in own.items() if words.cut},
    )


def _worth_hearing(turns: Iterable[Turn], own: Mapping[UUID, Own]) -> tuple[Turn, ...]:
    return tuple(
        turn.model_copy(update={"text": own[turn.id].text})
        for turn in turns
        if not turn.automated and turn.role not in MACHINERY and _says_something(own[turn.id].text)
    )


def _says_something(text: str) -> bool:
    """Anything but the marks of what was cut, or a machine's lone word."""
    said = PLACEHOLDER.sub("", text).strip()
    return bool(said) and not SENTINEL.fullmatch(said)


def own_words(text: str, marks: Marks = MARKS) -> Own:
    """Without recalled memories, envelopes, code, and what is only quoted or forwarded."""
    removed: list[str] = []
    for pattern, instead in ((_recalled(marks), ""), *CUTS):

        def cut(found: re.Match[str], instead: str = instead) -> str:
            if found.re is QUOTATION and not PASTED.search(found.group()):
                return found.group()
            removed.append(found.group())
            return instead

        text = pattern.sub(cut, text)
    return Own(text.strip(), "\n".join(removed))


@lru_cache(maxsize=8)
def _recalled(marks: Marks) -> re.Pattern[str]:
    """A marked block; a mark whose other half is missing reaches to the end, or from the start."""
    begin, end = re.escape(marks.begin), re.escape(marks.end)
    return re.compile(
        rf"{begin}.*?(?:{end}|\Z)|\A(?:(?!{begin}).)*?{end}", re.DOTALL | re.IGNORECASE
    )
