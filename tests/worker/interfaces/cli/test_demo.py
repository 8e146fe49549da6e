import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from redis import Redis

from schemas.limits import Limits
from worker.adapters.inbox import Inbox

SLOWWAVE = (sys.executable, "-P", "-m", "worker.interfaces.cli.main")


def demo(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Without any setting of ours around it."""
    around = {k: v for k, v in os.environ.items() if not k.startswith(("SLOWWAVE_", "OPENAI_"))}
    given = {"SLOWWAVE_EMBEDDER": "hash", "TMPDIR": str(folder), "HOME": str(folder)}
    return subprocess.run(
        [*SLOWWAVE, "demo", *arguments],
        cwd=folder,
        env=around | given | environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_own_sentences_go_the_whole_way_through_a_real_worker(tmp_path: Path) -> None:
    say = ("--say", "I live in Seattle.", "--say", "I moved to Austin last weekend.")

    done = demo(tmp_path, *say, "--json")

    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert [turn["text"] for turn in told["turns"]] == [say[1], say[3]]
    assert [run["state"] for run in told["runs"]] == ["applied", "applied"]
    assert any("Austin" in memory["text"] for memory in told["memories"])
    assert any("Seattle" in archive["memory"]["text"] for archive in told["archives"])
    assert told["recalled"][0]["memories"]
    assert told["calls"] == {}
    assert told["seconds"] > 0
    assert not list(tmp_path.glob("slowwave-*"))


def test_the_demo_plays_for_a_user_of_its_own_where_a_store_is_set(
    tmp_path: Path, redis_url: str, redis_client: Redis
) -> None:
    fleet = Limits(batch_turns=3, quiet_seconds=0.5, max_pending=77)
    Inbox(redis_client).configure(fleet)
    shared = {
        "SLOWWAVE_REDIS_URL": redis_url,
        "SLOWWAVE_STORE_URL": f"sqlite:///{tempfile.mkdtemp(dir=tmp_path)}/memory.db",
    }

    done = demo(tmp_path, "--say", "I live in Oslo.", **shared)

    assert done.returncode == 0, done.stderr
    assert Inbox(redis_client).stored_limits() == fleet
    assert "English rules" in done.stdout
    assert "SLOWWAVE_MODEL=" in done.stdout
    assert "Oslo" in done.stdout
    assert "--user demo-" in done.stderr


def test_a_demo_that_is_told_to_stop_leaves_nothing_behind(tmp_path: Path) -> None:
    around = {**os.environ, "SLOWWAVE_EMBEDDER": "hash", "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [*SLOWWAVE, "demo"], cwd=tmp_path, env=around, stdout=subprocess.PIPE, text=True
    ) as playing:
        assert playing.stdout
        while not playing.stdout.readline().startswith("run "):
            assert playing.poll() is None
        playing.terminate()
        playing.communicate(timeout=60)

    assert playing.returncode == 130
    assert not list(tmp_path.iterdir())
