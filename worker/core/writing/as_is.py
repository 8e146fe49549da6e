"""Statements that are taken as they stand, without a judge."""

from schemas.memory import Fact, Memory
from schemas.plan import Add, Plan
from worker.core.groups.judgment import Candidacy, Group, Groups, memories_in
from worker.core.judging.equal_facts import beside_its_words
from worker.core.judging.gate import SAID_AGAIN
from worker.core.texts.words import normalised

UNJUDGED = "added as it stands, without a judgment"


def as_they_stand(case: Candidacy) -> Groups:
    """What a live memory says in the same words is that memory said again, all else is new."""
    groups, new, taken = list[Group](), list[str](), set[str]()
    for label in case.fact_labels:
        offered = (one for one in memories_in(case.offered_to(label)) if one not in taken)
        same = next((one for one in offered if _repeats(case.fact(label), case.shown(one))), None)
        if same is None:
            new.append(label)
        else:
            taken.add(same)
            groups.append(Group(why=SAID_AGAIN, members=(label, same), relation="same"))
    return Groups(groups=tuple(groups), new=tuple(new))


def _repeats(fact: Fact, memory: Fact | Memory) -> bool:
    return (
        normalised(fact.text) == normalised(memory.text)
        and fact.subject.casefold() == memory.subject.casefold()
        and beside_its_words(fact) == beside_its_words(memory)
    )


def unjudged(plan: Plan) -> Plan:
    """Whose additions do not say that anything was compared."""
    changes = tuple(
        change.model_copy(update={"why": UNJUDGED}) if isinstance(change, Add) else change
        for change in plan.changes
    )
    return plan.model_copy(update={"changes": changes})
