"""`slowwave evaluate` as people give it: a file, a folder, and a model that is scripted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint import Endpoint, Refusal, endpoint
from tests.locomo import sample
from tests.worker.interfaces.cli.running import Cli, Told

MADE = [sample("conv-1"), sample("conv-2")]


def knows(job: str, document: dict[str, Any]) -> Any:
    if job == "answer":
        return {"why": "so", "known": True, "answer": "Oslo"}
    return {"why": "so", "correct": document["expected"] == "Oslo"}


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with endpoint(knows) as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo10.json"
    path.write_text(json.dumps(MADE))
    return path


def evaluate(cli: Cli, file: Path, model: Endpoint, *more: str, **environment: str) -> Told:
    given = {"SLOWWAVE_MODEL_URL": model.url, "SLOWWAVE_MODEL_KEY": "very-secret", **environment}
    options = ("--output-dir", str(file.parent / "out"), "--answer-model", "scripted")
    return cli("evaluate", str(file), *options, *more, **given)


def test_it_leaves_a_report_and_goes_on_from_what_is_there(
    cli: Cli, file: Path, model: Endpoint
) -> None:
    done = evaluate(cli, file, model, "--yes", "--runs", "2", "--limit", "3", "--top-k", "2")

    assert done.status == 0, done.err
    assert "extraction" not in done.err
    assert "single-hop" in done.out
    report = json.loads((file.parent / "out" / "report.json").read_text())
    assert (report["learning"]["turns"], len(report["answers"])) == (6, 12)
    assert report["settings"]["recall_limit"] == 2
    assert report["learning"]["parked"] == 0
    assert {one["memories"] for one in report["answers"]} == {2}
    assert "single-hop | 2 | 100.0" in (file.parent / "out" / "report.md").read_text()

    calls = len(model.requests)
    again = evaluate(
        cli, file, model, "--yes", "--runs", "2", "--limit", "3", "--top-k", "2", "--json"
    )
    assert again.document["rows"] == report["rows"]
    assert len(model.requests) == calls


def test_the_memory_of_others_is_left_alone(cli: Cli, file: Path, model: Endpoint) -> None:
    assert evaluate(cli, file, model, "--yes", "--limit", "1").status == 0

    assert not (cli.folder / "memory.db").exists()
    assert cli("status", "--json").document["pending_turns"] == 0


def test_only_the_conversations_that_are_named_are_learned(
    cli: Cli, file: Path, model: Endpoint
) -> None:
    told = evaluate(cli, file, model, "--yes", "--conversation", "conv-2", "--json").document

    assert {one["conversation"] for one in told["answers"]} == {"conv-2"}
    assert told["learning"]["conversations"] == 1


def test_no_secret_is_in_any_file_of_it(cli: Cli, file: Path, model: Endpoint) -> None:
    url = model.url.replace("//", "//bob:hush@")
    told = evaluate(cli, file, model, "--yes", "--limit", "1", SLOWWAVE_EMBEDDER_KEY="hidden-too")
    evaluate(cli, file, model, "--yes", "--limit", "1", SLOWWAVE_MODEL_URL=url)

    written = [path.read_bytes() for path in (file.parent / "out").iterdir() if path.is_file()]
    for secret in ("very-secret", "hidden-too", "hush"):
        assert secret not in told.out + told.err
        assert not any(secret.encode() in one for one in written)


def test_where_nobody_can_be_asked_nothing_begins(cli: Cli, file: Path, model: Endpoint) -> None:
    told = evaluate(cli, file, model)

    assert told.status == 2
    assert "say --yes" in told.err
    assert not (file.parent / "out").exists()


def test_other_options_on_the_same_folder_are_refused(
    cli: Cli, file: Path, model: Endpoint
) -> None:
    evaluate(cli, file, model, "--yes", "--limit", "1")

    told = evaluate(cli, file, model, "--yes", "--limit", "1", "--detector", "listwise")

    assert told.status == 1
    assert "detector: 'batchwise' then, 'listwise' now" in told.err


def test_an_answer_takes_a_model(cli: Cli, file: Path) -> None:
    told = cli("evaluate", str(file), "--output-dir", str(file.parent / "out"), "--yes")

    assert told.status == 1
    assert "set SLOWWAVE_MODEL or name one by --answer-model" in told.err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read (No such file or directory)"),
        (b"", "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"{}", "is no list of conversations"),
        (b"[1]", "entry 1 is not as LoCoMo's entries are"),
    ],
)
def test_another_file_is_refused_and_it_says_where_the_right_one_is(
    cli: Cli, file: Path, model: Endpoint, content: bytes | None, told: str
) -> None:
    file.unlink()
    if content is not None:
        file.write_bytes(content)

    done = evaluate(cli, file, model, "--yes")

    assert done.status == 2
    assert told in done.err
    assert "snap-research/locomo" in done.err
    assert "CC BY-NC 4.0" in done.err


def test_a_conversation_that_is_not_there_is_told_with_those_that_are(
    cli: Cli, file: Path, model: Endpoint
) -> None:
    told = evaluate(cli, file, model, "--yes", "--conversation", "conv-9")

    assert told.status == 2
    assert "there are conv-1, conv-2" in told.err


def test_questions_without_an_answer_end_it_with_1(cli: Cli, file: Path) -> None:
    with endpoint(only_politely) as broken:
        told = evaluate(cli, file, broken, "--yes", "--limit", "1")

    assert told.status == 1
    assert "2 questions have no answer" in told.err
    assert "question 1" in (file.parent / "out" / "report.md").read_text()


def only_politely(job: str, document: dict[str, Any]) -> Any:
    """Answers as long as it is about nobody."""
    return knows(job, document) if not document.get("memories") else "no JSON"


@pytest.mark.parametrize("job", ["extraction", "answer", "grade"])
@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Refusal(401), "refuses the key"),
        ("no JSON", "take one that follows a JSON schema"),
    ],
    ids=["a refused key", "another shape"],
)
def test_a_model_that_cannot_be_used_ends_it_before_anything_is_learned(
    cli: Cli, file: Path, job: str, reply: Any, told: str
) -> None:
    def script(asked: str, document: dict[str, Any]) -> Any:
        return (
            reply
            if asked == job
            else {"facts": []}
            if asked == "extraction"
            else knows(asked, document)
        )

    with endpoint(script) as broken:
        done = evaluate(cli, file, broken, "--yes", SLOWWAVE_MODEL="scripted")

    assert done.status == 1
    assert told in done.err
    assert "Traceback" not in done.err
    assert broken.calls["extraction"] <= (3 if job == "extraction" else 1)
    assert not (file.parent / "out" / "learned.jsonl").exists()


@pytest.mark.parametrize("page", ["report.md", "report.json", "answered.jsonl", "conditions.new"])
def test_what_cannot_be_written_is_told_without_a_traceback(
    cli: Cli, file: Path, model: Endpoint, page: str
) -> None:
    if page != "conditions.new":
        evaluate(cli, file, model, "--yes", "--limit", "1")
        (file.parent / "out" / page).unlink()
    (file.parent / "out" / page).mkdir(parents=True)

    told = evaluate(cli, file, model, "--yes", "--limit", "1", "--json")

    assert (told.status, told.out) == (1, "")
    assert "cannot be written (Is a directory)" in told.err
    assert "Traceback" not in told.err


def test_it_costs_what_it_says_in_the_currency_of_the_prices(
    cli: Cli, file: Path, model: Endpoint
) -> None:
    told = evaluate(cli, file, model, "--yes", "--price-in", "1000", "--price-out", "0")

    assert "At these prices about" in told.err
    assert "in all" in told.err
