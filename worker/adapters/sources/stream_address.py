"""`redis://HOST:PORT/0?stream=NAME&group=NAME&from=0&idle=60`: where a stream is and who reads it."""

from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus

from worker.adapters.redis_server import check_url
from worker.errors import Misconfigured

#: What may stand behind the `?` besides the options of a Redis.
OURS = ("stream", "group", "from", "idle")
_OURS = "write ?stream=NAME, and &group=NAME, &from=0 and &idle=SECONDS where they differ"
#: The scheme for a stream on slowwave's own Redis.
HERE = "stream"


@dataclass(frozen=True)
class StreamAddress:
    """A stream, and as whom it is read."""

    url: str
    stream: str
    group: str = "slowwave"
    #: Where a group that is not there yet begins: `0` with what is in the stream, `$` with what comes.
    start: str = "0"
    #: After so long an entry that is not acknowledged goes to another consumer.
    idle_seconds: float = 60.0


def stream_address(given: str, own_url: str) -> StreamAddress:
    """`stream:NAME?…` is on our own Redis. Raises `Misconfigured`, which repeats nothing that could be secret."""
    front, _, query = given.partition("?")
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    ours = {name: unquote_plus(value) for name, _, value in pairs if name in OURS}
    theirs = "&".join(f"{name}={value}" for name, _, value in pairs if name not in OURS)
    if front.startswith(f"{HERE}:"):
        ours.setdefault("stream", unquote(front.removeprefix(f"{HERE}:")))
        front = own_url
    url = f"{front}?{theirs}" if theirs else front
    _check(url)
    if not ours.get("stream"):
        raise Misconfigured(f"the stream's URL names no stream: {_OURS}")
    return StreamAddress(
        url,
        ours["stream"],
        ours.get("group") or StreamAddress.group,
        _start(ours.get("from", StreamAddress.start)),
        _idle(ours.get("idle", str(StreamAddress.idle_seconds))),
    )


def _check(url: str) -> None:
    try:
        check_url("the stream's URL", url)
    except Misconfigured as error:
        raise Misconfigured(f"{error}, and behind it {_OURS}") from error


def _start(given: str) -> str:
    if given not in {"0", "$"}:
        raise Misconfigured(
            "`from` in the stream's URL is 0 (what is there already) or $ (what comes)"
        )
    return given


def _idle(given: str) -> float:
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise Misconfigured("`idle` in the stream's URL is a number of seconds above 0")
    return seconds
