"""The two kinds of record: what people hand in, and what is stored or queued."""

import re
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict

FORMAT = 1


class Frozen(BaseModel):
    """Immutable; an unknown field is an error. For what people type and for values inside one process."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )


class Stored(BaseModel):
    """Immutable; an unknown field is ignored, so that two versions of the worker can run side by side."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", ser_json_bytes="base64", val_json_bytes="base64"
    )

    #: Format number of the payload.
    v: int = FORMAT


_UNPRINTABLE = re.compile("[\0\ud800-\udfff]")


def _printable(text: str) -> str:
    """Refuse what neither Redis, SQLite nor a model can carry unchanged."""
    found = _UNPRINTABLE.search(text)
    if found is None:
        return text
    if found[0] == "\0":
        raise ValueError(f"has a NUL character at position {found.start()}: remove it")
    raise ValueError(
        f"has half a surrogate pair at position {found.start()}: it is not valid Unicode"
    )


#: Text without NUL characters and lone surrogates.
Text = Annotated[str, AfterValidator(_printable)]

#: An embedding: float32, little endian, of unit length; base64 in JSON.
Vector = bytes

__all__ = ["FORMAT", "AwareDatetime", "Frozen", "Stored", "Text", "Vector"]
