"""Whose memory it is."""

from typing import Annotated

from pydantic import AfterValidator, Field

from schemas.base import Frozen, Text
from schemas.ids import scope_key


def _name(value: str) -> str:
    name = value.strip()
    if not name:
        raise ValueError("is empty: say whose memory it is")
    if not name.isprintable():
        raise ValueError("holds a control character: use a plain name")
    return name


Name = Annotated[Text, Field(max_length=256), AfterValidator(_name)]


class Scope(Frozen):
    """Nothing ever crosses scopes. The names appear in no key and no log line; `key` does."""

    app: Name
    #: A person, a team or an agent.
    user: Name

    @property
    def key(self) -> str:
        """UUID5 of both names: the store's tenant and the tail of the Redis keys."""
        return scope_key(self.app, self.user)
