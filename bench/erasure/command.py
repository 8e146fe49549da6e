"""What is left in the bytes of every file when something was forgotten or erased: `python -m bench erasure`.

A scope learns two things, each with a word of its own in the live memory, in an earlier version, in words that a run
keeps, in a judge's reason and in a turn kept as context; crates stand beside them. A turn is put aside, one waits, and
a plan is kept from a crash. One memory is forgotten, later the scope is erased. After each step all files of the store
and of the embedded Redis (append-only file on) are searched for the words, and the values of all keys. A neighbour's
words show what the search can see. On SQLite, and on a Weaviate server of the bench's own where there is one.

What the makers promise. SQLite: deleted content is only marked as free unless `secure_delete` is on, which overwrites
it with zeros in the file, not in the log (WAL) before a checkpoint empties that; `VACUUM` writes the file anew.
Weaviate: objects are written to logs and to segments that never change; what was deleted or replaced goes when they are
compacted, with no time given; a tenant is a shard, and its files go with it. Redis: the append-only file holds every
command until a rewrite (`BGREWRITEAOF`, or by itself once it has doubled, from 64 MB on) makes it from what is in
memory. None of them speaks of the blocks of a disk, nor of backups.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import SystemRandom

from redis import Redis
from rich.console import Console
from rich.table import Table

from bench.erasure.search import Finding, columns, left, search
from bench.erasure.story import GROUPS, Scene, Story
from bench.scripted_model import ScriptedModel
from deploy.weaviate_process import Place, free_block, launch, ready, stop
from deploy.weaviate_server import find, working
from producers.producer import Producer
from worker import log, wiring
from worker.adapters.redis_server import connect
from worker.settings import Settings

STORES = ("sqlite", "weaviate")
WIDTH = 130
REWRITE_SECONDS = 30.0

#: A rewrite that runs, and one that waits for its turn.
REWRITING = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")

#: Step → what was found after it.
Findings = dict[str, Finding]
Act = Callable[[Scene], None]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench erasure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--store", action="append", choices=STORES, help="repeatable (both)")
    parser.add_argument("--crates", type=int, default=50, help="other memories of a scope (50)")
    parser.add_argument(
        "--patience", type=float, default=20, help="seconds for Weaviate to compact (20)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    options = parser.parse_args(arguments)
    log.configure("error")
    found: dict[str, Findings] = {}
    for store in options.store or STORES:
        if store == "weaviate" and find() is None:
            print("no Weaviate server: run `python -m deploy.weaviate_server get`", file=sys.stderr)
            continue
        found[store] = _told(store, options.crates, options.patience)
    if options.json:
        print(json.dumps(found))
    else:
        for store, findings in found.items():
            _show(store, findings)
    return 0


def _told(store: str, crates: int, patience: float) -> Findings:
    story = Story.new(SystemRandom(), crates)
    findings: Findings = {}
    with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        model = stack.enter_context(ScriptedModel(story.scribe.answer, lambda: 0.0))
        place = Place(working(), folder / "weaviate", free_block()) if store == "weaviate" else None

        steps = _steps(story, patience if place else 0)
        with _open(folder, model.url, place) as scene:
            for step, act in steps.items():
                act(scene)
                findings[step] = search(folder, scene.redis, story.words)
        with _open(folder, model.url, place) as scene:
            for step, act in _afterwards(story, patience if place else 0).items():
                act(scene)
                findings[step] = search(folder, scene.redis, story.words)
            story.check(scene)
    return findings


def _steps(story: Story, patience: float) -> dict[str, Act]:
    return {
        "learned": story.learn,
        "store rested": _rest,
        "one forgotten": story.forget,
        "some time later": partial(_wait, story, patience),
        "store rested again": _rest,
        "Redis rewritten": _rewrite,
        "crashed": story.crash,
        "scope erased": story.erase,
        "Redis rewritten again": _rewrite,
    }


def _afterwards(story: Story, patience: float) -> dict[str, Act]:
    return {"restarted": story.check, "at the end": partial(_wait, story, patience)}


def _rest(scene: Scene) -> None:
    """What a worker has the store do from time to time: SQLite is written anew, Weaviate puts both scopes to rest."""
    scene.parts.store.rest()


def _wait(story: Story, seconds: float, scene: Scene) -> None:
    """With both scopes awake: what rests is not compacted."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        story.read(scene)
        time.sleep(1)


@contextmanager
def _open(folder: Path, model_url: str, place: Place | None) -> Iterator[Scene]:
    """Everything under the folder runs while this is entered, and may be entered again."""
    with ExitStack() as stack:
        store_url = None
        if place:
            process = launch(place)
            stack.callback(stop, process)
            store_url = ready(place, process).url
        settings = Settings(
            model="scribe",
            model_url=model_url,
            model_key="none",
            embedder="hash",
            embedder_dimensions=64,
            store_url=store_url,
            # Whatever was not touched just now may rest, and a crashed batch is soon another's.
            store_rest_seconds=0.001,
            lease_seconds=3,
            resolver="replace",
            threshold=-1,
            data_dir=folder,
            _env_file=None,
        )
        stack.callback(wiring.close)
        parts = wiring.open_parts(settings)
        parts.inbox.configure(settings.limits)
        url = wiring.redis_url(settings)
        # As a server that others share: its file is then rewritten by nobody but this bench.
        parts = replace(parts, settings=settings.model_copy(update={"redis_url": url}))
        producer = stack.enter_context(Producer(url))
        yield Scene(parts, producer, stack.enter_context(connect(url)))


def _rewrite(scene: Scene) -> None:
    """Have the append-only file made from what is in memory, uncompressed so that words in it are seen."""
    redis = scene.redis
    redis.config_set("rdbcompression", "no")
    # Erasing may have begun one already.
    _wait_for_rewrite(redis)
    redis.bgrewriteaof()
    _wait_for_rewrite(redis)
    # The files from before are removed in the background.
    time.sleep(0.2)


def _wait_for_rewrite(redis: Redis) -> None:
    until = time.monotonic() + REWRITE_SECONDS
    while any(redis.info("persistence")[name] for name in REWRITING):
        if time.monotonic() > until:
            raise TimeoutError("Redis does not end its rewrite")
        time.sleep(0.1)


def _show(store: str, findings: Findings) -> None:
    places = columns(findings.values())
    title = f"{store}: words found of what was forgotten / of the rest of the erased scope / of the neighbour"
    table = Table(title=title, title_justify="left")
    for heading in ("", *places):
        table.add_column(heading)
    for step, finding in findings.items():
        table.add_row(step, *(_cell(finding.get(place)) for place in places))
    Console(width=WIDTH).print(table)
    last = findings[[*findings][-1]]
    for group in GROUPS[:-1]:
        print(f"at the end, {group}: {left(last, group) or 'nothing'}")


def _cell(found: dict[str, list[str]] | None) -> str:
    return "" if found is None else " / ".join(str(len(found[group]) or "–") for group in GROUPS)
