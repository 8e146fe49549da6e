"""A peer is a process that is talked to in lines: what it is told, and what is made of what it says."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bench.peers.homes import Missing, python_of
from bench.quality import command as quality
from bench.quality.contestants import Costs
from bench.quality.hearing import Cached
from bench.quality.peer import Peer, neatmem
from bench.quality.stream import Moment, Question, Said, Stream, Truth
from bench.quality.talk import PeerFailed, Talk, talking
from schemas.memory import Fact
from tests.build import fact
from worker import settings
from worker.adapters.embedders.hashed import HashedEmbedder

#: Keeps all that it hears; asks for a vector first; fails where it is told to.
ECHO = """
import json, sys
heard, orders = [], []
for line in sys.stdin:
    ((name, given),) = json.loads(line).items()
    if name == "hear":
        print(json.dumps({"embed": [given["said_at"]]}), flush=True)
        size = len(json.loads(sys.stdin.readline())["vectors"][0])
        own = [one["content"] for one in given["messages"]]
        found = own if given["facts"] is None else given["facts"]
        heard += found
        failed = "no model" if any("fail" in one for one in own) else None
        print(json.dumps({"facts": found, "failed": failed}), flush=True)
    else:
        live = [{"id": str(at), "text": text} for at, text in enumerate(heard)]
        past = [{"id": "0", "text": "was", "at": "2025-01-01T00:00:00+00:00", "heir": "0"}]
        hits = [[one] for one in given["questions"]]
        costs = {"calls": 2, "tokens": size, "seconds": 0.5}
        print(json.dumps({"live": live, "past": past, "hits": hits, **costs}), flush=True)
"""
FIRST = datetime(2025, 1, 6, 9, tzinfo=UTC)


def said(text: str, day: int) -> tuple[Said, ...]:
    return (Said("talk", "Ana", text, FIRST + timedelta(days=day)),)


STREAM = Stream(
    "ana",
    (said("I live in Graz.", 0), said("Please forget Graz.", 1), said("fail", 2)),
    Truth(),
    FIRST + timedelta(days=9),
    (Moment("early", 1, FIRST + timedelta(hours=1), Truth()),),
    (Question("Where?"),),
)
HEARD = (
    (fact("Lives in Graz", subject="Ana"),),
    (fact("Graz", subject="Ana", kind="forget"),),
    tuple[Fact, ...](),
)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    with talking([sys.executable, "-c", ECHO], tmp_path, {}, Cached(HashedEmbedder())) as found:
        yield found


def test_what_a_peer_holds_is_said_of_whose_memory_it_is(talk: Talk) -> None:
    played = Peer("echo", talk, is_given=True, asks_extraction=False).play(STREAM, HEARD)

    assert [one.text for one in played.held.live] == ["Ana: Lives in Graz"]
    assert [(one.text, one.heir) for one in played.held.past] == [("Ana: was", "0")]
    assert played.looks[-1].hits == (("Ana: Where?",),)
    assert played.costs == Costs(2, HashedEmbedder().dimensions, 0.5)
    assert played.parked == 1


def test_requests_to_forget_are_no_facts_for_it_and_ours_are_what_was_heard(talk: Talk) -> None:
    early, end = Peer("echo", talk, is_given=True, asks_extraction=False).play(STREAM, HEARD).looks

    assert early.statements == end.statements == ("Ana: Lives in Graz",)
    assert early.hits == ()


def test_by_its_own_extraction_what_it_found_is_what_was_heard(talk: Talk) -> None:
    early, end = Peer("echo", talk, is_given=False, asks_extraction=True).play(STREAM, HEARD).looks

    assert early.statements == ("Ana: Ana: I live in Graz.",)
    assert len(end.statements) == 3


@pytest.mark.parametrize(
    ("script", "last_words"),
    [
        ("import sys; sys.exit('no such model')", "no such model"),
        ("print('no JSON')", "understood"),
    ],
    ids=["goes away", "talks nonsense"],
)
def test_a_peer_that_is_of_no_use_is_told_with_its_last_words(
    script: str, last_words: str, tmp_path: Path
) -> None:
    with talking([sys.executable, "-c", script], tmp_path, {}, Cached(HashedEmbedder())) as gone:
        gone.process.wait()
        with pytest.raises(PeerFailed, match=last_words):
            gone.ask({"look": {"user": "ana", "questions": []}})


def test_a_peer_without_a_model_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_MODEL", "rules")

    with pytest.raises(SystemExit):
        quality.main(["--peer", "neatmem"])

    assert "SLOWWAVE_MODEL" in capsys.readouterr().err


HOMES = (
    (Said("talk", "Ana", "I live in Graz.", FIRST),),
    (Said("talk", "Ana", "I live in Lyon now.", FIRST + timedelta(days=1)),),
)
MOVES = Stream(
    "ana", HOMES, Truth(), FIRST + timedelta(days=9), (), (Question("Who lives in Lyon?"),)
)
MOVED = ((fact("Lives in Graz", subject="Ana"),), (fact("Lives in Lyon", subject="Ana"),))


@contextmanager
def answering(extraction: str) -> Iterator[str]:
    """A model for NeatMem: each candidate is updated by what is new; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            is_extraction = "## New Messages" in asked["messages"][-1]["content"]
            judgments = {"judgments": [{"action": "update", "targetId": 1, "reason": "moved"}]}
            text = extraction if is_extraction else json.dumps(judgments)
            choice = {"index": 0, "message": {"role": "assistant", "content": text}}
            usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
            document = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
            payload = json.dumps({**document, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def played(extraction: str, *, is_given: bool, asks_extraction: bool) -> Any:
    try:
        python_of("neatmem")
    except Missing as missing:
        pytest.skip(str(missing))
    with answering(extraction) as url:
        given = settings.load().model_copy(update={"model": "m", "model_url": url})
        with neatmem(given, Cached(HashedEmbedder()), "replace") as talk:
            return Peer("neatmem", talk, is_given, asks_extraction).play(MOVES, MOVED)


def test_neatmem_holds_what_its_judge_left_and_the_words_that_it_overwrote() -> None:
    found = played("{}", is_given=True, asks_extraction=False)

    (live,) = found.held.live
    (past,) = found.held.past
    assert (live.text, past.text) == ("Ana: Lives in Lyon", "Ana: Lives in Graz")
    assert found.held.heir(past.id) == live
    assert found.looks[-1].hits == (("Ana: Lives in Lyon",),)
    assert (found.costs.calls, found.costs.tokens, found.parked) == (1, 100, 0)


def test_where_its_extraction_is_asked_for_its_costs_our_facts_stand_all_the_same() -> None:
    found = played("{}", is_given=True, asks_extraction=True)

    assert [one.text for one in found.held.live] == ["Ana: Lives in Lyon"]
    assert found.costs.calls == 3


@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```"], ids=["bare", "fenced"])
def test_neatmem_s_own_extraction_is_what_it_heard(form: str) -> None:
    memory = {"memory": [{"id": "0", "text": "User has a cat", "attributed_to": "user"}]}
    found = played(form.replace("{}", json.dumps(memory)), is_given=False, asks_extraction=True)

    assert found.looks[-1].statements == ("Ana: User has a cat",) * 2
    assert [one.text for one in found.held.live] == ["Ana: User has a cat"]


def test_turns_of_a_batch_that_its_model_spoils_are_told() -> None:
    found = played("no JSON", is_given=False, asks_extraction=True)

    assert found.parked == 2
    assert found.held.live == ()
