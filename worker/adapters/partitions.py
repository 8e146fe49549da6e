"""The partitions of the queue, in the order of their need."""

from collections.abc import Callable, Sequence

from redis import Redis

from schemas.keys import PartitionKeys
from worker.adapters.redis_server import reachable


def by_age(
    client: Redis,
    partitions: Sequence[PartitionKeys],
    lines: Callable[[PartitionKeys], Sequence[str]],
) -> Sequence[PartitionKeys]:
    """Those that have anything in their `lines` (ZSETs by ms), the one that has been due longest first.

    A single one is not asked. Raises `Unavailable`.
    """
    if len(partitions) == 1:
        return partitions
    names = [lines(keys) for keys in partitions]
    with reachable():
        pipeline = client.pipeline(transaction=False)
        for name in (name for of_one in names for name in of_one):
            pipeline.zrange(name, 0, 0, withscores=True)
        heads = iter(pipeline.execute())
    ages = []
    for keys, of_one in zip(partitions, names, strict=True):
        if scores := [score for _ in of_one for _, score in next(heads)]:
            ages.append((min(scores), keys.partition))
    return [partitions[at] for _, at in sorted(ages)]
