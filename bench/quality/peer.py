"""NeatMem as a contestant: the same turns in the same batches, our embedder, and the model that ours asks.

It runs in an environment of its own (`bench/peers`), as a process that is talked to in lines, see `neatmem_driver.py`.
Where the facts are given, extraction is ours and only judging differs; it has no way to hear a request to forget.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from bench.peers.homes import python_of
from bench.quality.contestants import Costs, Heard, Look, Played, Tell, silent, stated
from bench.quality.hearing import Cached
from bench.quality.held import Held, Kept, Past
from bench.quality.stream import Said, Stream
from bench.quality.talk import Talk, talking
from bench.quality.words import statement
from worker.settings import Settings

DRIVER = Path(__file__).parent / "neatmem_driver.py"
#: What NeatMem does with what changes; the last two ask the model for words.
PeerResolver = Literal["skip", "replace", "edit", "rewrite"]
#: A model's key where none is set: the client demands one.
NO_KEY = "none"


@dataclass(frozen=True)
class Peer:
    """One setting of it."""

    name: str
    talk: Talk
    #: Whether extraction is ours; else it is its own.
    is_given: bool
    #: Whether its extraction is asked though the facts are given: then its costs can stand beside ours.
    asks_extraction: bool
    tell: Tell = silent
    #: Who was called the same as something else is in no account of it.
    lacks: frozenset[str] = frozenset({"called_same"})

    def play(self, stream: Stream, heard: Heard) -> Played:
        looks, found, parked = list[Look](), list[str](), 0
        moments = {moment.after: moment for moment in stream.before}
        for after, session in enumerate(stream.sessions, 1):
            facts = [one.text for one in heard[after - 1] if one.kind != "forget"]
            done = self.talk.ask({"hear": self._order(stream, session, facts)})
            found += [statement(stream.owner, text) for text in done["facts"]]
            parked += len(session) if done["failed"] else 0
            told = stated(heard, after) if self.is_given else tuple(found)
            if after in moments:
                looks.append(self._look(stream, told, [])[0])
            self.tell(len(session))
        questions = [one.text for one in stream.questions]
        last, costs = self._look(stream, told, questions)
        return Played((*looks, last), heard, costs, parked)

    def _order(self, stream: Stream, session: Sequence[Said], facts: list[str]) -> dict[str, Any]:
        return {
            "user": stream.name,
            "said_at": session[-1].said_at.isoformat(),
            "messages": [
                {"role": one.role, "content": f"{one.speaker}: {one.text}"} for one in session
            ],
            "facts": facts if self.is_given else None,
            "asks_extraction": self.asks_extraction,
        }

    def _look(
        self, stream: Stream, told: tuple[str, ...], questions: list[str]
    ) -> tuple[Look, Costs]:
        """As it names no subject, all is said of whose memory it is."""
        found = self.talk.ask({"look": {"user": stream.name, "questions": questions}})
        who = stream.owner
        live = tuple(Kept(one["id"], statement(who, one["text"])) for one in found["live"])
        past = tuple(
            Past(
                one["id"],
                statement(who, one["text"]),
                datetime.fromisoformat(one["at"]),
                one["heir"],
            )
            for one in found["past"]
        )
        hits = tuple(tuple(statement(who, text) for text in texts) for texts in found["hits"])
        look = Look(Held(live, past), told, hits)
        return look, Costs(found["calls"], found["tokens"], found["seconds"])


@contextmanager
def neatmem(settings: Settings, embedder: Cached, resolver: PeerResolver) -> Iterator[Talk]:
    """Its process, with a store that nobody else has, while this is entered. Raises `Missing` of `bench.peers`."""
    python = python_of("neatmem")
    with tempfile.TemporaryDirectory(prefix="slowwave-peer-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        command = [str(python), str(DRIVER), folder, settings.model, str(embedder.dimensions)]
        with talking(command, home, _environment(settings, home, resolver), embedder) as talk:
            yield talk


def _environment(settings: Settings, home: Path, resolver: PeerResolver) -> dict[str, str]:
    """Its defaults, but for what would need downloads."""
    key = settings.model_key.get_secret_value() if settings.model_key else NO_KEY
    url = {"OPENAI_BASE_URL": settings.model_url} if settings.model_url else {}
    return {
        **url,
        "OPENAI_API_KEY": key,
        "NEATMEM_DIR": str(home),
        "ENABLE_BM25": "false",
        "ENABLE_ENTITY": "false",
        "ENABLE_GRAPH": "false",
        "DEDUP_RESOLVER": resolver,
    }
