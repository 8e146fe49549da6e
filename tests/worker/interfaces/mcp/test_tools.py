"""What the tools do, through the SDK's client."""

import re
from typing import Any

import pytest

from schemas.scope import Scope
from tests.desk import Desk
from tests.worker.interfaces.mcp.calling import MODES, Answer, Host, Memory
from worker.core.access.caller import Caller
from worker.interfaces.mcp.house import Own
from worker.interfaces.mcp.tools import TOOLS

NAMES = {"recall", "profile", "remember", "forget", "history", "status"}


async def remember(host: Host, text: str, **more: Any) -> str:
    """The id of what was remembered."""
    answer = await host("remember", text=text, **more)
    return str(answer.fields["memory"])


@pytest.mark.parametrize("mode", MODES)
def test_what_is_remembered_is_recalled_and_its_history_is_told(
    house: Own, scope: Scope, mode: str
) -> None:
    async def talk(host: Host) -> list[Answer]:
        id = await remember(host, "The user lives in Oslo.")
        changed = await host("remember", text="The user lives in Bergen.", replaces=id[:8])
        recalled = await host("recall", query="Where does the user live?")
        history = await host("history", id=id[:8])
        return [changed, recalled, await host("profile"), history, await host("status")]

    changed, recalled, profile, history, status = Memory(house, scope, mode)(talk)

    assert changed.fields["fate"] == "revised"
    for told in (recalled, profile):
        assert [one["text"] for one in told.fields["memories"]] == ["The user lives in Bergen."]
        assert re.search(
            r'^\[[0-9a-f]{8}\] "The user lives in Bergen\." \(said \d{4}-', told.text, re.MULTILINE
        )
    assert [one["version"] for one in history.fields["versions"]] == [2, 1]
    assert "The user lives in Oslo." in history.text
    assert history.fields["stands"] is True
    assert status.fields == {
        **status.fields,
        "memories": 1,
        "waiting": 0,
        "parked": 0,
    }


def test_the_ids_of_an_answer_are_those_that_the_tools_take(memory: Memory) -> None:
    async def talk(host: Host) -> Answer:
        await remember(host, "The user lives in Oslo.")
        recalled = await host("recall", query="Oslo")
        (digits,) = re.findall(r"^\[(\w+)\]", recalled.text, re.MULTILINE)
        return await host("history", id=digits)

    assert memory(talk).fields["versions"][0]["text"] == "The user lives in Oslo."


def test_nothing_known_is_no_error(memory: Memory) -> None:
    for tool, arguments in (("recall", {"query": "Where?"}), ("profile", {})):
        told = memory.call(tool, **arguments)
        assert told.fields == {"memories": [], "left_out": 0, "notes": []}
        assert told.text.startswith("Nothing")


@pytest.mark.parametrize(
    ("local", "asked"),
    [
        (Caller(), {"app", "user"}),
        (Caller(app="acme"), {"user"}),
        (Caller(user="ann"), {"app"}),
        (Caller(app="acme", user="ann"), set()),
    ],
)
def test_only_what_is_not_fixed_of_a_scope_is_asked_for(
    house: Own, scope: Scope, local: Caller, asked: set[str]
) -> None:
    tools = Memory(house, scope, local=local)(lambda host: host.client.list_tools()).tools

    assert {tool.name for tool in tools} == NAMES == {tool.name for tool in TOOLS}
    for tool in tools:
        properties = (
            tool.input_schema["properties"] if asked else tool.input_schema.get("properties", {})
        )
        assert {"app", "user"} & {*properties} == asked
        assert asked <= {*tool.input_schema.get("required", ())}
        assert all("description" in one for one in properties.values())


def test_models_are_told_what_reads_and_what_removes(memory: Memory) -> None:
    tools = {tool.name: tool for tool in memory(lambda host: host.client.list_tools()).tools}
    reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    removing = {name for name, tool in tools.items() if tool.annotations.destructive_hint}

    assert reading == {"recall", "profile", "history", "status"}
    assert removing == {"forget"}
    assert all(tool.description and tool.output_schema for tool in tools.values())


def test_a_fixed_scope_is_the_one_that_is_read_and_written(house: Own, scope: Scope) -> None:
    fixed = Memory(house, scope, local=Caller(app=scope.app, user=scope.user))

    async def talk(host: Host) -> tuple[Answer, Answer]:
        await host.client.call_tool("remember", {"text": "The user lives in Oslo."})
        own = Answer(await host.client.call_tool("recall", {"query": "Oslo"}))
        others = Answer(
            await host.client.call_tool("recall", {"query": "Oslo", "user": "somebody"})
        )
        return own, others

    own, others = fixed(talk)

    assert [one["text"] for one in own.fields["memories"]] == ["The user lives in Oslo."]
    assert "`user` is not known here" in others.wrong


#: What each tool is given so that it would tell or change something of somebody else's.
CALLS: dict[str, dict[str, Any]] = {
    "recall": {"query": "gate code"},
    "profile": {},
    "remember": {"text": "The gate code is 1.", "replaces": "ID"},
    "forget": {"query": "gate code"},
    "forget by id": {"ids": ["ID"], "confirm": True},
    "history": {"id": "ID"},
    "status": {},
}


def test_every_tool_is_tried_at_the_walls() -> None:
    assert {call.partition(" ")[0] for call in CALLS} == NAMES


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("other", ["another user", "another app"])
def test_nothing_of_another_scope_is_told_or_changed(
    memory: Memory, desk: Desk, call: str, other: str
) -> None:
    scope = desk.scope
    names = (
        {"app": scope.app, "user": "bob"} if other == "another user" else {"app": f"{scope.app}2"}
    )

    async def talk(host: Host) -> Answer:
        id = await remember(host, "The gate code is wisteria.")
        given = {
            name: id if value == "ID" else [id] if value == ["ID"] else value
            for name, value in CALLS[call].items()
        }
        return await host(call.partition(" ")[0], **given, **names)

    told = memory(talk)

    assert "wisteria" not in str(told.result)
    assert list(desk.live()) == ["The gate code is wisteria."]
    if call == "status":
        assert told.fields["memories"] == 0


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recall", {}, "`query` is missing: What you want to know"),
        ("recall", {"query": ""}, "`query` is empty"),
        ("recall", {"query": "x" * 2_001}, "`query` is longer than 2,000: shorten it"),
        ("recall", {"query": "s3cret\0"}, "`query` is wrong: has a NUL character"),
        ("recall", {"query": ["s3cret"]}, "`query` is wrong"),
        ("recall", {"query": "x", "limit": 0}, "`limit` is wrong"),
        ("recall", {"query": "x", "limt": "s3cret"}, "`limt` is not known here: give `query`"),
        ("recall", {"query": "x", "user": "  "}, "`user` is wrong: is empty: say whose"),
        ("recall", {"query": "x", "app": "a\nb"}, "`app` is wrong: holds a control character"),
        ("remember", {"text": ""}, "`text` is empty"),
        ("remember", {"text": "x", "until": "s3cret"}, "`until` is no date with a time"),
        ("remember", {"text": "x", "said_by": "s3cret"}, "`said_by` is wrong"),
        ("remember", {"text": "x", "replaces": "abcdef"}, "memory abcdef is not found"),
        ("history", {"id": "s3cret"}, "an id has 4 to 32 hexadecimal digits: `recall`"),
        ("history", {"id": "abcdef"}, "memory abcdef is not found"),
        ("history", {"id": "a" * 32}, "memory aaaaaaaa is not found: `recall`"),
        ("forget", {}, "say what to forget: a query, or ids"),
        ("forget", {"query": "the"}, "the query names nothing"),
        ("forget", {"ids": ["abcdef"], "confirm": True}, "memory abcdef is not found"),
        ("forget", {"ids": ["a" * 32], "confirm": True}, "nothing was forgotten: `recall`"),
        ("status", {"verbose": True}, "`verbose` is not known here"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_so_that_a_model_can_mend_it(
    memory: Memory, tool: str, given: dict[str, Any], said: str
) -> None:
    told = memory.call(tool, **given).wrong

    assert said in told
    assert "s3cret" not in told


def test_lists_are_taken_as_text_and_null_is_nothing(memory: Memory, desk: Desk) -> None:
    async def talk(host: Host) -> Answer:
        first, second = [
            await remember(host, text, kind=None) for text in ("The user swims.", "A cat is here.")
        ]
        return await host("forget", query=None, ids=f'["{first}", "{second[:8]}"]', confirm=True)

    assert memory(talk).fields["receipt"]["memories"] == 2
    assert desk.live() == {}
