"""Calls of a model, and their tokens: of a batch under each preset, of a night, and of what asks nobody."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from schemas.tokens import estimate
from tests.cases.asleep import AtNight, separate
from tests.desk import Desk, scripted
from tests.endpoint import Endpoint
from tests.guard import scene
from tests.guard.agreed import Counts, agree
from tests.guard.counting import Counted
from worker.adapters.prompts import Prompts
from worker.core.recalling.ask import Ask
from worker.direct.forgetting import Wanted, forget
from worker.direct.sleeping import sleep
from worker.recall import recall

#: Estimated tokens of the instructions of each job, which every call of it begins with.
INSTRUCTIONS: Counts = {
    "extraction": 1440,
    "batchwise": 1491,
    "listwise": 1135,
    "pair": 624,
    "merge": 764,
    "reorganize": 917,
    "insights": 752,
    "redact": 404,
}

#: What is asked: calls of each job, and as `documents` the estimated tokens of what the model is shown beside the
#: instructions and has to fill in (documents and schemas), of all calls together.
BATCHES: dict[str, Counts] = {
    "the first batch of a scope": {"extraction": 1, "documents": 1094},
    "a batch that is near to nothing": {"extraction": 1, "documents": 1398},
    "a batch of chat": {"extraction": 1, "documents": 1263},
    "a batch of what is known word by word": {"extraction": 1, "documents": 1422},
    "a batch whose facts go to the judge in two calls": {
        "extraction": 1,
        "batchwise": 2,
        "documents": 3241,
    },
    "a batch whose turns are extracted in two calls": {"extraction": 2, "documents": 2668},
    "a batch that asks to forget": {"extraction": 1, "batchwise": 1, "documents": 1945},
}
PRESETS: dict[tuple[str, str], Counts] = {
    ("add_only", "keep"): {"extraction": 1, "documents": 1615},
    ("add_only", "replace"): {"extraction": 1, "documents": 1615},
    ("add_only", "rewrite"): {"extraction": 1, "documents": 1615},
    ("pointwise", "keep"): {"extraction": 1, "pair": 8, "documents": 3753},
    ("pointwise", "replace"): {"extraction": 1, "pair": 8, "documents": 3753},
    ("pointwise", "rewrite"): {"extraction": 1, "pair": 8, "merge": 2, "documents": 4505},
    ("listwise", "keep"): {"extraction": 1, "listwise": 4, "documents": 4007},
    ("listwise", "replace"): {"extraction": 1, "listwise": 4, "documents": 4007},
    ("listwise", "rewrite"): {"extraction": 1, "listwise": 4, "documents": 4007},
    ("listwise_multitarget", "keep"): {"extraction": 1, "listwise": 4, "documents": 4007},
    ("listwise_multitarget", "replace"): {"extraction": 1, "listwise": 4, "documents": 4007},
    ("listwise_multitarget", "rewrite"): {"extraction": 1, "listwise": 4, "documents": 4007},
    ("batchwise", "keep"): {"extraction": 1, "batchwise": 1, "documents": 2858},
    ("batchwise", "replace"): {"extraction": 1, "batchwise": 1, "documents": 2858},
    ("batchwise", "rewrite"): {"extraction": 1, "batchwise": 1, "documents": 2858},
}
ACTS: dict[str, Counts] = {
    "recall": {"embedder: embed": 1},
    "recall with three questions": {"embedder: embed": 1},
    "recall without a question": {},
    "forgetting one memory": {},
}
#: The first night over eight memories of which some are near to each other, the next, and one that derives as well.
NIGHTS: dict[str, Counts] = {
    "as it is usual": {"first: reorganize": 5, "first: documents": 2478},
    "with insights": {"first: reorganize": 5, "first: insights": 1, "first: documents": 2893},
}

NIGHT = timedelta(days=60)


def asked(model: Endpoint, since: int = 0) -> Counter[str]:
    requests = model.requests[since:]
    found = Counter(request["response_format"]["json_schema"]["name"] for request in requests)
    return found + Counter(documents=sum(map(_tokens, requests)))


def _tokens(request: dict[str, Any]) -> int:
    said = [one["content"] for one in request["messages"] if one["role"] != "system"]
    return sum(map(estimate, [*said, json.dumps(request["response_format"])]))


def test_the_instructions_are_as_long_as_was_agreed() -> None:
    prompts = Prompts()
    jobs = ("extraction", "batchwise", "listwise", "pair", "merge", "reorganize", "insights")

    found = {job: estimate(prompts.instructions(job)) for job in (*jobs, "redact")}

    agree("instructions", found, INSTRUCTIONS, "INSTRUCTIONS", __file__)


def test_every_job_has_its_instructions_counted() -> None:
    jobs = {name for request in PRESETS.values() for name in request} - {"documents"}

    assert jobs <= INSTRUCTIONS.keys()


@pytest.mark.parametrize("case", BATCHES)
def test_a_batch_asks(table: Desk, case: str) -> None:
    known, said, settings = CASES[case]
    if known:
        scene.say_what_is_known(table)
    with scripted(table, scene.JUDGE, **settings) as model:
        scene.say(table, *said, days=30)
        table.settle()

    agree(case, asked(model), BATCHES[case], f"BATCHES[{case!r}]", __file__)


CASES: dict[str, tuple[bool, Sequence[str], dict[str, Any]]] = {
    "the first batch of a scope": (False, scene.TEN_TURNS, {}),
    "a batch that is near to nothing": (True, (*scene.CHAT, *scene.ALONE), {}),
    "a batch of chat": (True, scene.CHAT, {}),
    "a batch of what is known word by word": (True, scene.KNOWN, {}),
    "a batch whose facts go to the judge in two calls": (True, scene.TEN_TURNS, {"judge_facts": 2}),
    "a batch whose turns are extracted in two calls": (
        True,
        scene.LONG,
        {"extraction_tokens": 500},
    ),
    "a batch that asks to forget": (True, (*scene.CHAT, scene.WISH), {}),
}


@pytest.mark.parametrize("detector, resolver", PRESETS)
def test_ten_turns_with_four_facts_that_are_near_to_memories_ask(
    table: Desk, detector: str, resolver: str
) -> None:
    scene.say_what_is_known(table)
    with scripted(table, scene.JUDGE, detector=detector, resolver=resolver) as model:
        scene.say(table, *scene.TEN_TURNS, days=30)
        table.settle()

    preset = (detector, resolver)
    agree(" × ".join(preset), asked(model), PRESETS[preset], f"PRESETS[{preset}]", __file__)


@pytest.mark.parametrize("act", ACTS)
def test_what_is_done_without_a_batch_asks(table: Desk, act: str) -> None:
    scene.say_what_is_known(table)
    with scripted(table, scene.JUDGE) as model:
        embedder = Counted(table.parts.embedder)
        table.parts = replace(table.parts, embedder=embedder.port)
        DOING[act](table)

    found = asked(model) + Counter({f"embedder: {name}": n for name, n in embedder.calls.items()})
    agree(act, found, ACTS[act], f"ACTS[{act!r}]", __file__)


def _recall(table: Desk, *queries: str) -> None:
    parts = table.parts
    assert recall(parts.store, parts.embedder, table.scope, Ask(queries), table.now).items


def _forget(table: Desk, text: str) -> None:
    forget(table.parts, table.scope, Wanted((table.live()[text].id,)), table.now)


DOING: dict[str, Callable[[Desk], None]] = {
    "recall": lambda table: _recall(table, scene.KNOWN[0]),
    "recall with three questions": lambda table: _recall(table, *scene.KNOWN[:3]),
    "recall without a question": _recall,
    "forgetting one memory": lambda table: _forget(table, scene.KNOWN[0]),
}


@pytest.mark.parametrize("insights", [False, True], ids=["as it is usual", "with insights"])
def test_a_night_asks_about_what_changed_and_the_next_nothing(table: Desk, insights: bool) -> None:
    scene.say_what_is_known(table, scene.THIRD)
    passes = ("expire", "tidy", "flags", *(["insights"] if insights else []))
    script = _AtNight(AtNight(separate))
    found = Counter[str]()
    with scripted(table, script, **({"sleep_passes": passes} if insights else {})) as model:
        for night in ("first", "second"):
            began = len(model.requests)
            sleep(table.parts, table.scope, table.now + NIGHT)
            found += Counter({f"{night}: {k}": n for k, n in asked(model, began).items()})

    case = "with insights" if insights else "as it is usual"
    agree(f"a night {case}", found, NIGHTS[case], f"NIGHTS[{case!r}]", __file__)


class _AtNight:
    """Nothing is one, and nothing follows."""

    def __init__(self, tidying: AtNight) -> None:
        self._tidying = tidying

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        return {"insights": []} if job == "insights" else self._tidying(job, document)
