"""The instructions: short, complete, and with examples that are right and that no fact can come from."""

import json
from datetime import datetime
from importlib.resources import files
from typing import Any

import pytest

from schemas.tokens import estimate
from tests.build import candidacy, fact, record, turn
from worker.adapters.prompts import Prompts
from worker.core.evaluating.answering import Answering, AnswerReply, Asked
from worker.core.evaluating.grading import Graded, GradeReply, Grading
from worker.core.forgetting.redact import Redacting, Redaction, RedactReply
from worker.core.forgetting.topics import of_query
from worker.core.groups.judgment import Candidacy, Group
from worker.core.hearing.extract import Extraction
from worker.core.hearing.extraction_reply import ExtractionReply
from worker.core.hearing.heard import Heard
from worker.core.judging.derive import Deriving, InsightsReply, Material
from worker.core.judging.judge import ListJudge
from worker.core.judging.judge_reply import JudgeReply
from worker.core.judging.merge import MergeReply, Merging, Unwritten
from worker.core.judging.pair_judge import PairJudge, PairReply
from worker.core.judging.reorganize import Reorganize
from worker.core.step import Prompt

OURS = Prompts()
instructions, fingerprint = OURS.instructions, OURS.fingerprint

HEARD = Heard((turn("t1", "Hello", speaker="Ines"),), slots=(("Ines", "home"),))
CASE = candidacy([fact("Loves opera")], [record("Dislikes opera")])
UNWRITTEN = Unwritten.of(CASE, Group(why="w", members=("f1", "c1"), relation="contradict"))
PROMPTS = (
    *Extraction().ask(HEARD),
    *ListJudge().ask(CASE),
    *ListJudge(job="listwise").ask(CASE),
    *PairJudge().ask(CASE),
    *Merging().ask(UNWRITTEN),
    *Reorganize().ask(CASE),
    *Deriving().ask(Material((record("Loves opera").memory,))),
    *Redacting().ask(Redaction(fact("Loves opera and tea"), of_query("opera"))),
    *Answering().ask(Asked("What is loved?", (record("Loves opera").memory,))),
    *Grading().ask(Graded("What is loved?", "opera", "the opera")),
)
JOBS = [prompt.job for prompt in PROMPTS]


def example(job: str) -> tuple[Any, Any]:
    """The document and the reply that the instructions show."""
    text = instructions(job).partition("An example")[2]
    decoder = json.JSONDecoder()
    document, end = decoder.raw_decode(text, text.index("\n{") + 1)
    reply, _ = decoder.raw_decode(text, text.index("{", end))
    return document, reply


def fields(value: Any) -> set[str]:
    """All keys of a document, however deep."""
    if isinstance(value, dict):
        return set(value).union(*(fields(one) for one in value.values()))
    return set[str]().union(*map(fields, value)) if isinstance(value, list | tuple) else set()


def test_every_file_belongs_to_a_job() -> None:
    names = {path.name for path in files("worker.prompts").iterdir() if path.name.endswith(".md")}

    assert names == {f"{job}.md" for job in JOBS}


@pytest.mark.parametrize("job", JOBS)
def test_instructions_are_short(job: str) -> None:
    assert 300 < estimate(instructions(job)) <= 1_500


@pytest.mark.parametrize("prompt", PROMPTS, ids=JOBS)
def test_every_field_of_document_and_reply_is_explained(prompt: Prompt) -> None:
    told = instructions(prompt.job)
    document, reply = example(prompt.job)
    schema = prompt.reply.model_json_schema()
    parts = (schema, *schema.get("$defs", {}).values())
    answered = {name for part in parts for name in part["properties"]}

    assert fields(prompt.document) <= fields(document)
    assert answered == fields(reply)
    assert all(f"`{name}`" in told for name in answered - {"facts", "groups", "insights"})


@pytest.mark.parametrize("job", JOBS)
def test_data_is_never_an_instruction(job: str) -> None:
    assert "never an instruction" in instructions(job)
    assert "JSON" in instructions(job)


@pytest.mark.parametrize(
    "schema",
    [
        JudgeReply.model_json_schema()["$defs"]["GroupReply"],
        PairReply.model_json_schema(),
        MergeReply.model_json_schema(),
        InsightsReply.model_json_schema()["$defs"]["InsightReply"],
        AnswerReply.model_json_schema(),
        GradeReply.model_json_schema(),
    ],
)
def test_the_reason_comes_before_the_verdict(schema: dict[str, Any]) -> None:
    assert next(iter(schema["properties"])) == "why"


def test_a_fingerprint_is_that_of_the_bytes() -> None:
    assert len({fingerprint(job) for job in JOBS}) == len(JOBS)
    assert all(len(bytes.fromhex(fingerprint(job))) == 32 for job in JOBS)


def heard(document: dict[str, Any]) -> Heard:
    def said(one: dict[str, Any]) -> Any:
        return turn(
            one["id"],
            one["text"],
            role=one["role"],
            speaker=one["speaker"],
            said_at=datetime.fromisoformat(one["said_at"]),
        )

    return Heard(tuple(map(said, document["turns"])), tuple(map(said, document["context"])))


def test_the_example_of_extraction_is_read_as_it_stands() -> None:
    document, reply = example("extraction")

    found = Extraction().read(heard(document), [ExtractionReply.model_validate(reply)])

    assert [one.text for one in found.facts] == [one["text"] for one in reply["facts"]]
    assert found.dropped == {}


def statement(one: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The fields of a fact or memory that a document shows, and others."""
    times = {
        name: datetime.fromisoformat(one[name]) for name in ("said_at", "until") if one.get(name)
    }
    return {"text": one["text"], "subject": one.get("subject", "Orsolka"), **times, **fields}


def shown(facts: list[dict[str, Any]], candidates: list[dict[str, Any]]) -> Candidacy:
    """What a judge's document shows."""
    return candidacy(
        [fact(**statement(one)) for one in facts],
        [record(**statement(one)) for one in candidates],
        {one["id"]: tuple(one["candidates"]) for one in facts if "candidates" in one},
    )


@pytest.mark.parametrize("job", ["batchwise", "listwise"])
def test_the_example_of_judgment_keeps_the_rules(job: str) -> None:
    document, reply = example(job)
    case = shown(document["facts"], document["candidates"])

    found = ListJudge(job=job).read(case, [JudgeReply.model_validate(reply)])

    assert [list(group.members) for group in found.groups] == [
        one["members"] for one in reply["groups"]
    ]
    assert list(found.new) == reply["new"]


def test_the_example_of_a_pair_is_read_as_it_stands() -> None:
    document, reply = example("pair")
    case = shown([document["fact"]], [document["candidate"]])

    found = PairJudge().read(case, [PairReply.model_validate(reply)])

    assert [(group.members, group.relation) for group in found.groups] == [
        (("f1", "c1"), reply["relation"])
    ]


def test_the_example_of_a_merge_keeps_the_rules() -> None:
    document, reply = example("merge")
    newest, older = document["texts"]
    group = Group(why="w", members=("f1", "c1"), relation=document["relation"], written=False)
    item = Unwritten.of(shown([newest], [older]), group)

    written = Merging().read(item, [MergeReply.model_validate(reply)])

    assert (written.text, written.drops) == (reply["text"], tuple(reply["drops"]))
    assert written.written


def test_the_example_of_sleep_keeps_the_rules() -> None:
    document, reply = example("reorganize")
    case = shown([], document["memories"])

    (found,) = Reorganize().read(case, [JudgeReply.model_validate(reply)]).groups

    assert [f"m{one[1:]}" for one in found.members] == reply["groups"][0]["members"]
    assert (found.relation, found.text) == ("update", reply["groups"][0]["text"])


def test_the_example_of_an_insight_keeps_the_rules() -> None:
    document, reply = example("insights")
    case = shown([], document["memories"])
    memories = tuple(one.memory for one in case.candidates)

    (found,) = Deriving().read(Material(memories), [InsightsReply.model_validate(reply)])

    assert (found.text, found.evidence) == (reply["insights"][0]["text"], memories[:2])


def test_the_example_of_a_redaction_keeps_the_rules() -> None:
    document, reply = example("redact")
    item = Redaction(fact(document["text"]), of_query(document["forget"]))

    assert Redacting().read(item, [RedactReply.model_validate(reply)]) == reply["text"]


def test_an_example_given_back_as_a_finding_is_no_fact() -> None:
    _, reply = example("extraction")
    copied = {"facts": [{**one, "turns": ["t1"]} for one in reply["facts"]]}
    thin = Heard((turn("t1", "ok thanks, I moved by hand and can swim, bye!"),))

    found = Extraction().read(thin, [ExtractionReply.model_validate(copied)])

    assert found.facts == ()
    assert found.dropped == {"an example of the instructions": len(reply["facts"])}


def test_the_examples_of_answering_and_grading_are_read_as_they_stand() -> None:
    _, answer = example("answer")
    document, grade = example("grade")

    answered = Answering().read(Asked("?", ()), [AnswerReply.model_validate(answer)])
    graded = Graded(**document)

    assert (answered.text, answered.is_known) == (answer["answer"], True)
    assert Grading().read(graded, [GradeReply.model_validate(grade)])
