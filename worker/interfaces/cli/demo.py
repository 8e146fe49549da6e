"""`slowwave demo`: the main job, end to end, through a real worker process."""

import shlex
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated

import typer
from pydantic import JsonValue

from schemas.plan import Run
from schemas.scope import Scope
from worker.interfaces.cli.opening import configured
from worker.interfaces.cli.options import AsJson, one_of
from worker.interfaces.cli.output import answers, emit, note, waiting
from worker.interfaces.cli.sessions import QUESTIONS, Session, bundled, own
from worker.interfaces.cli.stage import Place, Stage, place_for, stage
from worker.interfaces.cli.telling import (
    Ending,
    tell_account,
    tell_ending,
    tell_session,
    tell_start,
)
from worker.interfaces.recalled import scored
from worker.interfaces.versions import newest_first, texts_of
from worker.recall import earlier, known, recall
from worker.wiring import ask_of

#: Memories shown for each question.
ANSWERS = 3


@dataclass
class Story:
    """What happened on the stage."""

    runs: list[Run] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    @property
    def calls(self) -> Counter[str]:
        return sum((Counter(run.usage.calls) for run in self.runs), Counter())

    @property
    def tokens(self) -> dict[str, int]:
        return {
            "prompt": sum(run.usage.prompt_tokens for run in self.runs),
            "completion": sum(run.usage.completion_tokens for run in self.runs),
            "cached": sum(run.usage.cached_tokens for run in self.runs),
        }

    @property
    def seconds(self) -> float:
        return round(time.monotonic() - self.started, 1)


def demo(
    say: Annotated[
        list[str] | None,
        typer.Option(
            "--say",
            metavar="TEXT",
            help="Say this instead; each TEXT is a batch.",
            show_default=False,
        ),
    ] = None,
    detector: Annotated[str | None, one_of("detector")] = None,
    resolver: Annotated[str | None, one_of("resolver")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            min=-1,
            max=1,
            help="Cosine from which a memory is a candidate, -1 to 1.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the data folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the whole job on a conversation, step by step.

    Turns in, facts found, verdicts with their reasons, what is known at the end, what was replaced by
    what, three questions. Learning is done by a real worker process, in a data folder of its own unless
    SLOWWAVE_REDIS_URL or SLOWWAVE_STORE_URL is set.
    """
    given = {"detector": detector, "resolver": resolver, "threshold": threshold}
    chosen = {name: value for name, value in given.items() if value is not None}
    with place_for(configured().model_copy(update=chosen), keep=keep) as place:
        sessions = own(say, place.user) if say else bundled(place.user)
        story = Story()
        if not as_json:
            tell_start(
                answers(), place.settings, sum(len(s.turns) for s in sessions), len(sessions)
            )
        overrides = {f"SLOWWAVE_{name.upper()}": str(value) for name, value in chosen.items()}
        with stage(place, overrides) as playing:
            _play(playing, sessions, story, aloud=not as_json)
            ending = _ending(playing, sessions, say[-1:] if say else QUESTIONS)
        if as_json:
            emit(_document(place, sessions, story, ending))
        else:
            tell_ending(answers(), ending)
            tell_account(answers(), _account(sessions, story))
        _how_to_look(place, sessions, keep=keep)


def _play(playing: Stage, sessions: Sequence[Session], story: Story, *, aloud: bool) -> None:
    for number, session in enumerate(sessions, start=1):
        with waiting(f"session {session.name}, {number} of {len(sessions)}"):
            runs = playing.hear(scope_in(sessions), session.turns)
        story.runs += runs
        if aloud:
            texts = texts_of(playing.parts.store, scope_in(sessions))
            tell_session(answers(), session, runs, texts)


def scope_in(sessions: Sequence[Session]) -> Scope:
    """All of a demo is said by one user."""
    first = sessions[0].turns[0]
    return Scope(app=first.app, user=first.user)


def _ending(playing: Stage, sessions: Sequence[Session], questions: Sequence[str]) -> Ending:
    parts, scope, now = playing.parts, scope_in(sessions), datetime.now(UTC)
    ask = replace(ask_of(playing.parts.settings), limit=ANSWERS)
    asked = [
        (
            query,
            recall(parts.store, parts.embedder, scope, replace(ask, queries=(query,)), now).items,
        )
        for query in questions
    ]
    archives = newest_first(earlier(parts.store, scope))
    memories = tuple(known(parts.store, scope, now))
    return Ending(memories, archives, tuple(asked), texts_of(parts.store, scope))


def _document(
    place: Place, sessions: Sequence[Session], story: Story, ending: Ending
) -> dict[str, JsonValue]:
    scope, settings = scope_in(sessions), place.settings
    return {
        "app": scope.app,
        "user": scope.user,
        "model": settings.model,
        "embedder": settings.embedder,
        "detector": settings.detector,
        "resolver": settings.resolver,
        "turns": [
            turn.model_dump(mode="json", exclude_defaults=True)
            for session in sessions
            for turn in session.turns
        ],
        "runs": [run.model_dump(mode="json") for run in story.runs],
        "memories": [memory.model_dump(mode="json") for memory in ending.memories],
        "archives": [archive.model_dump(mode="json") for archive in ending.archives],
        "recalled": [
            {"query": query, "memories": [scored(one) for one in found]}
            for query, found in ending.recalled
        ],
        "calls": dict(story.calls),
        "tokens": dict(story.tokens),
        "seconds": story.seconds,
    }


def _account(sessions: Sequence[Session], story: Story) -> list[tuple[str, object]]:
    calls = ", ".join(f"{job} {count}" for job, count in sorted(story.calls.items()))
    return [
        ("turns", sum(len(session.turns) for session in sessions)),
        ("batches", len(story.runs)),
        ("facts", sum(run.facts for run in story.runs)),
        ("model calls", f"{story.calls.total()} ({calls})" if calls else 0),
        ("tokens", sum(story.tokens.values()) - story.tokens["cached"]),
        ("seconds", story.seconds),
    ]


def _how_to_look(place: Place, sessions: Sequence[Session], *, keep: bool) -> None:
    """Where what was kept can be looked at; a folder of the demo's own is gone unless it was to be kept."""
    scope = scope_in(sessions)
    whose = f"--app {shlex.quote(scope.app)} --user {shlex.quote(scope.user)}"
    if place.folder is None:
        note(f"kept; look at it with: slowwave memories {whose}")
    elif keep:
        note(
            f"kept in {place.folder}; look at it with:"
            f" SLOWWAVE_DATA_DIR={place.folder} slowwave memories {whose}"
        )
