"""Runs several Weaviate servers of this machine as one cluster, for tests and trials."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from deploy.weaviate_process import BLOCK, NoServer, Place, Server, free_block, launch, ready, stop

#: What a node may hold in memory before its garbage is collected more often.
NODE_MEMORY = "400MiB"
#: Free memory that three nodes want, in bytes.
NEEDED_MEMORY = 1_500_000_000


class Node:
    """One server of a cluster. It may be killed and started again on its own data and ports."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"weaviate://127.0.0.1:{self._place.first}?grpc_port={self._place.first + 1}"

    def start(self) -> None:
        """Returns at once."""
        self._process = launch(self._place)

    def ready(self) -> Server:
        """Waits until it serves. Raises `NoServer`."""
        if self._process is None:
            raise NoServer(f"the node in {self._place.data} was not started")
        return ready(self._place, self._process)

    def kill(self) -> None:
        """`kill -9`."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        if self._process:
            stop(self._process)
            self._process = None


@contextmanager
def cluster(binary: Path, folder: Path, count: int = 3) -> Iterator[Sequence[Node]]:
    """All of them serve; they end with the block. Raises `NoServer`."""
    firsts = _blocks(count)
    nodes = [
        Node(Place(binary, folder / f"node{at}", first, _membership(at, firsts)))
        for at, first in enumerate(firsts)
    ]
    try:
        for node in nodes:
            node.start()
        for node in nodes:
            node.ready()
        yield nodes
    finally:
        for node in nodes:
            node.stop()


def _blocks(count: int) -> list[int]:
    """Different ones: nobody listens yet on those that were found first."""
    found: list[int] = []
    while len(found) < count:
        first = free_block()
        if all(abs(first - other) >= BLOCK for other in found):
            found.append(first)
    return found


def _membership(at: int, firsts: Sequence[int]) -> dict[str, str]:
    """Each node knows the raft ports of all and the gossip port of the first."""
    voters = (f"node{other}:{first + 4}" for other, first in enumerate(firsts))
    return {
        "CLUSTER_HOSTNAME": f"node{at}",
        "CLUSTER_JOIN": f"127.0.0.1:{firsts[0] + 2}" if at else "",
        "RAFT_JOIN": ",".join(voters),
        "RAFT_BOOTSTRAP_EXPECT": str(len(firsts)),
        "GOMEMLIMIT": NODE_MEMORY,
        # Otherwise a node that comes back is told only of what is older than half a minute, every half minute.
        "ASYNC_REPLICATION_FREQUENCY": "1s",
        "ASYNC_REPLICATION_PROPAGATION_DELAY": "1s",
        "ASYNC_REPLICATION_ALIVE_NODES_CHECKING_FREQUENCY": "1s",
    }


def available_memory() -> int:
    """Bytes that processes can still have; 0 where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["MemAvailable"].split()[0]) * 1024
