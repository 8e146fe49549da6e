"""What both stores say of a scope that they have no place for."""

from schemas.scope import Scope
from worker.errors import Retryable


class NoRoom(Retryable):
    """Nothing but `prepare` makes room for a scope, so that a late worker cannot bring an erased one back."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(
            f"scope {scope.key} has no room in the store: it was erased meanwhile, or never prepared;"
            " claim it anew"
        )
