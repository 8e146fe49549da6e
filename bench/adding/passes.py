"""How a driver of a peer is told to go over its batches; needs nothing but the standard library.

Each line on standard input is one pass. The answer is a JSON object on a line: `seconds` of each batch, and `texts` of
all that is stored then. What a peer prints itself goes to standard error.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def serve(
    batches: Path, add: Callable[[dict[str, Any]], object], texts: Callable[[], Sequence[str]]
) -> None:
    """Until standard input ends. `batches` is a file of the objects that `add` is given."""
    answers, sys.stdout = sys.stdout, sys.stderr
    known = json.loads(batches.read_text())
    for _ in sys.stdin:
        seconds = []
        for batch in known:
            began = time.perf_counter()
            add(batch)
            seconds.append(time.perf_counter() - began)
        print(json.dumps({"seconds": seconds, "texts": list(texts())}), file=answers, flush=True)
