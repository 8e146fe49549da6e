"""`slowwave recall` with a reranker."""

from tests.build import memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf

OSLO, BOAT = memory("Ann lives in Oslo."), memory("Ann has a boat in Oslo.")
SET = {
    "SLOWWAVE_RECALL_RERANKER": "rank-1",
    "SLOWWAVE_RECALL_RERANKER_KEY": "sk-very-secret",
}


def test_one_that_is_not_there_changes_nothing_but_a_note(cli: Cli, shelf: Shelf) -> None:
    for one in (OSLO, BOAT):
        shelf.put(one)
    without = cli("recall", "Oslo?", *WHOSE)

    told = cli("recall", "Oslo?", *WHOSE, SLOWWAVE_RECALL_RERANKER_URL="http://127.0.0.1:1", **SET)

    assert (told.status, told.out) == (0, without.out)
    assert "the reranker gave no order" in told.err
    assert "sk-very-secret" not in told.err


def test_half_of_one_is_wrong_settings(cli: Cli, shelf: Shelf) -> None:
    shelf.put(OSLO)

    told = cli("recall", "Oslo?", *WHOSE, **SET)

    assert told.status == 1
    assert "SLOWWAVE_RECALL_RERANKER_URL" in told.err
