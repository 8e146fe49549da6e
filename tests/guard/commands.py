"""What a Redis is sent, command by command, and what its scripts do for it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from importlib.resources import files

from redis import Redis

#: What a connection says of itself, and our own mark of the end.
UNCOUNTED = {"CLIENT", "HELLO", "SELECT", "ECHO"}
_OVER = "that was all"


#: Our scripts.
TEXTS = {
    path.name.removesuffix(".lua"): path.read_text()
    for folder in (files("worker").joinpath("adapters", "lua"), files("producers"))
    for path in folder.iterdir()
    if path.name.endswith(".lua")
}
#: What a call names a script by → its name.
NAMES = {
    sha1(text.encode(), usedforsecurity=False).hexdigest(): name for name, text in TEXTS.items()
}


@dataclass
class Commands:
    """Filled when the counting is over."""

    #: Commands in capitals; scripts by their names, and as `in NAME` the commands that they ran.
    counts: Counter[str] = field(default_factory=Counter)

    def hear(self, sent: list[str], *, by_script: str | None) -> str | None:
        """The script that runs from now on."""
        name = sent[0].upper()
        if by_script:
            self.counts[f"in {by_script}"] += 1
            return by_script
        if name == "EVALSHA":
            script = NAMES[sent[1]]
            self.counts[script] += 1
            return script
        if name not in UNCOUNTED:
            self.counts[name] += 1
        return None


@contextmanager
def counted_commands(client: Redis) -> Iterator[Commands]:
    """All that the server is sent meanwhile, by whomever: it has to be nobody else's. The scripts are there already."""
    for text in TEXTS.values():
        client.script_load(text)
    found = Commands()
    with client.monitor() as monitor:  # type: ignore[no-untyped-call]
        yield found
        client.echo(_OVER)
        running: str | None = None
        while True:
            told = monitor.next_command()
            sent = told["command"].split(" ")
            if sent == ["ECHO", *_OVER.split(" ")]:
                return
            is_inside = told["client_type"] == "lua"
            running = found.hear(sent, by_script=running if is_inside else None)
