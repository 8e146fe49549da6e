"""The rules that a judge's groups have to keep; each complaint tells the model what to do instead."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from worker.core.clauses import sentences
from worker.core.current import stands_again
from worker.core.folding import folded
from worker.core.guard import invented, lost
from worker.core.judgment import Candidacy, Group, Groups
from worker.core.members import Member, labels, members_newest_first
from worker.core.words import content_words

#: Longest piece of a member that one drop may take, in characters.
LONGEST_DROP = 240
#: Details named in one complaint.
DETAILS = 8


def complaints(candidacy: Candidacy, groups: Groups, max_group: int) -> list[str]:
    """What is wrong with a finding; empty where every rule is kept."""
    known = labels(candidacy)
    named = [*(one for group in groups.groups for one in group.members), *groups.new]
    if strangers := sorted(set(named) - known):
        return [f"{', '.join(strangers)} is not among the labels: use only the ids in the document"]
    found = list(_each_once(candidacy, groups))
    for group in groups.groups:
        found += _of_membership(candidacy, group, max_group)
    return found or [one for group in groups.groups for one in _of_content(candidacy, group)]


def newest_fact(candidacy: Candidacy, group: Group) -> Member | None:
    return next((m for m in members_newest_first(candidacy, group) if m.fact), None)


def _each_once(candidacy: Candidacy, groups: Groups) -> Iterator[str]:
    uses = Counter(one for group in groups.groups for one in group.members) + Counter(groups.new)
    for at in range(1, len(candidacy.facts) + 1):
        if uses[f"f{at}"] == 0:
            yield f'f{at} is missing: put it in one group, or in "new"'
    for one, count in sorted(uses.items()):
        if count > 1 and one.startswith("f"):
            yield f'{one} stands {count} times: put it in exactly one group, or in "new"'
        elif count > 1:
            yield f"{one} is in {count} groups: join these groups, or leave it out of all but one"


def _of_membership(candidacy: Candidacy, group: Group, max_group: int) -> Iterator[str]:
    names = ", ".join(group.members)
    newest = newest_fact(candidacy, group)
    if newest is None:
        yield f"the group of {names} has no fact: leave candidates that no fact is about out"
        return
    if len(group.members) > max_group:
        yield f"the group of {names} has {len(group.members)} members; at most {max_group} may be joined"
    offered = {*candidacy.offered[newest.ordinal], newest.label}
    if strangers := [one for one in group.members if one not in offered]:
        yield (
            f"{', '.join(strangers)} was not offered to {newest.label}, the newest fact of its group:"
            f" join {newest.label} only with its own candidates"
        )
    forgets = [one for one in group.members if _forgets(candidacy, one)]
    if group.relation == "forget" and not forgets:
        yield f'the group of {names} has no fact of kind "forget": its relation cannot be "forget"'
    if group.relation != "forget" and forgets:
        yield f'{", ".join(forgets)} asks to forget: its group needs the relation "forget"'


def _forgets(candidacy: Candidacy, label: str) -> bool:
    return label.startswith("f") and candidacy.fact(label).kind == "forget"


def _of_content(candidacy: Candidacy, group: Group) -> Iterator[str]:
    newest, *older = [m.label for m in members_newest_first(candidacy, group)]
    if group.relation == "same" and group.drops:
        yield f'the group of {newest} is "same": its "drops" have to be empty, or it is an "update"'
    if not writes_text(candidacy, group):
        return
    yield from _of_drops(candidacy, group, newest, older)
    if group.relation in {"update", "contradict"}:
        yield from _of_news(candidacy, group, newest, older)
    yield from _of_the_guard(candidacy, group, newest, older)


def _of_drops(
    candidacy: Candidacy, group: Group, newest: str, older: Sequence[str]
) -> Iterator[str]:
    """A drop is a literal piece of an older member; except to forget, no longer than a clause."""
    if group.relation == "forget":
        older = [one for one in (newest, *older) if not _forgets(candidacy, one)]
    texts = [_plain(candidacy.shown(one).text) for one in older]
    for drop in group.drops:
        if not any(_plain(drop) in text for text in texts):
            yield f'"{drop}" is no literal piece of {", ".join(older)}: copy it word for word'
        elif group.relation != "forget" and (len(drop) > LONGEST_DROP or len(sentences(drop)) > 1):
            yield f'"{drop}" is longer than a clause: drop only what {newest} makes untrue'


def _plain(text: str) -> str:
    return " ".join(folded(text).split()).strip(" .,;:!")


def _of_news(
    candidacy: Candidacy, group: Group, newest: str, older: Sequence[str]
) -> Iterator[str]:
    """The text says what is new: a content word of the newest member that no older one has."""
    if group.text is None:
        return
    old = frozenset[str]().union(*(content_words(candidacy.shown(one).text) for one in older))
    news = content_words(candidacy.shown(newest).text) - old
    if news and not news & content_words(group.text):
        yield f'the text "{group.text}" does not say what is new in {newest}'


def _of_the_guard(
    candidacy: Candidacy, group: Group, newest: str, older: Sequence[str]
) -> Iterator[str]:
    members = [candidacy.shown(one) for one in (newest, *older) if not _forgets(candidacy, one)]
    texts = [one for one in (_standing(candidacy, group, newest), group.after) if one]
    pieces = [*texts, *group.drops, *_stands_again(candidacy, group, newest, older)]
    names = ", ".join(group.members)
    if missing := [] if _forgets_all(group) else lost(members, pieces):
        yield (
            f"the group of {names} loses {_listed(missing)}: keep it in the text, or copy the piece"
            ' that is no longer true into "drops"'
        )
    if extra := invented(members, texts):
        yield f"the group of {names} adds {_listed(extra)}, which no member says: leave it out"


def _forgets_all(group: Group) -> bool:
    return group.relation == "forget" and group.text is None


def _standing(candidacy: Candidacy, group: Group, newest: str) -> str | None:
    """The text that stands afterwards: the group's, or the newest member's own; nothing if all is forgotten."""
    if group.text is not None or group.relation == "forget":
        return group.text
    return candidacy.shown(newest).text


def _stands_again(
    candidacy: Candidacy, group: Group, newest: str, older: Sequence[str]
) -> list[str]:
    """By default the one earlier text comes back when a temporary one lapses, so nothing of it is lost."""
    if candidacy.shown(newest).until is None or group.after or len(older) != 1:
        return []
    again = stands_again(candidacy.shown(older[0]))
    return [again] if again else []


def writes_text(candidacy: Candidacy, group: Group) -> bool:
    """Whether new words would be stored: not for one memory said again, nor for what arrives late."""
    members = members_newest_first(candidacy, group)
    memories = sum(member.record is not None for member in members)
    if group.relation == "same":
        return group.text is not None and memories != 1
    return group.relation == "forget" or members[0].record is None


def _listed(details: Iterable[str]) -> str:
    details = list(details)
    more = f" and {len(details) - DETAILS} more" if len(details) > DETAILS else ""
    return ", ".join(details[:DETAILS]) + more
