"""How accurate a judge is, and what its errors do to a memory: `python -m bench judge`.

Labelled batches of our own in ten languages (`bench/judge/data`), and with --pairs labelled pairs of others, go through
candidates, judge and plan as the facts of any batch do, with the model of the settings (`SLOWWAVE_MODEL`,
`SLOWWAVE_MODEL_URL`) and their embedder; without a model the rules judge. Nothing is stored: harm is counted in the
plan, which is what would be done.
Several --detector stand side by side, such as batchwise beside pointwise; with --facts 1 5 10 batchwise is put so many
facts a batch, of items that are offered nothing of each other, so that fewer calls are never bought blindly. Rates are
reported as they are: the exit code only says whether every item was tried.

A file of pairs has a JSON object a line: `id`, `source`, `older`, `newer`, `older_at`, `newer_at` and `label` (`same`,
`update`, `contradict`, `separate`). None is part of this project.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.judge.batches import batches
from bench.judge.items import BadItems, Item, read_items
from bench.judge.marks import Result
from bench.judge.pairs import read_pairs
from bench.judge.report import document, tables
from bench.judge.rules import read_sayings
from bench.judge.trial import Cached, Trial
from worker import log, settings, wiring
from worker.core.groups.setting import RESOLVERS
from worker.core.judging.detectors import DETECTORS
from worker.errors import SlowwaveError
from worker.settings import Settings
from worker.thinking import policy, reach_of

FOLDER = Path(__file__).parent / "data"
#: Items between two words of progress.
EVERY = 20


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    log.configure("error")
    try:
        chosen = chosen_of(options)
        given = settings.load().model_copy(
            update={"resolver": options.resolver} if options.resolver else {}
        )
        results = _run(given, options.detector or [given.detector], chosen, options.facts)
    except BadItems as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except SlowwaveError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    tell = document if options.json else tables
    tell(given, results)
    return 0


def own_items() -> list[Item]:
    """All items of the project."""
    return [*read_items(FOLDER / "by_hand.jsonl"), *read_sayings(FOLDER / "sayings.jsonl")]


def chosen_of(options: argparse.Namespace) -> list[Item]:
    """The items that the options leave. Raises `BadItems` where there are none."""
    items = [] if options.only_pairs else own_items()
    items += read_pairs(options.pairs, options.pairs_language)
    kinds, languages = (
        _known(options.kinds, {one.kind for one in items}, "kind"),
        _known(options.languages, {one.language for one in items}, "language"),
    )
    kept = [one for one in items if one.kind in kinds and one.language in languages]
    found = _spread(kept, options.limit)
    if not found:
        raise BadItems("no items are left: see --kinds, --languages, --limit and --pairs")
    return found


def _known(asked: Sequence[str] | None, there: set[str], what: str) -> set[str]:
    """Those that were asked for, or all."""
    if unknown := sorted(set(asked or ()) - there):
        raise BadItems(
            f"there is no {what} {', '.join(unknown)}: there are {', '.join(sorted(there))}"
        )
    return set(asked or there)


def _spread(items: Sequence[Item], limit: int | None) -> list[Item]:
    """So many, taken evenly from all."""
    if limit is None or limit >= len(items):
        return list(items)
    return [items[at * len(items) // limit] for at in range(limit)]


def _run(
    given: Settings, detectors: Sequence[str], items: Sequence[Item], facts: Sequence[int]
) -> Mapping[str, list[Result]]:
    """Results of each detector. Raises what the settings' parts raise."""
    with ExitStack() as opened:
        embedder, model = wiring.open_the_embedder(given), wiring.open_model(given)
        opened.callback(embedder.close)
        opened.callback(model.close)
        cached = Cached(embedder, {})
        cached.embed([said.text for item in items for said in item.said.values()])
        found = {}
        for name, (under, size) in _columns(given, detectors, facts).items():
            judging = wiring.judging_of(under, embedder)
            trial = Trial(model, judging, cached, reach_of(under, embedder), policy(under))
            found[name] = _tried(name, trial, batches(items, size))
        return found


def _columns(
    given: Settings, detectors: Sequence[str], facts: Sequence[int]
) -> dict[str, tuple[Settings, int | None]]:
    """By the name of what judges: settings, and facts of a batch.

    The rules look at all facts at once, whatever the detector, and find the same in batches of any size, as do
    detectors that ask about single facts.
    """
    if given.model == "rules":
        return {"rules": (given.model_copy(update={"detector": "batchwise"}), None)}
    found: dict[str, tuple[Settings, int | None]] = {}
    for name in detectors:
        under = given.model_copy(update={"detector": name})
        if facts and name == "batchwise":
            found |= {f"{name} × {size}": (under, size) for size in facts}
        else:
            found[name] = under, None
    return found


def _tried(name: str, trial: Trial, todo: Sequence[Sequence[Item]]) -> list[Result]:
    results: list[Result] = []
    told, count = 0, sum(map(len, todo))
    for items in todo:
        results += trial.batch(items)
        if len(results) >= told + EVERY or len(results) == count:
            told = len(results)
            right = sum(one.is_right for one in results)
            print(f"{name}: {told} of {count}, {right} right", file=sys.stderr, flush=True)
    return results


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench judge",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--detector",
        action="append",
        choices=[name for name, one in DETECTORS.items() if not one.adds_only],
        help="repeatable (default: that of the settings)",
    )
    parser.add_argument(
        "--facts",
        type=_positive,
        nargs="+",
        default=[],
        metavar="N",
        help="facts of a batch, for batchwise (each item is one batch)",
    )
    parser.add_argument("--resolver", choices=RESOLVERS, help="(that of the settings)")
    parser.add_argument(
        "--pairs",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="also the labelled pairs of this file, or of the .jsonl files of this folder (repeatable)",
    )
    parser.add_argument("--pairs-language", default="en", help="what they are in (en)")
    parser.add_argument("--only-pairs", action="store_true", help="none of our own items")
    parser.add_argument("--kinds", nargs="+", metavar="KIND", help="only items of these kinds")
    parser.add_argument("--languages", nargs="+", metavar="CODE", help="only items in these")
    parser.add_argument("--limit", type=_positive, metavar="N", help="N items, evenly from all")
    parser.add_argument("--json", action="store_true", help="one document, with every item")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
