"""How often a model gets it right: `python -m bench model`, with `SLOWWAVE_MODEL` and `SLOWWAVE_MODEL_URL` set.

Small conversations of our own (`cases.json` here) go through the real pipeline, on an embedded Redis and a SQLite
store in a folder that is gone afterwards; the other settings are as they are in the environment. Without a model the
rules are asked. Rates are reported as they are: the exit code only says whether every case was tried.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from bench.model.marks import Case, Cases, load
from bench.model.trial import Result, opened
from worker import log, settings
from worker.errors import SlowwaveError
from worker.settings import Settings


def main(arguments: Sequence[str]) -> int:
    cases = load()
    themes = list(dict.fromkeys(case.theme for case in cases.cases))
    parser = argparse.ArgumentParser(prog="python -m bench model", description=__doc__)
    parser.add_argument("--theme", action="append", choices=themes, help="only this (repeatable)")
    parser.add_argument("--each", type=int, metavar="N", help="only the first N of each theme")
    parser.add_argument("--json", action="store_true", help="one document, with every case")
    options = parser.parse_args(arguments)
    log.configure("warning")
    chosen = [
        case
        for theme in options.theme or themes
        for case in [one for one in cases.cases if one.theme == theme][: options.each]
    ]
    try:
        given = settings.load()
        results = _run(given, cases, chosen)
    except SlowwaveError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    tell = _document if options.json else _table
    print(tell(given, results))
    return 0


def _run(given: Settings, cases: Cases, chosen: Sequence[Case]) -> list[Result]:
    """Each case is told on stderr as soon as it is done: a slow model takes its time."""
    results = []
    with opened(given) as trial:
        for case in chosen:
            result = trial.run(cases, case)
            verdict = "; ".join(result.faults) or "passed"
            print(f"{case.theme}: {case.name}: {verdict}", file=sys.stderr, flush=True)
            results.append(result)
    return results


def _document(given: Settings, results: Sequence[Result]) -> str:
    document = {
        "model": given.model,
        "embedder": given.embedder,
        "detector": given.detector,
        "themes": [_sums(theme, some) for theme, some in _by_theme(results)],
        "cases": [{"passed": not one.faults, **asdict(one)} for one in results],
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _table(given: Settings, results: Sequence[Result]) -> str:
    rows = [_sums(theme, some) for theme, some in [*_by_theme(results), ("all", results)]]
    names = list(rows[0])
    lines = [f"model {given.model}, embedder {given.embedder}, detector {given.detector}"]
    lines.append("".join(f"{name:>12}" for name in names))
    lines += ["".join(f"{row[name]!s:>12}" for name in names) for row in rows]
    return "\n".join(lines)


def _by_theme(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    themes = dict.fromkeys(result.theme for result in results)
    return [(theme, [one for one in results if one.theme == theme]) for theme in themes]


def _sums(theme: str, results: Sequence[Result]) -> dict[str, str | float]:
    return {
        "theme": theme,
        "passed": sum(not one.faults for one in results),
        "of": len(results),
        "calls": sum(one.calls for one in results),
        "tokens": sum(one.tokens for one in results),
        "asked again": sum(one.again for one in results),
        "parked": sum(one.parked for one in results),
        "seconds": round(sum(one.seconds for one in results), 1),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
