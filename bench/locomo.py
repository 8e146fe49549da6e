"""One conversation of LoCoMo as turns on lines: `python -m bench.locomo FILE --conversation conv-26`.

The data set is not part of this project; `worker.core.evaluating.locomo` says what is taken from it and how.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from worker.core.evaluating.locomo import WHERE, turns


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.locomo", description=__doc__)
    parser.add_argument("file", type=Path, help="where locomo10.json is")
    parser.add_argument("--conversation", default="conv-26", help="sample id (default: conv-26)")
    options = parser.parse_args(arguments)
    if not options.file.is_file():
        return _say(f"{options.file} is not there: {WHERE}")
    samples = {sample["sample_id"]: sample for sample in json.loads(options.file.read_text())}
    if options.conversation not in samples:
        return _say(f"no conversation {options.conversation!r}: there are {', '.join(samples)}")
    for turn in turns(samples[options.conversation]):
        print(json.dumps(turn, ensure_ascii=False))
    return 0


def _say(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
