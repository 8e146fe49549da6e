"""What the tools take. The descriptions are read by models: one thing each, in plain words."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model
from pydantic.json_schema import GenerateJsonSchema

from schemas.base import Frozen, Text
from schemas.scope import Name
from worker.core.access.caller import Caller
from worker.core.texts.lengths import LONGEST_NAME, LONGEST_TEXT

#: Characters of a question, of an id and of a time.
LONGEST_QUERY, LONGEST_ID, LONGEST_TIME = 2_000, 40, 40
#: Memories of one answer, ids of one call, and tokens that may be asked for.
MOST_MEMORIES, MOST_IDS, MOST_TOKENS, LEAST_TOKENS = 50, 50, 20_000, 100


def _listed(given: object) -> object:
    """Models give a list as text now and then."""
    if isinstance(given, str):
        return given.strip("[]").replace('"', " ").replace(",", " ").split()
    return given


Id = Annotated[Text, Field(max_length=LONGEST_ID)]
Ids = Annotated[tuple[Id, ...], Field(max_length=MOST_IDS), BeforeValidator(_listed)]
Limit = Annotated[
    int | None,
    Field(
        ge=1, le=MOST_MEMORIES, description="How many memories at most. Leave out for the usual."
    ),
]
Tokens = Annotated[
    int | None,
    Field(
        ge=LEAST_TOKENS,
        le=MOST_TOKENS,
        description="How long the answer may be, in tokens. Leave out for the usual.",
    ),
]


class Nothing(Frozen):
    """No arguments."""


class Asked(Frozen):
    """A question."""

    query: Annotated[
        Text,
        Field(
            min_length=1,
            max_length=LONGEST_QUERY,
            description="What you want to know, as a short question or in words that may have been said.",
            examples=["Where does the user live?"],
        ),
    ]
    limit: Limit = None
    max_tokens: Tokens = None


class AskedProfile(Frozen):
    limit: Limit = None
    max_tokens: Tokens = None


class AskedHistory(Frozen):
    id: Annotated[
        Id, Field(description="The id of one memory, as it stands in [ ] in another tool's answer.")
    ]
    max_tokens: Tokens = None


class Statement(Frozen):
    text: Annotated[
        Text,
        Field(
            min_length=1,
            max_length=LONGEST_TEXT,
            description="One statement that is clear on its own, with names instead of pronouns.",
            examples=["The user lives in Oslo."],
        ),
    ]
    said_by: Annotated[
        Literal["user", "assistant"],
        Field(description="`user` if the user said it, `assistant` if you concluded it yourself."),
    ] = "user"
    subject: Annotated[
        Text | None,
        Field(max_length=LONGEST_NAME, description="Whom it is about, if not the user."),
    ] = None
    kind: Annotated[
        Text | None,
        Field(max_length=80, description="Such as fact, preference, plan, instruction."),
    ] = None
    happened_at: Annotated[
        Text | None,
        Field(
            max_length=LONGEST_TIME, description="When it happened: 2024, 2024-01 or 2024-01-29."
        ),
    ] = None
    until: Annotated[
        Text | None,
        Field(
            max_length=LONGEST_TIME,
            description="It is true only until then: 2026-03-03T15:00:00Z.",
        ),
    ] = None
    tags: Annotated[
        tuple[Text, ...],
        Field(max_length=MOST_IDS, description="Words to find it by, if any."),
        BeforeValidator(_listed),
    ] = ()
    replaces: Annotated[
        Id | None,
        Field(description="The id of the one memory that is wrong now and that this replaces."),
    ] = None


class Forgetting(Frozen):
    query: Annotated[
        Text | None,
        Field(
            min_length=1,
            max_length=LONGEST_QUERY,
            description="What to forget, in the few words it was said in.",
            examples=["gate code"],
        ),
    ] = None
    ids: Annotated[Ids, Field(description="The ids of the memories to forget.")] = ()
    confirm: Annotated[
        bool,
        Field(
            description="False only shows what would go. True forgets it for good: only after showing it."
        ),
    ] = False


class _Untitled(GenerateJsonSchema):
    """Titles repeat the names of fields, in every prompt of every host."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(model: type[Frozen]) -> dict[str, Any]:
    return model.model_json_schema(schema_generator=_Untitled)


def with_names(model: type[Frozen], caller: Caller) -> type[Frozen]:
    """The same with `app` and `user`, where the caller is not bound to one."""
    told = {
        "app": (caller.app, "Whose users: the name of the application."),
        "user": (caller.user, "Whose memory: the name of the person, team or agent."),
    }
    missing: dict[str, Any] = {
        name: (Name, Field(description=words)) for name, (bound, words) in told.items() if not bound
    }
    return create_model(model.__name__, __base__=model, **missing) if missing else model
