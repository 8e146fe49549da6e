"""Who asks, and whose memories that lets them touch."""

from collections.abc import Mapping
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

    def named(self, app: str | None, user: str | None) -> dict[str, str]:
        """What fills the names that a line lacks: what is named, else what the key says. Raises `Forbidden`."""
        chosen = {
            "app": self._own("app", app, self.app),
            "user": self._own("user", user, self.user),
        }
        return {what: name for what, name in chosen.items() if name is not None}

    def own(self, line: Mapping[str, object], named: Mapping[str, str]) -> dict[str, object]:
        """The line with the names that it lacks. Raises `Forbidden` where it names another's, or in no text."""
        given = {
            what: value for what, value in line.items() if value is not None or what not in named
        }
        for what, bound in (("app", self.app), ("user", self.user)):
            value = given.get(what)
            if value is not None and bound is not None:
                self._own(what, value if isinstance(value, str) else "", bound)
        return {**named, **given}

    def may_see(self, app: str, user: str) -> bool:
        """Whether this scope's names, texts and figures may be told."""
        return self.app in (None, app) and self.user in (None, user)

    def _chosen(self, what: str, named: str | None, bound: str | None) -> str:
        chosen = self._own(what, named, bound)
        if chosen is None:
            raise ValueError(f"`{what}` is missing: say whose memory it is")
        return chosen

    @staticmethod
    def _own(what: str, named: str | None, bound: str | None) -> str | None:
        if named is not None and bound is not None and named.strip() != bound:
            raise Forbidden(
                f"this key is for another {what}: leave `{what}` out, or use that {what}'s key"
            )
        return named if bound is None else bound
