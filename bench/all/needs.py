"""What benches ask for beside this project, and whether the machine has it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.peers.homes import Missing, python_of
from bench.stand_in import PROGRAM
from deploy.weaviate_server import find

#: What is missing → what to do about it.
REMEDIES: Mapping[str, str] = {
    "locomo": "locomo10.json of snap-research/locomo (CC BY-NC 4.0) in the folder --data",
    "gatemem": "a folder gatemem, of rzhub/GateMem (MIT), in the folder --data",
    "factconsolidation": "a folder factconsolidation, of HUST-AI-HYZ/MemoryAgentBench (MIT), in the folder --data",
    "tools": f"{PROGRAM}, a stand-in for a model, in the folder --tools",
    "weaviate": "a Weaviate server: `python -m deploy.weaviate_server get`",
    "neatmem": "NeatMem: `python -m bench peers neatmem`",
    "mem0": "mem0: `python -m bench peers mem0`",
}

#: Words of the plan's arguments → what they stand for, which others may be part of.
PHRASES: Mapping[str, str] = {
    "fc": "--factconsolidation {data}/factconsolidation",
    "stand_in": "--tools {tools} --locomo {data}/locomo10.json",
}
#: How a page names what is elsewhere on each machine.
SHOWN: Mapping[str, str] = {"data": "DATA", "tools": "TOOLS", "mem0": "PYTHON_OF_MEM0"}


@dataclass(frozen=True)
class Places:
    """Folders that the caller named."""

    data: Path | None
    tools: Path | None

    def has(self) -> dict[str, str]:
        """Each need that is met, with where."""
        looked: Mapping[str, Callable[[], Path | None]] = {
            "locomo": lambda: _there(self.data, "locomo10.json"),
            "gatemem": lambda: _there(self.data, "gatemem"),
            "factconsolidation": lambda: _there(self.data, "factconsolidation"),
            "tools": lambda: _there(self.tools, PROGRAM),
            "weaviate": find,
            "neatmem": lambda: _peer("neatmem"),
            "mem0": lambda: _peer("mem0"),
        }
        found = {name: look() for name, look in looked.items()}
        return {name: str(path) for name, path in found.items() if path is not None}

    def filled(self, words: str, has: Mapping[str, str]) -> list[str]:
        """Arguments from the words of the plan; paths may have spaces in them."""
        folders = {"data": str(self.data), "tools": str(self.tools), "mem0": has.get("mem0", "")}
        return [one.format(**folders) for one in plain(words).split()]


def plain(words: str) -> str:
    """With all phrases written out."""
    for name, phrase in PHRASES.items():
        words = words.replace(f"{{{name}}}", phrase)
    return words


def shown(words: str) -> str:
    """For people, on any machine."""
    return plain(words).format(**SHOWN)


def _there(folder: Path | None, name: str) -> Path | None:
    return folder / name if folder and (folder / name).exists() else None


def _peer(name: str) -> Path | None:
    try:
        return python_of(name)
    except Missing:
        return None
