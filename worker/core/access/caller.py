"""Who asks, and whose memories that lets them touch."""

from dataclasses import dataclass

from schemas.scope import Scope
from worker.core.access.api_key import ApiKey


class Forbidden(Exception):
    """The message says what the caller may do instead; it does not tell whether what was asked for exists."""


@dataclass(frozen=True)
class Caller:
    """Bound to nothing where no key is needed: a person on this machine."""

    #: The id of the key, for limits and logs; of no key `local`.
    name: str = "local"
    app: str | None = None
    user: str | None = None

    @classmethod
    def of(cls, key: ApiKey) -> "Caller":
        return cls(key.id, key.app, key.user)

    def scope(self, app: str | None, user: str | None) -> Scope:
        """What is not named is as the key says.

        Raises `Forbidden` for another's, and `ValueError` where something is missing or is no name.
        """
        return Scope(
            app=self._chosen("app", app, self.app), user=self._chosen("user", user, self.user)
        )

    def may_see(self, app: str, user: str) -> bool:
        """Whether this scope's names, texts and figures may be told."""
        return self.app in (None, app) and self.user in (None, user)

    def _chosen(self, what: str, named: str | None, bound: str | None) -> str:
        if named is None and bound is None:
            raise ValueError(f"`{what}` is missing: say whose memory it is")
        if named is not None and bound is not None and named.strip() != bound:
            raise Forbidden(
                f"this key is for another {what}: leave `{what}` out, or use that {what}'s key"
            )
        return bound or named or ""
