"""Calls of a port, counted on their way."""

from collections import Counter
from collections.abc import Callable
from typing import Any, cast

from schemas.scope import Scope
from worker.core.ports import Hold


class Counted:
    """Anything whose calls are counted by name; a store's writers count along."""

    def __init__(self, real: Any, calls: Counter[str] | None = None) -> None:
        self._real = real
        self.calls: Counter[str] = Counter() if calls is None else calls

    @property
    def port(self) -> Any:
        """To be used as the real one."""
        return cast("Any", self)

    def writer(self, scope: Scope, hold: Hold) -> Any:
        return type(self)(self._real.writer(scope, hold), self.calls)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._real, name)
        return self._counting(name, attribute) if callable(attribute) else attribute

    def _counting(self, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls[name] += 1
            return act(*args, **kwargs)

        return call
