"""The rules that a judge's groups have to keep; each complaint tells the model what to do instead."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from schemas.memory import Memory, Statement
from worker.core.groups.guard import affirmed, details, foreign, invented, lost
from worker.core.groups.judgment import Candidacy, Group, Groups, facts_in, is_fact, most_members
from worker.core.groups.members import (
    Member,
    centre,
    labels,
    members_newest_first,
    strangers,
)
from worker.core.groups.outcome import UNFAITHFUL, Outcome, outcome
from worker.core.groups.setting import Resolver
from worker.core.groups.standing import faults
from worker.core.texts.clauses import sentences
from worker.core.texts.folding import folded
from worker.core.texts.lengths import LONGEST_TEXT
from worker.core.texts.names import SHORTEST_BEGINNING
from worker.core.texts.scripts import UNSPACED_RUN
from worker.core.texts.words import content_words

#: Longest piece of a member that one drop may take, in characters.
LONGEST_DROP = 240
#: Details named in one complaint.
DETAILS = 8
#: Of what is new, the least that a text has to say: this share of its content words, and that of its signs and bigrams
#: where words have no spaces, since other grammar makes other bigrams.
SHARE, SHARE_UNSPACED = 0.5, 0.2


def complaints(
    candidacy: Candidacy, groups: Groups, max_group: int, resolver: Resolver = "rewrite"
) -> list[str]:
    """What is wrong with a finding; empty where every rule is kept."""
    known = labels(candidacy)
    named = [*(one for group in groups.groups for one in group.members), *groups.new]
    if unknown := sorted(set(named) - known):
        return [f"{', '.join(unknown)} is not among the labels: use only the ids in the document"]
    found = list(_each_once(candidacy, groups))
    for group in groups.groups:
        found += _of_membership(candidacy, group, max_group)
    return found or [
        one for group in groups.groups for one in _of_content(candidacy, group, resolver)
    ]


def _each_once(candidacy: Candidacy, groups: Groups) -> Iterator[str]:
    uses = Counter(one for group in groups.groups for one in group.members) + Counter(groups.new)
    for label in candidacy.asked_labels:
        if uses[label] == 0:
            yield f'{label} is missing: put it in one group, or in "new"'
    for one, count in sorted(uses.items()):
        if count > 1 and is_fact(one):
            yield f'{one} stands {count} times: put it in exactly one group, or in "new"'
        elif count > 1:
            yield f"{one} is in {count} groups: join these groups, or leave it out of all but one"


def _of_membership(candidacy: Candidacy, group: Group, max_group: int) -> Iterator[str]:
    names = ", ".join(group.members)
    facts = facts_in(group.members)
    if candidacy.facts and not facts:
        yield f"the group of {names} has no fact: leave candidates that no fact is about out"
        return
    most = most_members(max_group, forgets=group.relation == "forget")
    if len(group.members) > most:
        yield f"the group of {names} has {len(group.members)} members; at most {most} may be joined"
    if apart := strangers(candidacy, group.members):
        newest = centre(candidacy, group.members)
        yield (
            f"{', '.join(apart)} was not offered to {newest}, the newest fact of its group:"
            f" join {newest} only with its own candidates"
        )
    forgets = [one for one in facts if candidacy.fact(one).kind == "forget"]
    if group.relation == "forget" and not forgets:
        yield f'the group of {names} has no fact of kind "forget": its relation cannot be "forget"'
    if group.relation != "forget" and forgets:
        yield f'{", ".join(forgets)} asks to forget: its group needs the relation "forget"'


def _of_content(candidacy: Candidacy, group: Group, resolver: Resolver) -> Iterator[str]:
    """What is wrong with what would be written."""
    found = outcome(candidacy, group, resolver)
    names = ", ".join(group.members)
    if group.relation == "same" and group.drops:
        yield f'the group of {names} is "same": its "drops" have to be empty, or it is an "update"'
    if found.flag == UNFAITHFUL and group.text:
        members = members_newest_first(candidacy, group)
        statements = [one.statement for one in members if not one.is_derived]
        yield (
            f'the group of {names} is "same", but of its text: {_listed(faults(statements, group.text))};'
            ' things that differ so are "new", or one is an "update"'
        )
    brought = {group.text, group.after} & {found.text, found.after} - {None}
    if long := [one for one in brought if one and len(one) > LONGEST_TEXT]:
        yield (
            f"the group of {names} brings a text of {max(map(len, long))} characters: it may have at"
            f" most {LONGEST_TEXT}"
        )
        return
    if found.kind == "update" and resolver == "rewrite":
        newest, *older = found.members
        yield from _of_drops(group, [*older, *found.outdone], newest.label)
        yield from _of_news(group, newest, older)
        yield from _of_the_guard(group, found, [one.statement for one in found.members])
    if found.kind == "forget":
        meant = [one for one in found.members if not one.is_request]
        yield from _of_drops(group, meant, None)
        yield from _of_the_guard(group, found, _said(meant))
        yield from _of_the_rest(group, found, _said(meant))


def _said(members: Iterable[Member]) -> list[Statement]:
    """What they say, what stands again included."""
    found: list[Statement] = []
    for one in members:
        found.append(one.statement)
        if isinstance(one.statement, Memory) and one.statement.after:
            found.append(one.statement.model_copy(update={"text": one.statement.after}))
    return found


def _of_drops(group: Group, older: Sequence[Member], newest: str | None) -> Iterator[str]:
    """A drop is a literal piece of an older member; except to forget, no longer than a clause."""
    texts = [_plain(said.text) for said in _said(older)]
    for drop in group.drops:
        if not any(_plain(drop) in text for text in texts):
            names = ", ".join(one.label for one in older)
            yield f'"{drop}" is no literal piece of {names}: copy it word for word'
        elif newest and (len(drop) > LONGEST_DROP or len(sentences(drop)) > 1):
            yield f'"{drop}" is longer than a clause: drop only what {newest} makes untrue'


def _plain(text: str) -> str:
    return " ".join(folded(text).split()).strip(" .,;:!")


def _of_news(group: Group, newest: Member, older: Iterable[Member]) -> Iterator[str]:
    """The text says what is new: enough of the newest member's content words that no older one has."""
    if group.text is None:
        return
    old = frozenset[str]().union(*(content_words(one.statement.text) for one in older))
    news = content_words(newest.statement.text) - old
    needed = sum(SHARE_UNSPACED if UNSPACED_RUN.match(one) else SHARE for one in news)
    words = content_words(group.text)
    if sum(any(_alike(one, word) for word in words) for one in news) < needed:
        yield f'the text "{group.text}" does not say what is new in {newest.label}'


def _alike(one: str, other: str) -> bool:
    """Whether they are forms of one word, by its beginning."""
    length = max(SHORTEST_BEGINNING, min(len(one), len(other)) - 2)
    return one[:length] == other[:length]


def _of_the_guard(group: Group, found: Outcome, statements: Sequence[Statement]) -> Iterator[str]:
    """Nothing is lost that has to be kept, and nothing is said that no member says."""
    texts = [one for one in (found.text, found.after) if one]
    names = ", ".join(group.members)
    # The same few texts are compared with one another again and again.
    read = lru_cache(maxsize=None)(details)
    forgets_all = found.kind == "forget" and found.text is None
    if missing := [] if forgets_all else lost(statements, [*texts, *group.drops], read):
        yield (
            f"the group of {names} loses {_listed(missing)}: keep it in the text, or copy the piece"
            ' that is no longer true into "drops"'
        )
    said = _said(found.members)
    extra = invented(said, texts, read)
    if found.kind == "update" and found.after:
        extra += foreign(said, found.after)
    if extra:
        yield f"the group of {names} adds {_listed(extra)}, which no member says: leave it out"


def _of_the_rest(group: Group, found: Outcome, statements: Sequence[Statement]) -> Iterator[str]:
    """What remains after a request to forget is what was said, without something: no word of it is another's."""
    names = ", ".join(group.members)
    for text in (one for one in (found.text, found.after) if one):
        if words := foreign(statements, text):
            yield (
                f"the group of {names} adds {_listed(words)}, which nobody said: leave words out,"
                " write none of your own"
            )
        if left := affirmed(statements, text):
            yield (
                f"the group of {names} turns {_listed(left)} into its contrary: what remains has to"
                " keep the negation"
            )


def _listed(details: Iterable[str]) -> str:
    details = list(details)
    more = f" and {len(details) - DETAILS} more" if len(details) > DETAILS else ""
    return ", ".join(details[:DETAILS]) + more
