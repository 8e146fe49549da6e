"""One conversation of LoCoMo as turns on lines: `python -m bench.locomo FILE --conversation conv-26`.

The data set (Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents") is
`data/locomo10.json` in the repository snap-research/locomo, under CC BY-NC 4.0, so it is not part of this
project. Image captions are left out: only what was said is text. A session has one time, in no zone: it is
read as UTC, and each turn is a second later than the one before, so that their order is their time.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

WHEN = "%I:%M %p on %d %B, %Y"


def turns(sample: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The turns of one sample, in the order they were said."""
    talk = sample["conversation"]
    for n in count(1):
        session = f"session_{n}"
        if session not in talk:
            return
        began_at = datetime.strptime(talk[f"{session}_date_time"], WHEN).replace(tzinfo=UTC)
        for place, said in enumerate(talk[session]):
            yield {
                "app": "locomo",
                "user": sample["sample_id"],
                "conversation": session,
                "role": "user",
                "speaker": said["speaker"],
                "text": said["text"],
                "said_at": (began_at + timedelta(seconds=place)).isoformat(),
                "id": said["dia_id"],
            }


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.locomo", description=__doc__)
    parser.add_argument("file", type=Path, help="where locomo10.json is")
    parser.add_argument("--conversation", default="conv-26", help="sample id (default: conv-26)")
    options = parser.parse_args(arguments)
    if not options.file.is_file():
        return _say(
            f"{options.file} is not there: get data/locomo10.json from the repository"
            " snap-research/locomo (CC BY-NC 4.0) and name the path of your copy"
        )
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
