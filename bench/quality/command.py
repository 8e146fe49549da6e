"""How good the store is: `python -m bench quality`.

Streams of which the truth is known go through the real pipeline (embedded Redis, SQLite) under the settings of the
environment; then the store is compared with the truth. Beside it, on the same facts: keeping all (`add only`), what has
the same subject and attribute gives way (`same slot`), and the nearest gives way from a cosine on (`cosine`, with the
threshold that does best on this very set, which flatters it). What extraction did not find counts against nobody:
`right` is of what was heard. What a contestant keeps no account of, or is not asked of anybody, is shown as –.

Sets: `made` (our own, by `--seed`), `fc-6k` and `fc-32k` (FactConsolidation), `amb` (AutoMemoryBench, looked at three
times: after an update, after a request to delete or to retain, and in the end). `--questions` also asks what the two
data sets ask of their streams, and looks for the letters of the answer in what comes up first: from recall, the peer's
own search, or for the rules by cosine alone.

`--peer neatmem` lets another system take part (`python -m bench peers` installs it). It is given the same batches, our
embedder and the model that is set, and where turns are verbatim or a stand-in answers, our facts.

`--verbatim` takes each turn of a person for one fact of which the speaker is the subject, so that only judging is
measured: for models, as the rules trust a subject. With `--tools` a stand-in for a model answers by overlap of words:
it shows the machinery, and nothing about any model. On an endpoint that costs, `--limit` bounds the run: a person of
`made` has some 60 turns, a case of `amb` 30, and the others are counted in sentences.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

from bench.peers import homes
from bench.quality import sets as quality_sets
from bench.quality.peer import PeerResolver
from bench.quality.running import Entrants, rows
from bench.quality.table import show
from bench.quality.talk import PeerFailed
from bench.stand_in import PROGRAM, standing
from worker import log, settings
from worker.core.groups.setting import DetectorName, Resolver
from worker.errors import SlowwaveError
from worker.settings import Settings

#: What is called a model and asks none.
NO_MODEL = "rules"


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    log.configure("error")
    try:
        sets = quality_sets.chosen(quality_sets.options_of(options))
        with _settings(options) as given:
            found = list(rows(given, sets, _entrants(options, given)))
    except (quality_sets.Missing, homes.Missing, PeerFailed, SlowwaveError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([row.figures() for row in found], ensure_ascii=False))
    else:
        show(found, _note(options, given))
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    quality_sets.add_to(parser)
    for name, choices in (
        ("detector", get_args(DetectorName)),
        ("resolver", get_args(Resolver)),
        ("peer-resolver", get_args(PeerResolver)),
    ):
        parser.add_argument(
            f"--{name}",
            action="append",
            choices=choices,
            help="repeatable (default: the setting's; the peer's is rewrite, or replace where a stand-in answers)",
        )
    parser.add_argument("--peer", choices=["neatmem"], help="a system that takes part")
    parser.add_argument("--verbatim", action="store_true", help="each turn of a person is a fact")
    parser.add_argument("--tools", type=Path, metavar="FOLDER", help=f"of {PROGRAM}, to be asked")
    parser.add_argument("--locomo", type=Path, metavar="FILE", help=f"locomo10.json, for {PROGRAM}")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    options = parser.parse_args(arguments)
    if options.tools and not (options.locomo and (options.tools / PROGRAM).is_file()):
        parser.error(f"--tools has to be a folder with {PROGRAM}, and --locomo its data")
    if options.peer and not options.tools and settings.load().model == NO_MODEL:
        parser.error("--peer asks a model: set SLOWWAVE_MODEL and its address, or give --tools")
    return options


def _entrants(options: argparse.Namespace, given: Settings) -> Entrants:
    """A stand-in puts no words together for the peer, so its text would say nothing under `rewrite`."""
    usual: list[PeerResolver] = ["replace" if options.tools else "rewrite"]
    return Entrants(
        detectors=options.detector or [given.detector],
        resolvers=options.resolver or [given.resolver],
        peers=(options.peer_resolver or usual) if options.peer else [],
        is_verbatim=options.verbatim,
        is_own=not (options.verbatim or options.tools),
    )


def _note(options: argparse.Namespace, given: Settings) -> str:
    """What all of them shared."""
    model = "a stand-in that judges by overlap of words" if options.tools else given.model
    alone = (
        " its own extraction," if not (options.verbatim or options.tools) else " the same facts,"
    )
    peer = f"; neatmem: the same turns and batches,{alone} the same embedder and model"
    return f"model: {model}; embedder: {given.embedder}, its time left out{peer if options.peer else ''}"


@contextmanager
def _settings(options: argparse.Namespace) -> Iterator[Settings]:
    """Those of the environment; with the stand-in's address, which runs while this is entered."""
    given = settings.load()
    if not options.tools:
        yield given
        return
    with standing(options.tools, options.locomo) as stand_in:
        yield given.model_copy(update={"model": "locomo", "model_url": stand_in.url})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
