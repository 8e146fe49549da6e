"""Fields of model replies, read as widely as their meaning is certain."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

#: What models write where they mean null.
NOTHING = frozenset({"", "null", "none", "nil", "n/a", "-"})


class Reply(BaseModel):
    """Unknown keys are dropped: models add them."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def printable(value: Any) -> Any:
    """Text without NUL characters and lone surrogates, which JSON can carry and no store can."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "").encode("utf-8", "ignore").decode().strip()


def null_or_text(value: Any) -> Any:
    """A number is its digits: a year, say."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    text = printable(value)
    return None if isinstance(text, str) and text.casefold() in NOTHING else text


def as_list(value: Any) -> Any:
    """Null is an empty list, one thing a list of one."""
    if value is None:
        return []
    return [value] if isinstance(value, str | int) and not isinstance(value, bool) else value


def label(value: Any) -> Any:
    """`1`, `"#1"` and `"[ 1 ]"` are `"1"`; `" C1 "` is `"c1"`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return (
        printable(value).strip("#[](){}<>\"'`., ").casefold() if isinstance(value, str) else value
    )


Plain = Annotated[str, BeforeValidator(printable)]
Nullable = Annotated[str | None, BeforeValidator(null_or_text)]
Label = Annotated[str, BeforeValidator(label)]
Labels = Annotated[list[Label], BeforeValidator(as_list)]
Texts = Annotated[list[Plain], BeforeValidator(as_list)]
