"""`slowwave recall`: what is known that bears on a question."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

import typer

from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask, Filters
from worker.core.recalling.block import block, fitted
from worker.core.recalling.layout import Layout
from worker.interfaces.cli.asking import (
    AsBlock,
    Explain,
    Fields,
    Floor,
    FollowLinks,
    FusionName,
    GroupBy,
    Kinds,
    Limit,
    MaxCharacters,
    MaxTokens,
    Mmr,
    Queries,
    SaidBefore,
    SaidBy,
    SaidFrom,
    ShownVersions,
    Subjects,
    Tags,
    WithHistory,
)
from worker.interfaces.cli.moments import AsOf, ValidAt
from worker.interfaces.cli.opening import reading, serving
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, note
from worker.interfaces.cli.recalled import left_out_table, recalled_table
from worker.interfaces.recalled import left_out, scored
from worker.recall import recall as recalled
from worker.settings import load
from worker.wiring import ask_of, layout_of

NOTHING = "nothing found; `slowwave memories` lists what is known"

T = TypeVar("T")


def recall(
    app: AppName,
    user: UserName,
    queries: Queries = None,
    limit: Limit = None,
    max_tokens: MaxTokens = None,
    max_characters: MaxCharacters = None,
    kinds: Kinds = None,
    tags: Tags = None,
    subjects: Subjects = None,
    said_by: SaidBy = None,
    said_from: SaidFrom = None,
    said_before: SaidBefore = None,
    fields: Fields = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    with_history: WithHistory = False,
    links: FollowLinks = False,
    shown: ShownVersions = None,
    floor: Floor = None,
    fusion: FusionName = None,
    mmr: Mmr = None,
    group_by: GroupBy = None,
    explain: Explain = False,
    as_block: AsBlock = False,
    as_json: AsJson = False,
) -> None:
    """Find the memories that answer a question, the best first; without one, the user's profile.

    Among what is known now, or among what was believed at a moment or true at one, as `slowwave memories` lists it. The
    score orders one answer and means nothing beside another's. A profile has what is pinned, then what was said most
    often, then the newest.
    """
    if as_block and (explain or as_json):
        raise typer.BadParameter("--block prints the block alone: leave out --explain and --json")
    scope = scope_of(app, user)
    narrowed = Filters(
        kinds=frozenset(kinds or ()),
        tags=frozenset(tags or ()),
        subjects=frozenset(subjects or ()),
        authorities=frozenset(one.value for one in said_by or ()),
        said_from=said_from,
        said_before=said_before,
        metadata=dict(fields or ()),
    )
    settings = load()
    usual, layout = ask_of(settings), layout_of(settings) if as_block else None
    try:
        ask = replace(
            usual,
            queries=tuple(queries or ()),
            limit=_given(limit, usual.limit),
            floor=_given(floor, usual.floor),
            fusion=_given(fusion, usual.fusion),
            mmr=_given(mmr, usual.mmr),
            group_by=group_by,
            filters=narrowed,
            as_of=as_of,
            valid_at=valid_at,
            with_history=with_history,
            follow_links=links,
            shown=dict(shown or ()),
            budget=replace(
                usual.budget,
                characters=max_characters,
                tokens=_given(max_tokens, usual.budget.tokens),
            ),
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with reading() as memories:
        found = recalled(
            memories.store,
            memories.embedder,
            scope,
            ask,
            datetime.now(UTC),
            reranker=memories.reranker,
        )
    if layout is None:
        (_print_json if as_json else _print)(found, explain=explain)
    else:
        found = _print_block(found, replace(layout, budget=ask.budget))
    _remark(found, ask)
    if as_of is None and valid_at is None and not with_history:
        with serving() as served:
            served.note(scope, ask.queries, (one.memory.id for one in found.items))


def _given(option: T | None, usual: T) -> T:
    return usual if option is None else option


def _print_block(found: Answer, layout: Layout) -> Answer:
    """What of the answer the block tells."""
    told = fitted(found, layout)
    if text := block(told, layout):
        print(text)
    else:
        note(NOTHING)
    return told


def _print_json(found: Answer, *, explain: bool) -> None:
    for one in found.items:
        emit(scored(one, explain=explain))
    if explain:
        for gone in found.left_out:
            emit(left_out(gone))


def _print(found: Answer, *, explain: bool) -> None:
    if found.items:
        answers().print(recalled_table("", found.items, explain=explain))
    if explain and found.left_out:
        answers().print(left_out_table(found.left_out))
    if not found.items:
        note(NOTHING)


def _remark(found: Answer, ask: Ask) -> None:
    """What the answer does not show by itself."""
    for reason in found.degraded:
        note(reason)
    if found.not_fitting:
        note(f"did not fit: {found.not_fitting}")
    for id in found.withdrawn:
        note(f"{id} was shown in version {ask.shown[id]} and no longer stands")
