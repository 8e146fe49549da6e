"""Two dogs, told of three times in other words."""

from tests.cases.talk import Talk, found

DOGS, RESCUES = "Keeps two rescue greyhounds", "Has two greyhounds that are rescues"
WALK = "Walks the greyhounds before work"
NAMED = "The two rescue greyhounds are called Biscuit and Olive and are nine (May 2026)"
MERGED = "Keeps two rescue greyhounds, Biscuit and Olive, nine years old as of May 2026"
SAID = (
    ("I keep two rescue greyhounds.", "2026-04-02T08:00:00Z"),
    ("My greyhounds, both rescues, need a walk before work.", "2026-04-20T07:10:00Z"),
    ("The two rescue greyhounds, Biscuit and Olive, are nine now.", "2026-05-11T19:30:00Z"),
)
GREYHOUNDS = Talk(
    facts={
        SAID[0][0]: [found(DOGS)],
        SAID[1][0]: [found(RESCUES), found(WALK)],
        SAID[2][0]: [found(NAMED, happened_at="2026-05")],
    },
    relations={(RESCUES, DOGS): "same", (NAMED, DOGS): "update", (NAMED, RESCUES): "update"},
    texts={NAMED: MERGED},
)
#: Each two of them at 0.62.
DOG_SIMILARITY = dict.fromkeys((DOGS, RESCUES, NAMED), ("greyhounds", 0.62**0.5))
