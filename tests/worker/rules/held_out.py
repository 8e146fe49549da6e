"""Small conversations that the rules were not written against, and what should be left of them.

`CONVERSATIONS` were written down before the first rule, `LATER` once the rules stood and before they had
read any of them. A rule is never changed to please one of these; the score in the test that reads this file
says whether the rules as a whole get better or worse.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Conversation:
    """Turns are (role, time said, text); patterns are regular expressions over the stored texts."""

    name: str
    turns: tuple[tuple[str, str, str], ...]
    #: For each, some live memory matches.
    live: tuple[str, ...] = ()
    #: No live memory matches.
    never: tuple[str, ...] = ()
    #: For each, some archived version matches.
    archived: tuple[str, ...] = ()
    #: Most live memories at the end.
    most: int = 99
    #: Pattern of a live memory → its `happened_at`.
    happened: dict[str, str] = field(default_factory=dict)
    #: Pattern of a live memory that holds for a while only → pattern of what stands again.
    after: dict[str, str] = field(default_factory=dict)


CONVERSATIONS = (
    Conversation(
        "a new trade",
        (
            ("user", "2026-01-05T09:00:00Z", "I'm a paramedic in Leeds. Shifts are brutal."),
            ("assistant", "2026-01-05T09:00:09Z", "That sounds hard. Do you sleep well?"),
            (
                "user",
                "2026-04-01T09:00:00Z",
                "Update: I've left the ambulance service and I'm a first-aid teacher now.",
            ),
        ),
        live=(r"first-aid teacher",),
        never=(r"^User is a paramedic in Leeds\.?$",),
        archived=(r"paramedic",),
    ),
    Conversation(
        "nothing to remember",
        (
            ("user", "2026-01-05T09:00:00Z", "What's the capital of Peru?"),
            ("assistant", "2026-01-05T09:00:09Z", "Lima. You seem to love geography!"),
            (
                "user",
                "2026-01-05T09:01:00Z",
                "Could you write me a poem about foxes? Thanks a lot!",
            ),
            ("user", "2026-01-05T09:02:00Z", "Hmm, make it funnier. I wonder if foxes dream."),
        ),
        most=0,
    ),
    Conversation(
        "whose allergy",
        (
            (
                "user",
                "2026-01-05T09:00:00Z",
                "My sister Ilse is allergic to shellfish, which makes Christmas tricky. I eat everything.",
            ),
        ),
        live=(r"Ilse.*allergic to shellfish", r"^User eats everything"),
        never=(r"^User is allergic",),
        most=2,
    ),
    Conversation(
        "standing orders",
        (
            ("user", "2026-01-05T09:00:00Z", "Always use metric units when you answer me, please."),
            ("assistant", "2026-01-05T09:00:09Z", "Understood."),
            ("user", "2026-01-06T09:00:00Z", "Never call me Mister. Translate this: good morning."),
        ),
        live=(r"metric units", r"Mister"),
        never=(r"good morning",),
        most=2,
    ),
    Conversation(
        "said three times",
        (
            ("user", "2026-01-05T09:00:00Z", "I'm vegetarian."),
            ("user", "2026-01-15T09:00:00Z", "I am a vegetarian by the way."),
            ("user", "2026-02-05T09:00:00Z", "Don't forget that I'm vegetarian!"),
        ),
        live=(r"vegetarian",),
        most=1,
    ),
    Conversation(
        "two codes",
        (
            (
                "user",
                "2026-01-05T09:00:00Z",
                "The build failed with E0382 yesterday; the root cause was a vector moved twice.",
            ),
            (
                "user",
                "2026-01-06T09:00:00Z",
                "The build failed with E0383 too. The cause of E0383 was a stale lock file.",
            ),
        ),
        live=(r"E0382.*vector", r"E0383.*lock file"),
    ),
    Conversation(
        "two cats",
        (
            ("user", "2026-01-05T09:00:00Z", "My cat is called Biscuit."),
            ("user", "2026-03-05T09:00:00Z", "We have a second cat now, her name is Pickle."),
        ),
        live=(r"Biscuit", r"Pickle"),
    ),
    Conversation(
        "in three weeks",
        (
            (
                "user",
                "2026-02-01T23:30:00-05:00",
                "I'm running the Lisbon marathon in three weeks. I bought new shoes yesterday.",
            ),
        ),
        live=(r"marathon", r"shoes"),
        happened={r"marathon": "2026-02-22", r"shoes": "2026-01-31"},
        most=2,
    ),
    Conversation(
        "the bus for a while",
        (
            ("user", "2026-01-05T09:00:00Z", "I cycle to work."),
            (
                "user",
                "2026-02-05T09:00:00Z",
                "While my bike is at the workshop I take the number 14 bus to work.",
            ),
        ),
        live=(r"14 bus",),
        after={r"14 bus": r"cycles to work"},
    ),
    Conversation(
        "made up",
        (
            ("user", "2026-01-05T09:00:00Z", "If I had a garden I'd grow dahlias."),
            ("user", "2026-01-05T09:01:00Z", "Imagine I'm a pirate for the next few answers."),
            (
                "user",
                "2026-01-05T09:02:00Z",
                "My character Bertha hates the rain, describe her boat.",
            ),
            ("user", "2026-01-05T09:03:00Z", 'My boss wrote: "I live in Madrid and hate Mondays."'),
        ),
        never=(r"dahlias", r"pirate", r"Madrid", r"User.*rain"),
        most=1,
    ),
    Conversation(
        "please forget",
        (
            (
                "user",
                "2026-01-05T09:00:00Z",
                "I smoke about ten cigarettes a day. I play the cello.",
            ),
            ("user", "2026-02-05T09:00:00Z", "Please forget that I smoke."),
        ),
        live=(r"cello",),
        never=(r"smoke", r"cigarettes", r"forget"),
        most=1,
    ),
    Conversation(
        "a favourite, and another language",
        (
            ("user", "2026-01-05T09:00:00Z", "Ich wohne in Köln und trinke gern Tee."),
            ("user", "2026-01-06T09:00:00Z", "My favourite colour is teal."),
            ("user", "2026-04-06T09:00:00Z", "Actually, my favorite colour is rust these days."),
        ),
        live=(r"rust",),
        never=(r"^User's favou?rite colour is teal\.?$",),
        archived=(r"teal",),
        most=2,
    ),
)

LATER = (
    Conversation(
        "a trip and a fear",
        (
            (
                "user",
                "2026-05-02T20:00:00+02:00",
                "so we're off to Iceland next month, first time! fun fact, I'm terrified of flying",
            ),
            ("assistant", "2026-05-02T20:00:09+02:00", "Shall I list ways to relax on a plane?"),
            ("user", "2026-05-02T20:01:00+02:00", "go on then"),
        ),
        live=(r"Iceland", r"flying"),
        never=(r"go on",),
        happened={r"Iceland": "2026-06"},
        most=2,
    ),
    Conversation(
        "new wheels",
        (
            ("user", "2026-01-02T09:00:00Z", "I ride a Vespa to the office, even in winter."),
            (
                "user",
                "2026-06-02T09:00:00Z",
                "Got rid of the Vespa at last. I take the metro to the office.",
            ),
        ),
        live=(r"metro to the office",),
        never=(r"^User rides a Vespa",),
        archived=(r"Vespa",),
    ),
    Conversation(
        "doctor's orders",
        (
            (
                "user",
                "2026-03-10T09:00:00Z",
                "My cardiologist told me to avoid salt. I take 5 mg of ramipril every evening.",
            ),
            ("user", "2026-07-10T09:00:00Z", "I now take 10 mg of ramipril every evening."),
        ),
        live=(r"salt", r"10 mg of ramipril"),
    ),
    Conversation(
        "a friend's news",
        (
            (
                "user",
                "2026-03-10T09:00:00Z",
                "My friend Bea got a job at the aquarium! She moves to Genoa in September. I'm jealous.",
            ),
        ),
        live=(r"^Bea.*aquarium", r"^Bea.*Genoa"),
        never=(r"^User (?:got a job|moves)",),
        most=3,
    ),
    Conversation(
        "tool settings",
        (
            ("user", "2026-03-10T09:00:00Z", "I use Vim with the gruvbox theme. Tabs are evil."),
            ("user", "2026-08-10T09:00:00Z", "I've switched from Vim to Helix, same theme though."),
        ),
        live=(r"Helix", r"gruvbox"),
        never=(r"^User uses Vim with the gruvbox theme\.?$",),
    ),
    Conversation(
        "guesses and jokes",
        (
            (
                "user",
                "2026-03-10T09:00:00Z",
                "I could eat a horse. Do you think I'm too old for ballet?",
            ),
            ("user", "2026-03-10T09:01:00Z", "What would happen if I moved to Mars? Just asking."),
            (
                "user",
                "2026-03-10T09:02:00Z",
                "Write a birthday card: my grandma turns 90 and I love her.",
            ),
        ),
        never=(r"horse", r"ballet", r"Mars"),
        most=2,
    ),
    Conversation(
        "corrected",
        (
            ("user", "2026-03-10T09:00:00Z", "My birthday is on the 14th of March."),
            ("user", "2026-03-10T09:01:00Z", "Sorry, typo: my birthday is on the 15th of March."),
        ),
        live=(r"15th of March",),
        never=(r"^User's birthday is on the 14th of March\.?$",),
        most=1,
    ),
    Conversation(
        "night shifts for a while",
        (
            ("user", "2026-03-10T09:00:00Z", "I usually start work at nine."),
            (
                "user",
                "2026-04-10T09:00:00Z",
                "I'm on night shifts until the end of April, so don't expect me in the mornings.",
            ),
        ),
        live=(r"night shifts", r"nine"),
    ),
    Conversation(
        "one voice of two",
        (
            (
                "user",
                "2026-03-10T09:00:00Z",
                "My husband Kofi loves durian, I can't stand the smell. We don't own a television.",
            ),
        ),
        live=(r"^Kofi.*durian", r"^User can't stand the smell", r"television"),
        never=(r"^User loves durian", r"^User owns"),
        most=3,
    ),
    Conversation(
        "hobbies add up",
        (
            ("user", "2026-03-10T09:00:00Z", "I'm really into bouldering."),
            ("user", "2026-04-10T09:00:00Z", "I've taken up pottery, every Wednesday evening."),
            (
                "user",
                "2026-05-10T09:00:00Z",
                "Bouldering is still my favourite thing in the world, you know.",
            ),
        ),
        live=(r"[Bb]ouldering", r"pottery"),
    ),
    Conversation(
        "wipe it",
        (
            (
                "user",
                "2026-03-10T09:00:00Z",
                "I was in rehab two years ago. I bake sourdough on Saturdays.",
            ),
            ("user", "2026-03-12T09:00:00Z", "Please delete what I told you about rehab."),
        ),
        live=(r"sourdough",),
        never=(r"rehab",),
        most=1,
    ),
    Conversation(
        "the same promise again",
        (
            ("user", "2026-03-10T09:00:00Z", "I'm saving up for a canal boat."),
            (
                "user",
                "2026-04-10T09:00:00Z",
                "Saving for a canal boat, remember? So no, I'm not buying shoes.",
            ),
            ("user", "2026-05-10T09:00:00Z", "I am saving up for a canal boat!"),
        ),
        live=(r"canal boat",),
        most=2,
    ),
)
