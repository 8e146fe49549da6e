"""The shape of what extraction answers."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from worker.core.reply_fields import NOTHING, Labels, Nullable, Plain, Reply


def truth(value: Any) -> Any:
    """Null, absent and the like are false: a fact that is not said to fade does not."""
    return False if value is None or str(value).casefold() in NOTHING else value


class FoundFact(Reply):
    """One statement; a bare string is a statement too."""

    text: Plain = Field(min_length=1)
    subject: Nullable = None
    attribute: Nullable = None
    kind: Nullable = None
    volatile: Annotated[bool, BeforeValidator(truth)] = False
    turns: Labels = []
    happened_at: Nullable = None
    until: Nullable = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {"text": value} if isinstance(value, str) else value


class ExtractionReply(Reply):
    """A bare list is taken as the list of facts; an object without `facts` is refused, never read as empty."""

    facts: list[FoundFact]

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, value: Any) -> Any:
        if isinstance(value, list):
            value = {"facts": value}
        if isinstance(value, dict) and "facts" not in value:
            seen = ", ".join(f'"{key}"' for key in list(value)[:8]) or "no keys"
            raise ValueError(f'the reply has to be {{"facts": [...]}}; it has {seen}')
        if isinstance(value, dict) and isinstance(found := value["facts"], list):
            return {**value, "facts": [one for one in found if not _is_blank(one)]}
        return value


def _is_blank(fact: Any) -> bool:
    """Whether it says nothing; one that says it under another name is refused, not taken for nothing."""
    if isinstance(fact, dict):
        return not fact or (isinstance(text := fact.get("text", fact), str) and not text.strip())
    return isinstance(fact, str) and not fact.strip()
