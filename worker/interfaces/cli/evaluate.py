"""`slowwave evaluate`: LoCoMo from end to end, with any model."""

import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from worker.core.evaluating.forecast import Forecast
from worker.core.evaluating.locomo import WHERE, Conversation, conversations, spread
from worker.core.evaluating.report import Report, markdown
from worker.evaluating.evaluation import unanswered, unlearned
from worker.evaluating.folder import Folder, entered
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.evaluating import Wanted, carried_out, conditions, expected, own
from worker.interfaces.cli.opening import configured
from worker.interfaces.cli.options import AsJson, one_of
from worker.interfaces.cli.output import answers, note, notes, plain, progress, table
from worker.settings import Settings

#: Of the folder, beside what is kept to go on with.
PAGE, DOCUMENT = "report.md", "report.json"
CONCURRENCY = 4


def evaluate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Your copy of locomo10.json.", show_default=False)
    ],
    output_dir: Annotated[
        Path,
        typer.Option(
            "--output-dir",
            metavar="DIR",
            help="Folder for the memory, the answers and the report; with what is in it, it goes on.",
            show_default=False,
        ),
    ],
    runs: Annotated[int, typer.Option(min=1, help="Times that each question is answered.")] = 1,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Questions of each conversation, of each category in turn (default: all).",
            show_default=False,
        ),
    ] = None,
    conversation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Only this one, such as conv-26; repeatable.", show_default=False
        ),
    ] = None,
    top_k: Annotated[
        int | None,
        typer.Option(
            "--top-k",
            min=1,
            max=200,
            metavar="N",
            help="Memories that a question is answered from (default: SLOWWAVE_RECALL_LIMIT).",
            show_default=False,
        ),
    ] = None,
    detector: Annotated[str | None, one_of("detector")] = None,
    resolver: Annotated[str | None, one_of("resolver")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=-1,
            max=1,
            metavar="X",
            help="Cosine from which a memory is a candidate, -1 to 1.",
            show_default=False,
        ),
    ] = None,
    answer_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Model that answers (default: SLOWWAVE_MODEL).", show_default=False
        ),
    ] = None,
    judge_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Model that grades the answers (default: the one that answers).",
            show_default=False,
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, max=256, help="Conversations, then questions, at the same time.")
    ] = CONCURRENCY,
    price_in: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="X", help="Price of a million tokens read.", show_default=False
        ),
    ] = None,
    price_out: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="X", help="Price of a million tokens written.", show_default=False
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure question answering on LoCoMo: learn its conversations, answer its questions, grade the answers.

    FILE is yours to bring: data/locomo10.json of the repository snap-research/locomo, under CC BY-NC 4.0, which does
    not allow commercial use. Everything is kept in DIR: broken off, the same command goes on where it was; what was
    learned is learned once, however many --runs. It has a Redis and a store of its own. The report is DIR/report.md and
    DIR/report.json. Says what it will cost and asks before it starts.
    """
    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter("nobody can be asked here: say --yes", param_hint="--yes")
    data = _data(file)
    settings = own(_chosen(configured(), detector, resolver, threshold, top_k), output_dir)
    answering = _model(answer_model or settings.model)
    wanted = Wanted(
        conversations=_asked(_conversations(data, file), conversation, limit),
        data=hashlib.sha256(data).hexdigest(),
        answer_model=answering,
        grade_model=judge_model or answering,
        runs=runs,
        concurrency=concurrency,
    )
    with _writing(output_dir), entered(output_dir, conditions(settings, wanted)) as folder:
        cost = expected(settings, wanted, folder)
        if cost.calls:
            _tell(cost, price_in, price_out)
            if not yes and not typer.confirm("Begin?", err=True):
                raise Failed("nothing was begun")
        report = _carried_out(settings, wanted, folder)
        (output_dir / PAGE).write_text(markdown(report), encoding="utf-8")
        (output_dir / DOCUMENT).write_bytes(TypeAdapter(Report).dump_json(report, indent=2))
    if as_json:
        print(TypeAdapter(Report).dump_json(report).decode())
    else:
        _show(report, output_dir)
    _complain(report)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Failed(
            f"{folder} cannot be written ({error.strerror}): make room for it, or mend it; the same command goes on"
        ) from error


def _data(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read ({error.strerror}): {WHERE}") from error


def _conversations(data: bytes, file: Path) -> tuple[Conversation, ...]:
    try:
        return conversations(json.loads(data))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise typer.BadParameter(f"{file} is no JSON: {WHERE}") from error
    except ValueError as error:
        raise typer.BadParameter(f"{file}: {error}") from error


def _asked(
    found: tuple[Conversation, ...], names: list[str] | None, limit: int | None
) -> list[Conversation]:
    there = {one.name: one for one in found}
    if unknown := [name for name in names or () if name not in there]:
        raise typer.BadParameter(
            f"there is no conversation {unknown[0]!r}: there are {', '.join(there)}",
            param_hint="--conversation",
        )
    chosen = [there[name] for name in dict.fromkeys(names or there)]
    return [replace(one, questions=spread(one.questions, limit)) for one in chosen]


def _chosen(
    settings: Settings,
    detector: str | None,
    resolver: str | None,
    threshold: float | None,
    top_k: int | None,
) -> Settings:
    given = {
        "detector": detector,
        "resolver": resolver,
        "threshold": threshold,
        "recall_limit": top_k,
    }
    update = {name: value for name, value in given.items() if value is not None}
    return settings.model_copy(update=update)


def _model(name: str) -> str:
    if name == "rules":
        raise Failed(
            "answering takes a language model: set SLOWWAVE_MODEL or name one by --answer-model, and SLOWWAVE_MODEL_URL"
            " to any API as OpenAI's"
        )
    return name


def _carried_out(settings: Settings, wanted: Wanted, folder: Folder) -> Report:
    turns = sum(len(one.turns) for one in unlearned(folder, wanted.conversations))
    questions = len(unanswered(folder, wanted.conversations, wanted.runs))
    with progress() as bar:
        learning = bar.add_task("turns learned", total=turns)
        asking = bar.add_task("questions answered", total=questions)
        return carried_out(
            settings,
            wanted,
            folder,
            lambda count: bar.advance(learning, count),
            lambda count: bar.advance(asking, count),
        )


def _tell(cost: Forecast, price_in: float | None, price_out: float | None) -> None:
    rows = [
        (one.name, one.calls, f"{one.prompt:,}", f"{one.completion:,}")
        for one in cost.stages
        if one.calls
    ]
    rows.append(("in all", cost.calls, f"{cost.prompt:,}", f"{cost.completion:,}"))
    headings = ("stage", "calls", "tokens in", "tokens out")
    notes().print(table("About what is left to do costs", headings, rows, tall=False))
    if price_in is not None or price_out is not None:
        note(f"At these prices about {cost.price(price_in or 0, price_out or 0):.2f}.")


def _show(report: Report, folder: Path) -> None:
    rows = [
        (
            one.category,
            one.questions,
            f"{100 * one.accuracy.mean:.1f} %",
            "–" if one.accuracy.deviation is None else f"{100 * one.accuracy.deviation:.1f}",
            f"{100 * one.f1.mean:.1f} %" if one.f1 else "–",
        )
        for one in report.rows
    ]
    headings = ("category", "questions", "accuracy", "sd", "F1")
    answers().print(table("", headings, rows, tall=False))
    answers().print(
        plain(f"The report is {folder / PAGE} and {folder / DOCUMENT}."), soft_wrap=True
    )


def _complain(report: Report) -> None:
    if report.failed:
        raise Failed(
            f"{len(report.failed)} questions have no answer, the first because {report.failed[0].reason}: they are in"
            " no figure; the same command asks them again"
        )
    if report.learning.parked:
        raise Failed(
            f"{report.learning.parked} turns were put aside and are not learned: the log says why; evaluate again in"
            " another folder once it is mended"
        )
