"""Which scopes a store need not keep in memory."""

from collections.abc import Mapping


def untouched(
    touched: Mapping[str, float], now: float, seconds: float, most: int
) -> dict[str, float]:
    """Scopes that were not touched for so long, and the longest untouched of those beyond `most`.

    `touched` holds the key of each and when it was touched, the longest untouched first.
    """
    surplus = len(touched) - most
    return {
        key: when
        for place, (key, when) in enumerate(touched.items())
        if place < surplus or now - when >= seconds
    }
