"""Why sleep only proposes a plan, in words."""

from schemas.plan import Lost, Withheld


def told(withheld: Withheld) -> str:
    """In one line; empty where nothing is known of it."""
    reasons = [_told_of(one) for one in withheld.lost]
    reasons += [
        f"what would stand does not say all that memory {str(id)[:8]} says"
        for id in withheld.unsaid
    ]
    if withheld.beyond_share:
        reasons.append("it would change more than SLOWWAVE_SLEEP_MAX_SHARE allows in one night")
    return "; ".join(reasons)


def _told_of(lost: Lost) -> str:
    asked = f'"{lost.query}"' if lost.query else "that was asked"
    return f"the question {asked} would no longer find memory {str(lost.memory_id)[:8]}"


def with_reason(why: str, withheld: Withheld | None) -> str:
    """The judge's words, after the reason why they were not followed."""
    reason = told(withheld) if withheld else ""
    return "; ".join(filter(None, [f"not done: {reason}" if reason else "", why]))
