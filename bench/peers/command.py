"""Install the systems that ours is compared with, each in an environment of its own: `python -m bench peers`."""

import argparse
import sys
from collections.abc import Sequence

from bench.peers.homes import PACKAGES, Missing, install


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench peers", description=__doc__)
    parser.add_argument("name", nargs="*", choices=(*PACKAGES, []), help="(all of them)")
    options = parser.parse_args(arguments)
    missing = 0
    for name in options.name or PACKAGES:
        try:
            print(f"{name}: {install(name)}")
        except Missing as error:
            print(f"error: {error}", file=sys.stderr)
            missing += 1
    return int(missing > 0)
