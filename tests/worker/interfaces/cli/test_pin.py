from tests.build import memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf

TEA = memory("Drinks tea")


def is_pinned(cli: Cli) -> bool:
    return bool(cli("memories", *WHOSE, "--json").document["pinned"])


def test_a_memory_is_pinned_and_let_go(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)
    pinned = cli("pin", TEA.id.hex[:4], *WHOSE)
    assert (pinned.status, is_pinned(cli)) == (0, True)

    assert "is so already" in cli("pin", str(TEA.id), *WHOSE).out
    let_go = cli("pin", str(TEA.id), *WHOSE, "--off", "--json")
    assert (let_go.document["version"], is_pinned(cli)) == (3, False)


def test_another_version_is_left_alone(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)
    told = cli("pin", str(TEA.id), *WHOSE, "--if-version", "2")

    assert (told.status, is_pinned(cli)) == (1, False)
