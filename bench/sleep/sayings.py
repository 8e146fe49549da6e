"""What is planted in a scope that sleep has to tidy: sentences of which it is known what they come to."""

#: What was, what is now, and what it may be.
SLOTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "{x} lives in {v}.",
        "{x} has moved and lives in {v} now.",
        ("Tromso", "Cadiz", "Perth", "Osaka"),
    ),
    (
        "{x} works as a {v}.",
        "{x} is a {v} now, no longer a {w}.",
        ("plumber", "florist", "surveyor", "baker"),
    ),
    ("{x} drives a {v}.", "{x} drives a {v} instead of the {w}.", ("Skoda", "Volvo", "Fiat")),
    (
        "{x}'s dentist is Dr. {v}.",
        "{x} changed dentists: it is Dr. {v} now.",
        ("Amsel", "Brandt", "Okafor"),
    ),
    (
        "{x} goes to the gym on {v}.",
        "{x} goes to the gym on {v} from now on.",
        ("Mondays", "Fridays", "Sundays"),
    ),
    ("{x}'s rent is {v} euros.", "{x}'s rent went up to {v} euros.", ("840", "910", "1150")),
    (
        "{x} takes {v} sugar in coffee.",
        "{x} now takes {v} sugar in coffee.",
        ("no", "brown", "white"),
    ),
    (
        "{x}'s landlord is called {v}.",
        "{x} has a new landlord, called {v}.",
        ("Petrov", "Lindqvist", "Moreau"),
    ),
)
#: With a number or a name of which there may be several.
SEVERAL = (
    "{x} keeps a spare key in locker {n}.",
    "{x} finished race number {n} in the rain.",
    "{x} has a niece called {m} who plays the harp.",
    "{x} lent the ladder to {m} from next door.",
    "{x} was charged {n} euros for a parking ticket.",
    "{x} got error E{n} from the heating.",
)
NAMES = ("Odile", "Bastian", "Ximena", "Tariq", "Ludmila", "Kofi", "Ingrid", "Mateo")
