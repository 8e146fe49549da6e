"""What adding a conversation costs, and what is then stored, beside other systems: `python -m bench adding`.

Conversations of LoCoMo go through the real pipeline (embedded Redis, SQLite) under several detectors, and through
NeatMem and mem0 where they are installed (`python -m bench peers`), one after the other on the same machine: the same
batches, and the same facts from a stand-in for a model and an embedder that answers at once from the data set's own
annotations. What differs is the system; nothing is said about the quality of a model. A batch's time is from handing
it over until it is stored, the stand-in's share of it included. Then the same conversation is delivered once more:
`again` is what that cost, and what stands afterwards. Tokens are the stand-in's estimate, the same for each system.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.adding import ours
from bench.adding.row import Delivered, Row, beside, row_of
from bench.adding.talk import Talk
from bench.adding.theirs import PEERS, Broken, Peer
from bench.peers.homes import PACKAGES, Missing
from bench.stand_in import PROGRAM, Counts, StandIn, standing
from worker import log
from worker.core.groups.setting import RESOLVERS, DetectorName, Resolver
from worker.core.judging.detectors import DETECTORS
from worker.settings import Settings

SYSTEM = "slowwave"
#: What a row is called by; the rest are figures.
NAMES = frozenset(("system", "way", "conversation"))
WIDTH = 170
#: How the usual way of adding is called.
USUAL = " + ".join(str(Settings.model_fields[of].default) for of in ("detector", "resolver"))

WAYS: Sequence[DetectorName] = ("batchwise", "listwise", "pointwise", "add_only")


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    needed = [options.data, options.tools / PROGRAM]
    if missing := [str(path) for path in needed if not path.is_file()]:
        print(f"not there: {', '.join(missing)}; see --help", file=sys.stderr)
        return 2
    samples = {one["sample_id"]: one for one in json.loads(options.data.read_text())}
    if unknown := sorted(set(options.conversation) - samples.keys()):
        print(
            f"no conversation {', '.join(unknown)}: there are {', '.join(samples)}", file=sys.stderr
        )
        return 2
    log.configure("error")
    talks = [Talk.of(samples[name], options.sessions) for name in options.conversation]
    with standing(options.tools, options.data) as stand_in:
        found = [*_ours(stand_in, talks, options), *_theirs(stand_in, talks, options.peer)]
    rows = beside(found, (SYSTEM, USUAL))
    if options.json:
        print(json.dumps([asdict(row) for row in rows]))
    else:
        _show(rows)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench adding",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        help="locomo10.json (repository snap-research/locomo, CC BY-NC 4.0)",
    )
    parser.add_argument("--tools", type=Path, required=True, help=f"folder of {PROGRAM}")
    parser.add_argument(
        "--conversation", action="append", help="sample id, repeatable (default: conv-26)"
    )
    parser.add_argument("--sessions", type=int, help="of each, the first so many (default: all)")
    parser.add_argument(
        "--every", action="store_true", help="every detector × resolver of ours, not only the usual"
    )
    parser.add_argument(
        "--peer",
        nargs="*",
        choices=[*PACKAGES, "none"],
        help="(default: all that are installed; none leaves them out)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    options.conversation = options.conversation or ["conv-26"]
    options.peer = list(PACKAGES) if options.peer is None else options.peer
    return options


def _ours(stand_in: StandIn, talks: Sequence[Talk], options: argparse.Namespace) -> Iterator[Row]:
    resolvers: Sequence[Resolver] = list(RESOLVERS) if options.every else ["rewrite"]
    with ours.opened(stand_in.url) as slowwave:
        for detector, resolver in product(DETECTORS if options.every else WAYS, resolvers):
            one = slowwave.under(detector, resolver)
            for talk in talks:
                print(f"{SYSTEM} {one.way}: {talk.name}", file=sys.stderr, flush=True)
                yield _told((SYSTEM, one.way), talk, stand_in, lambda: one.deliver(talk))  # noqa: B023 - called at once


def _theirs(stand_in: StandIn, talks: Sequence[Talk], names: Sequence[str]) -> Iterator[Row]:
    """A peer that is not there or breaks is told of, and left out."""
    for peer, talk in product([one for one in PEERS if one.name in names], talks):
        print(f"{peer.system} {peer.way}: {talk.name}", file=sys.stderr, flush=True)
        try:
            yield _of_peer(peer, talk, stand_in)
        except (Missing, Broken) as error:
            print(f"left out: {error}", file=sys.stderr)


def _of_peer(peer: Peer, talk: Talk, stand_in: StandIn) -> Row:
    with (
        tempfile.TemporaryDirectory(prefix="slowwave-bench-", ignore_cleanup_errors=True) as name,
        peer.opened(talk, stand_in.url, Path(name) / "peer") as running,
    ):
        return _told((peer.system, peer.way), talk, stand_in, running.deliver)


def _told(
    who: tuple[str, str], talk: Talk, stand_in: StandIn, deliver: Callable[[], Delivered]
) -> Row:
    """Twice the same."""
    first, again = (_counted(stand_in, deliver) for _ in range(2))
    return row_of(who, talk, first, again)


def _counted(stand_in: StandIn, deliver: Callable[[], Delivered]) -> tuple[Delivered, Counts]:
    before = stand_in.counts()
    came = deliver()
    return came, stand_in.counts() - before


def _show(rows: Sequence[Row]) -> None:
    """A table for each conversation, with a column for each system."""
    figures = [one.name for one in fields(Row) if one.name not in NAMES]
    for talk in dict.fromkeys(row.conversation for row in rows):
        mine = [row for row in rows if row.conversation == talk]
        table = Table(title=talk, title_justify="left")
        table.add_column("", no_wrap=True)
        for row in mine:
            table.add_column(f"{row.system}\n{row.way}", justify="right")
        for name in figures:
            values = (getattr(row, name) for row in mine)
            told = ("–" if value is None else f"{value:,}" for value in values)
            table.add_row(name.replace("_", " "), *told)
        Console(width=WIDTH).print(table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
