"""Where words are found in the raw bytes of files, and in what Redis holds."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from redis import Redis

from bench.forgetting.places import contents

#: Place → group of words → which of them are there.
Finding = dict[str, dict[str, list[str]]]
#: Group of words → what each is a word of → the word.
Words = Mapping[str, Mapping[str, str]]

KEYS = "Redis keys"
#: Of Weaviate's files: what an ending, or a folder, says that they are.
ENDINGS = {".wal": "WAL", ".db": "segments", ".log": "log"}


def search(folder: Path, redis: Redis, words: Words) -> Finding:
    """What is found in each place; a place without any file is not named."""
    found: Finding = {}
    places = (*_files(folder), (KEYS, b"\n".join(_keys(redis))))
    for place, data in places:
        low = data.lower()
        here = found.setdefault(place, {group: [] for group in words})
        for group, of in words.items():
            here[group] += [
                name
                for name, word in of.items()
                if word.encode() in low and name not in here[group]
            ]
    return found


def _keys(redis: Redis) -> Iterator[bytes]:
    for key in redis.scan_iter():
        yield key
        yield from contents(redis, key)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        # A server compacts and removes files as it likes.
        try:
            data = path.read_bytes() if path.is_file() else None
        except FileNotFoundError:
            continue
        if data is not None:
            yield place_of(path.relative_to(folder)), data


def place_of(path: Path) -> str:
    """What a file is, by where it lies in the folder."""
    if path.parts[0] == "redis":
        return "Redis files"
    if path.parts[0] != "weaviate":
        return path.name
    if "raft" in path.parts:
        return "raft"
    return ENDINGS.get(path.suffix, "other")


def left(finding: Finding, group: str) -> dict[str, list[str]]:
    """Place → words of the group that are there, where there are any."""
    return {place: found[group] for place, found in finding.items() if found[group]}


def columns(findings: Iterable[Finding]) -> list[str]:
    """Every place that any of them names."""
    return list(dict.fromkeys(place for one in findings for place in one))
