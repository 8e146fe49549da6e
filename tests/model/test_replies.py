"""What a real model answers to the worker's questions can be read, whatever it is asked for and however weak it is."""

import json

import pytest
from pydantic import BaseModel

from tests.build import candidacy, fact, record, turn
from worker.adapters.chat import FORMATS, EndpointChat
from worker.adapters.model import Completion, Talk
from worker.adapters.prompts import Prompts
from worker.adapters.reply import document, parsed
from worker.core.hearing.extract import Extraction
from worker.core.hearing.heard import Heard
from worker.core.judging.judge import ListJudge
from worker.core.step import BadReply, Prompt

pytestmark = pytest.mark.model

HEARD = Heard((turn("t1", "I live in Turku and I play the viola."),))
CASE = candidacy([fact("Plays the cello now")], [record("Plays the viola"), record("Owns a boat")])


def question(step: Extraction | ListJudge) -> Prompt:
    (prompt,) = step.ask(HEARD) if isinstance(step, Extraction) else step.ask(CASE)
    return prompt


def answer(chat: EndpointChat, prompt: Prompt) -> Completion:
    return chat.complete(
        prompt, Talk.about(prompt, Prompts().system(prompt.job, prompt.addition)).messages
    )


def read_or_refused(text: str, prompt: Prompt) -> BaseModel | BadReply:
    try:
        return parsed(text, prompt)
    except BadReply as bad:
        return bad


def refuse_before(chat: EndpointChat, form: str) -> None:
    """As if the endpoint had refused every better form."""
    chat._refused.update(FORMATS[: FORMATS.index(form)])


@pytest.mark.parametrize("step", [Extraction(), ListJudge()], ids=["extraction", "judgment"])
def test_a_schema_is_kept_unless_the_reply_is_cut(
    chat: EndpointChat, step: Extraction | ListJudge
) -> None:
    prompt = question(step)

    said = answer(chat, prompt)

    assert said.is_cut or isinstance(parsed(said.text, prompt), prompt.reply)
    assert said.is_cut or json.loads(said.text).keys() == set(prompt.reply.model_fields)


@pytest.mark.parametrize("step", [Extraction(), ListJudge()], ids=["extraction", "judgment"])
def test_a_json_object_is_found_unless_the_reply_is_cut(
    chat: EndpointChat, step: Extraction | ListJudge
) -> None:
    refuse_before(chat, "json_object")

    said = answer(chat, question(step))

    assert said.is_cut or isinstance(document(said.text), dict)


@pytest.mark.parametrize("step", [Extraction(), ListJudge()], ids=["extraction", "judgment"])
def test_plain_text_is_read_or_answered_with_what_is_wrong(
    chat: EndpointChat, step: Extraction | ListJudge
) -> None:
    refuse_before(chat, "text")
    prompt = question(step)

    said = answer(chat, prompt)

    assert isinstance(read_or_refused(said.text, prompt), prompt.reply | BadReply)


def test_usage_is_told_of_every_call(chat: EndpointChat) -> None:
    prompt = question(Extraction())

    first, again = answer(chat, prompt), answer(chat, prompt)

    assert first.prompt_tokens == again.prompt_tokens > 0
    assert min(first.completion_tokens, again.completion_tokens) > 0
    assert 0 < again.cached_tokens < again.prompt_tokens, "the same prompt is not computed twice"
