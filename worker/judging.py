"""How a candidacy is put to a model: gate, calls, smaller calls where one fails, words for what is joined."""

from collections.abc import Sequence

from worker.adapters.model import Model, Tally
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.judging.detectors import Judging
from worker.core.judging.gate import gate
from worker.core.judging.gathering import gathered, without
from worker.core.judging.merge import Unwritten, lacks_words
from worker.core.judging.pieces import Piece, pieces
from worker.core.step import BadReply, UnreadableReply
from worker.errors import TooLong, Unprocessable

Fault = BadReply | Unprocessable


def judged(model: Model, judging: Judging, case: Candidacy, tally: Tally) -> Groups:
    """Facts × candidates → groups. What the same words settle, and what is about nothing known, costs no call.

    Raises `UnreadableReply` where a model gives no judgment at all, and what the model's endpoint raises.
    """
    gated = gate(case, judging.novelty)
    found = _found(model, judging, gated.rest, tally)
    groups = gathered(gated.rest, found, judging.max_group)
    return gated.joined(_written(model, judging, gated.rest, groups, tally))


def _found(
    model: Model, judging: Judging, case: Candidacy, tally: Tally
) -> list[tuple[Piece, Groups | str]]:
    """Round by round, the calls of a round at once: what fails is asked about in smaller pieces."""
    found: list[tuple[Piece, Groups | str]] = []
    todo = pieces(case, judging.asked(case), judging.size)
    while todo:
        answers = model.each(judging.step, [piece.cut[0] for piece in todo], tally)
        _check_that_any_is_readable(todo, answers)
        smaller: list[Piece] = []
        for piece, answer in zip(todo, answers, strict=True):
            if isinstance(answer, Groups):
                found.append((piece, answer))
            elif parts := _smaller(piece, answer):
                smaller += parts
            else:
                found.append((piece, _why(answer)))
        todo = smaller
    return found


def _why(fault: Fault) -> str:
    """In words that are stored: an endpoint's own are for logs."""
    if isinstance(fault, BadReply):
        return str(fault)
    return "it is too long for the model" if isinstance(fault, TooLong) else "the model refuses it"


def _smaller(piece: Piece, fault: Fault) -> list[Piece]:
    """Rules are broken where a model collapses on lists: fact by fact. Else the text may be at fault: by halves."""
    if isinstance(fault, BadReply) and not isinstance(fault, UnreadableReply):
        return piece.singles()
    return piece.halves()


def _check_that_any_is_readable(todo: Sequence[Piece], answers: Sequence[Groups | Fault]) -> None:
    """A model that answers none of several calls, or not even about a single fact, judges nothing at all."""
    unreadable = [one for one in answers if isinstance(one, UnreadableReply)]
    may_be_smaller = len(todo) == 1 and len(todo[0].facts) > 1
    if len(unreadable) == len(answers) and not may_be_smaller:
        raise unreadable[0]


def _written(
    model: Model, judging: Judging, case: Candidacy, groups: Groups, tally: Tally
) -> Groups:
    """Groups whose words nobody has said yet get them; where none are found, nothing is merged."""
    todo = [group for group in groups.groups if lacks_words(case, group, judging.resolver)]
    answers = model.each(judging.merging, [Unwritten.of(case, group) for group in todo], tally)
    failed: dict[Group, str] = {}
    said: dict[Group, Group] = {}
    for group, answer in zip(todo, answers, strict=True):
        if isinstance(answer, Group):
            said[group] = answer
        else:
            failed[group] = _why(answer)
    written = tuple(said.get(group, group) for group in groups.groups)
    return without(case, groups.model_copy(update={"groups": written}), failed)
