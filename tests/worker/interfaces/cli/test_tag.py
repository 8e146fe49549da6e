from tests.build import memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf

TEA = memory("Drinks tea", tags=("a", "b"))


def test_tags_are_given_and_taken_off(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)
    told = cli("tag", TEA.id.hex[:4], *WHOSE, "--add", "c", "--remove", "a", "--remove", "z")

    assert told.status == 0
    assert cli("memories", *WHOSE, "--json").document["tags"] == ["b", "c"]


def test_what_is_so_already_is_said(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)

    assert "is so already" in cli("tag", str(TEA.id), *WHOSE, "--add", "a").out


def test_no_tag_at_all_is_wrong_usage(cli: Cli, shelf: Shelf) -> None:
    shelf.put(TEA)
    told = cli("tag", str(TEA.id), *WHOSE)

    assert told.status == 2
    assert "say which tags" in told.err
