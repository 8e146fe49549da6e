"""A process that dies in the middle of its work, without dying."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from schemas.scope import Scope
from worker.core.ports import Hold


class Killed(BaseException):
    """Stands for kill -9: nothing that runs afterwards may be relied on."""


@dataclass
class Fragile:
    """Anything whose nth call kills the process, before or after it is carried out; a store's writers count along."""

    real: Any
    nth: int
    after: bool
    calls: Iterator[int] = field(default_factory=lambda: count(1))

    def writer(self, scope: Scope, hold: Hold) -> Any:
        return replace(self, real=self.real.writer(scope, hold))

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.real, name)
        if not callable(attribute) or name.startswith("_"):
            return attribute

        def call(*args: Any, **kwargs: Any) -> Any:
            is_last = next(self.calls) == self.nth
            if is_last and not self.after:
                raise Killed
            result = attribute(*args, **kwargs)
            if is_last:
                raise Killed
            return result

        return call
