"""What a claim costs Redis with very many scopes in the line, and what a scope costs it: `python -m bench claim`."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from redis import Redis

from bench.figures import Figure, at_most, show
from bench.redis_process import RedisProcess
from producers.producer import Producer
from schemas.keys import ScopeKeys
from schemas.limits import Limits
from schemas.tokens import estimate
from worker.adapters.inbox import Claim, Inbox

TEXT = "We sold the blue canoe, and the money goes into the roof of the boat house."
#: Scopes that are told of at once while Redis is filled.
PORTION = 10_000


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench claim", description=__doc__)
    parser.add_argument("--scopes", type=int, default=1_000_000, help="with a turn each (1000000)")
    parser.add_argument("--claims", type=int, default=5_000, help="(5000)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisProcess(Path(folder)) as redis,
        redis.client() as client,
    ):
        figures = _measured(redis.url, client, options.scopes, min(options.claims, options.scopes))
    show(f"claim, {options.scopes:,} scopes due", figures, as_json=options.json)
    return 0


def _measured(url: str, client: Redis, scopes: int, claims: int) -> list[Figure]:
    inbox = Inbox(client)
    inbox.configure(Limits(quiet_seconds=0))
    before = _memory(client)
    _fill(url, scopes)
    pending = (_memory(client) - before) / scopes
    client.config_resetstat()
    held = [claim for _ in range(claims) if (claim := inbox.claim()) is not None]
    p50, p99 = _redis_time(client)
    for claim in held:
        inbox.commit(claim, 1, estimate(TEXT))
    left = [_left(client, claim) for claim in held]
    return [
        Figure("claim, Redis time, p50", p50, "µs"),
        at_most("claim, Redis time, p99", p99, 1_000, "µs"),
        Figure("memory of a scope with one turn", pending, "bytes"),
        Figure("what outlives the turn for a while", sum(b for b, _ in left) / len(left), "bytes"),
        at_most("keys of an idle scope that stay", sum(keys for _, keys in left), 0),
    ]


def _fill(url: str, scopes: int) -> None:
    with Producer(url) as producer:
        for at in range(0, scopes, PORTION):
            lines = [_line(user) for user in range(at, min(at + PORTION, scopes))]
            wrong = [one for one in producer.publish_many(lines) if one.status != "accepted"]
            if wrong:
                raise RuntimeError(f"{len(wrong)} turns were not accepted: {wrong[0]}")


def _line(user: int) -> dict[str, object]:
    return {"app": "bench", "user": f"user{user}", "role": "user", "text": TEXT, "id": "only"}


def _memory(client: Redis) -> int:
    return int(client.info("memory")["used_memory"])


def _redis_time(client: Redis) -> tuple[float, float]:
    """Median and 99th percentile of all script calls since the figures were reset, in µs, as the server counts them."""
    found = client.info("latencystats")["latency_percentiles_usec_evalsha"]
    return float(found["p50"]), float(found["p99"])


def _left(client: Redis, claim: Claim) -> tuple[int, int]:
    """Bytes of what is left of a scope without turns, and how many of its keys never expire."""
    own = ScopeKeys(claim.partition, claim.scope_key)
    names = (own.turns, own.meta, own.plan, own.seen, own.recent, own.spent, own.parked)
    there = [name for name in names if client.exists(name)]
    used = sum(int(client.memory_usage(name) or 0) for name in there)
    return used, sum(client.ttl(name) < 0 for name in there)
