"""The bench of adding hands every system the same batches, twice, and counts what that came to."""

import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as bench
from bench.adding import passes, theirs
from bench.adding.row import Delivered, Row, beside, row_of
from bench.adding.talk import Talk
from bench.adding.theirs import PEERS, Broken, Peer
from bench.peers.homes import PACKAGES
from bench.stand_in import PROGRAM, Counts


def session(n: int, turns: int) -> dict[str, Any]:
    said = [
        {
            "speaker": ("Ann", "Bo")[at % 2],
            "dia_id": f"D{n}:{at}",
            "text": f"Crate {n}-{at} is blue.",
        }
        for at in range(turns)
    ]
    return {f"session_{n}_date_time": f"1:56 pm on {n} May, 2023", f"session_{n}": said}


SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {"speaker_a": "Ann", "speaker_b": "Bo", **session(1, 12), **session(2, 3)},
}

#: Answers as the stand-in does, of which one text is one fact; only what the bench asks of it.
SERVER = """
import json, sys
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

stats = {"jobs": {}, "embeddings": {"calls": 0}}

def reply(schema, document):
    if schema == "extraction":
        return {"facts": [{"text": one["text"], "subject": one["speaker"], "attribute": None, "kind": "fact",
                           "volatile": False, "turns": [one["id"]], "happened_at": None, "until": None}
                          for one in document["turns"]]}
    if schema == "pair":
        return {"why": "no", "relation": "separate"}
    return {"groups": [], "new": [one["id"] for one in document["facts"]]}

def vector(text, width):
    return [float(hash(text) % width == n) for n in range(width)]

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.say(stats)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/embeddings"):
            stats["embeddings"]["calls"] += 1
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            width = asked.get("dimensions") or 384
            return self.say({"object": "list", "model": "x", "usage": {"prompt_tokens": 1, "total_tokens": 1}, "data": [
                {"object": "embedding", "index": at, "embedding": vector(text, width)}
                for at, text in enumerate(texts)]})
        job = asked["response_format"]["json_schema"]["name"]
        counts = stats["jobs"].setdefault(job, {"calls": 0, "user_tokens": 0})
        counts["calls"] += 1
        counts["user_tokens"] += 100
        said = json.dumps(reply(job, json.loads(asked["messages"][1]["content"])))
        self.say({"id": "x", "object": "chat.completion", "created": 0, "model": "x", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})

    def say(self, document):
        payload = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
server.serve_forever()
"""

#: A peer that stores every message, copies and all; after the word it breaks.
DRIVER = """
import sys
from pathlib import Path
from bench.adding.passes import serve

stored = []
print("a word of its own")

def add(batch):
    if len(stored) >= {most}:
        raise ValueError("no room")
    stored.extend(one["content"] for one in batch["messages"])

serve(Path(sys.argv[1]), add, lambda: stored)
"""


def row(system: str, way: str, ms: float, conversation: str = "conv-1") -> Row:
    came = (Delivered([ms / 1000], []), Counts())
    return row_of((system, way), Talk(conversation, [[{}]], "Ann"), came, came)


def test_a_batch_holds_ten_turns_of_one_session_at_most() -> None:
    talk = Talk.of(SAMPLE)

    assert [len(batch) for batch in talk.batches] == [10, 2, 3]
    assert talk.turns == 15
    assert [{turn["conversation"] for turn in batch} for batch in talk.batches] == [
        {"session_1"},
        {"session_1"},
        {"session_2"},
    ]


def test_fewer_sessions_may_be_taken() -> None:
    assert Talk.of(SAMPLE, 1).turns == 12


def test_peers_are_told_the_same_words_with_the_roles_that_they_know() -> None:
    first, *_ = Talk.of(SAMPLE).messages()

    assert first["date"] == "2023-05-01T13:56:00+00:00"
    assert first["messages"][:2] == [
        {"role": "user", "content": "Ann: Crate 1-0 is blue."},
        {"role": "assistant", "content": "Bo: Crate 1-1 is blue."},
    ]


def test_what_was_asked_between_two_looks_is_counted() -> None:
    first, then = (
        Counts.of(
            {
                "jobs": {"judge": {"calls": n, "system_tokens": 5 * n, "reply_tokens": n}, **more},
                "embeddings": {"calls": 2 * n},
            }
        )
        for n, more in ((1, {}), (4, {"merge": {"calls": 1, "user_tokens": 7}}))
    )

    assert then - first == Counts({"judge": 3, "merge": 1}, 25, 6)


def test_copies_are_what_is_stored_in_equal_words() -> None:
    assert Delivered([], ["Ann likes tea.", "ann likes tea", "Ann likes rye."]).copies == 1


def test_a_row_tells_costs_by_the_batch_and_both_deliveries_apart() -> None:
    talk = Talk.of(SAMPLE)
    first = Delivered([0.010, 0.020, 0.030], ["a", "b"], archived=1, flagged=0)
    again = Delivered([0.001, 0.001, 0.001], ["a", "b", "b"])

    found = row_of(
        ("x", "y"),
        talk,
        (first, Counts({"extract": 3, "judge": 3}, 300, 6)),
        (again, Counts({"extract": 3})),
    )

    assert (found.calls_per_batch, found.tokens_per_batch, found.embedding_calls_per_batch) == (
        2,
        100,
        2,
    )
    assert (found.ms_p50, found.ms_p99, found.turns_per_second) == (20, 30, 250)
    assert (found.stored, found.copies, found.archived) == (2, 0, 1)
    assert (found.again_calls, found.again_stored, found.again_copies) == (3, 3, 1)


def test_each_is_held_against_our_usual_way_on_the_same_conversation() -> None:
    rows = [row("ours", "usual", 20), row("peer", "x", 50), row("peer", "x", 50, "conv-2")]

    assert [one.times_ours for one in beside(rows, ("ours", "usual"))] == [1, 2.5, None]


def test_every_peer_is_one_that_can_be_installed() -> None:
    assert {one.name for one in PEERS} == PACKAGES.keys()


def test_a_driver_goes_over_all_batches_for_each_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "batches.json").write_text(json.dumps([{"n": 1}, {"n": 2}]))
    answers, stored = io.StringIO(), list[str]()
    monkeypatch.setattr(sys, "stdin", io.StringIO("again\nagain\n"))
    monkeypatch.setattr(sys, "stdout", answers)

    passes.serve(
        tmp_path / "batches.json", lambda one: stored.append(str(one["n"])), lambda: stored
    )

    first, again = (json.loads(one) for one in answers.getvalue().splitlines())
    assert first["texts"] == ["1", "2"]
    assert again["texts"] == ["1", "2", "1", "2"]
    assert len(first["seconds"]) == 2


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes one that stores so many messages."""

    def made(most: int) -> Peer:
        script = tmp_path / "driver.py"
        script.write_text(DRIVER.replace("{most}", str(most)))
        starter = tmp_path / "python"
        root = Path(__file__).parent.parent.parent
        starter.write_text(
            f'#!/bin/sh\nshift 2\nPYTHONPATH={root} exec {sys.executable} {script} "$@"\n'
        )
        starter.chmod(0o755)
        monkeypatch.setattr(theirs, "python_of", lambda _: starter)
        return Peer("mem0", "add", "a.driver")

    return made


def test_a_peer_is_told_twice_and_keeps_its_store_in_between(peer: Any, tmp_path: Path) -> None:
    talk = Talk.of(SAMPLE)

    with peer(100).opened(talk, "http://x/v1", tmp_path / "run") as running:
        first, again = running.deliver(), running.deliver()

    assert (len(first.texts), first.copies, len(first.seconds)) == (15, 0, 3)
    assert (len(again.texts), again.copies) == (30, 15)


def test_a_peer_that_breaks_says_its_last_words(peer: Any, tmp_path: Path) -> None:
    with (
        peer(5).opened(Talk.of(SAMPLE), "http://x/v1", tmp_path / "run") as running,
        pytest.raises(Broken, match="ValueError: no room"),
    ):
        running.deliver()


@pytest.fixture
def folders(tmp_path: Path) -> Sequence[str]:
    (tmp_path / PROGRAM).write_text(SERVER)
    (tmp_path / "locomo10.json").write_text(json.dumps([SAMPLE]))
    return ("--tools", str(tmp_path), "--data", str(tmp_path / "locomo10.json"))


def test_the_same_conversation_again_costs_us_nothing_and_changes_nothing(
    folders: Sequence[str], capsys: pytest.CaptureFixture[str], redis_program: Path
) -> None:
    assert (
        bench.main(["adding", *folders, "--conversation", "conv-1", "--peer", "none", "--json"])
        == 0
    )

    rows: list[Mapping[str, Any]] = json.loads(capsys.readouterr().out)
    assert [one["way"].split()[0] for one in rows] == [
        "batchwise",
        "listwise",
        "pointwise",
        "add_only",
    ]
    for one in rows:
        assert (one["turns"], one["batches"], one["stored"], one["copies"]) == (15, 3, 15, 0)
        assert (one["again_calls"], one["again_stored"], one["again_copies"]) == (0, 15, 0)
    assert rows[0]["times_ours"] == 1


def test_a_peer_that_is_not_installed_is_left_out_and_said(
    folders: Sequence[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    redis_program: Path,
) -> None:
    monkeypatch.setattr("bench.peers.homes.cache_folder", lambda: tmp_path / "cache" / "x")

    assert (
        bench.main(
            ["adding", *folders, "--conversation", "conv-1", "--peer", "mem0", "--sessions", "1"]
        )
        == 0
    )

    said = capsys.readouterr()
    assert "left out: mem0 is not installed" in said.err
    assert "again stored" in said.out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--tools", "nowhere", "--data", "nothing.json"), "nothing.json, nowhere/locomo_model.py"),
        (None, "conv-9"),
    ],
    ids=["no files", "no such conversation"],
)
def test_what_is_missing_is_said(
    folders: Sequence[str],
    capsys: pytest.CaptureFixture[str],
    given: Sequence[str] | None,
    told: str,
) -> None:
    assert bench.main(["adding", *(given or folders), "--conversation", "conv-9"]) == 2

    assert told in capsys.readouterr().err
