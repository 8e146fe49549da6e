"""Forgetting takes two calls, and the second names what goes."""

from typing import Any

import pytest

from tests.desk import Desk
from tests.worker.interfaces.mcp.calling import Answer, Host, Memory

CODE, CAT = "The gate code is wisteria.", "The cat is called Momo."


async def known(host: Host) -> list[str]:
    """The ids of two memories."""
    told = [await host("remember", text=text) for text in (CODE, CAT)]
    return [one.fields["memory"] for one in told]


@pytest.mark.parametrize(
    "given",
    [{"query": "gate code"}, {"query": "gate code", "confirm": True}, {"ids": "ID"}],
    ids=["a query", "a query that is confirmed at once", "ids that are not confirmed"],
)
def test_the_first_call_only_shows_what_would_go(
    memory: Memory, desk: Desk, given: dict[str, Any]
) -> None:
    async def talk(host: Host) -> tuple[str, Answer]:
        code, _ = await known(host)
        named = {"ids": [code[:8]]} if "ids" in given else {}
        return code, await host("forget", **{**given, **named})

    code, told = memory(talk)

    assert [one["id"] for one in told.fields["would_go"]] == [code]
    assert told.fields["receipt"] is None
    assert told.text.startswith("Nothing is forgotten yet.")
    assert f'[{code[:8]}] "{CODE}"' in told.text
    assert {*desk.live()} == {CODE, CAT}


def test_the_second_call_forgets_what_it_names_and_nothing_else(memory: Memory, desk: Desk) -> None:
    async def talk(host: Host) -> list[Answer]:
        code, _ = await known(host)
        done = await host("forget", query="gate code", ids=[code], confirm=True)
        return [done, await host("recall", query="gate code"), await host("history", id=code)]

    done, recalled, history = memory(talk)

    assert done.fields["receipt"]["memories"] == 1
    assert done.text.startswith("Forgotten for good: 1 memories")
    assert "wisteria" not in str([recalled.result, history.result, done.result])
    assert "is not found" in history.wrong
    assert [*desk.live()] == [CAT]


def test_of_a_memory_only_what_was_named_goes(memory: Memory, desk: Desk) -> None:
    async def talk(host: Host) -> list[Answer]:
        id = (await host("remember", text="The user lives in Oslo.")).fields["memory"]
        await host("remember", text="The user lives in Bergen.", replaces=id)
        shown = await host("forget", query="Bergen")
        return [shown, await host("forget", query="Bergen", ids=[id], confirm=True)]

    shown, done = memory(talk)

    assert shown.fields["would_go"][0]["is_part"]
    assert ", a part of it" in shown.text
    assert done.fields["receipt"]["redacted"] == 1
    assert [*desk.live()] == ["The user lives in Oslo."]


def test_turns_that_wait_go_where_no_memory_says_so_and_it_is_confirmed(
    memory: Memory, desk: Desk
) -> None:
    desk.say("My gate code is wisteria.", "2026-11-01T10:00:00Z", id="1")

    shown = memory.call("forget", query="wisteria")
    still_there = desk.parts.inbox.waiting(desk.scope.key)
    done = memory.call("forget", query="wisteria", confirm=True)

    assert "turns that are still queued may have them" in shown.text
    assert shown.fields["receipt"] is None
    assert still_there == 1
    assert done.fields["receipt"]["pending"] == 1
    assert desk.parts.inbox.waiting(desk.scope.key) == 0


def test_a_memory_that_came_after_the_look_is_not_forgotten_unseen(
    memory: Memory, desk: Desk
) -> None:
    async def talk(host: Host) -> Answer:
        await host("forget", query="wisteria")
        await known(host)
        return await host("forget", query="wisteria", confirm=True)

    told = memory(talk)

    assert told.fields["receipt"] is None
    assert {*desk.live()} == {CODE, CAT}


def test_what_was_forgotten_in_a_conversation_is_not_shown_again(
    memory: Memory, desk: Desk
) -> None:
    desk.say("I live in Oslo.", "2026-11-01T10:00:00Z", id="1")
    desk.settle()
    desk.say("Please forget that I live in Oslo.", "2026-11-02T10:00:00Z", id="2")
    desk.settle()

    told = memory.call("forget", query="Oslo")

    assert desk.live() == {}
    assert "Oslo" not in str(told.result)


def test_forgetting_again_changes_nothing_more(memory: Memory, desk: Desk) -> None:
    async def talk(host: Host) -> list[Answer]:
        code, _ = await known(host)
        return [await host("forget", ids=[code], confirm=True) for _ in range(2)]

    first, second = memory(talk)

    assert first.fields["receipt"]["memories"] == 1
    assert second.fields["receipt"]["memories"] == 0
    assert [*desk.live()] == [CAT]
