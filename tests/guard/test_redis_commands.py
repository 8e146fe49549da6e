"""Commands that Redis is sent: by who publishes, by a worker with a batch or none, by who recalls, by a night."""

import pytest
from redis import Redis

from tests.desk import Desk
from tests.guard import acts, scene
from tests.guard.agreed import Counts, agree
from tests.guard.commands import counted_commands
from worker.adapters import serving

#: Commands by name; scripts by theirs, and as `in NAME` the commands that a script ran.
TABLE: dict[str, Counts] = {
    "publishing one turn": {"publish": 1, "in publish": 12},
    "publishing one turn with a new producer": {"GET": 1, "publish": 1, "in publish": 12},
    "publishing one turn behind others": {"publish": 1, "in publish": 14},
    "publishing a turn again": {"publish": 1, "in publish": 5},
    "publishing a hundred turns at once": {"publish": 100, "in publish": 1308},
    "waiting for a turn, one look": {"ticket": 1, "in ticket": 2},
    "asking for work where there is none": {
        "breaker": 1,
        "in breaker": 1,
        "claim": 1,
        "in claim": 4,
    },
    "settling the first batch of a scope": {
        "breaker": 2,
        "in breaker": 3,
        "claim": 1,
        "in claim": 17,
        "GET": 1,
        "LRANGE": 2,
        "HMGET": 2,
        "renew": 1,
        "in renew": 3,
        "save_plan": 1,
        "in save_plan": 2,
        "HLEN": 1,
        "commit": 1,
        "in commit": 15,
    },
    "settling a batch of ten turns": {
        "breaker": 2,
        "in breaker": 3,
        "claim": 1,
        "in claim": 18,
        "GET": 1,
        "LRANGE": 2,
        "HMGET": 2,
        "renew": 1,
        "in renew": 3,
        "save_plan": 1,
        "in save_plan": 2,
        "commit": 1,
        "in commit": 16,
    },
    "settling a batch of ten turns within a budget": {
        "breaker": 2,
        "in breaker": 3,
        "claim": 1,
        "in claim": 18,
        "GET": 1,
        "LRANGE": 2,
        "spend": 2,
        "in spend": 6,
        "HMGET": 2,
        "renew": 1,
        "in renew": 3,
        "save_plan": 1,
        "in save_plan": 2,
        "commit": 1,
        "in commit": 16,
    },
    "settling a batch of chat": {
        "breaker": 2,
        "in breaker": 3,
        "claim": 1,
        "in claim": 17,
        "GET": 1,
        "LRANGE": 2,
        "HMGET": 2,
        "renew": 1,
        "in renew": 3,
        "save_plan": 1,
        "in save_plan": 2,
        "commit": 1,
        "in commit": 15,
    },
    "settling a batch whose plan was kept": {
        "breaker": 2,
        "in breaker": 3,
        "claim": 1,
        "in claim": 25,
        "GET": 1,
        "LRANGE": 1,
        "HMGET": 1,
        "commit": 1,
        "in commit": 16,
    },
    "giving a batch back": {"fail": 1, "in fail": 13},
    "recalling with what was shown and the turns that wait": {"shown": 1, "in shown": 10},
    "noting what an answer has shown": {"show": 1, "in show": 25, "serve": 1, "in serve": 35},
    "asking for whoever is to sleep where nobody is": {"sleep_claim": 1, "in sleep_claim": 4},
    "a night over what changed": {
        "sleep_claim": 1,
        "in sleep_claim": 9,
        "LLEN": 2,
        "claim_scope": 3,
        "in claim_scope": 24,
        "GET": 3,
        "HGETALL": 1,
        "release": 3,
        "in release": 27,
        "breaker": 1,
        "in breaker": 2,
        "sleep_end": 1,
        "in sleep_end": 4,
    },
    "a night over what is as it was": {
        "sleep_claim": 1,
        "in sleep_claim": 9,
        "LLEN": 1,
        "claim_scope": 1,
        "in claim_scope": 8,
        "GET": 1,
        "HGETALL": 1,
        "release": 1,
        "in release": 9,
        "breaker": 1,
        "in breaker": 2,
        "sleep_end": 1,
        "in sleep_end": 4,
    },
}


@pytest.mark.parametrize("case", TABLE)
def test_redis_is_sent(
    table: Desk, counted: Redis, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "EVERY_SECONDS", 3600)
    with CASES[case](table) as act, counted_commands(counted) as found:
        act()

    agree(case, found.counts, TABLE[case], f"TABLE[{case!r}]", __file__)


CASES: dict[str, acts.Case] = {
    "publishing one turn": lambda table: acts.publishing(table, scene.CHAT[0]),
    "publishing one turn with a new producer": acts.publishing_first,
    "publishing one turn behind others": lambda table: acts.publishing(
        table, scene.CHAT[0], before=3
    ),
    "publishing a turn again": acts.publishing_again,
    "publishing a hundred turns at once": acts.publishing_many,
    "waiting for a turn, one look": acts.waiting,
    "asking for work where there is none": acts.nobody_is_due,
    "settling the first batch of a scope": lambda table: acts.settling(
        table, *scene.CHAT, known=False
    ),
    "settling a batch of ten turns": lambda table: acts.settling(table, *scene.TEN_TURNS),
    "settling a batch of ten turns within a budget": lambda table: acts.settling(
        table, *scene.TEN_TURNS, daily_calls=100
    ),
    "settling a batch of chat": lambda table: acts.settling(table, *scene.CHAT),
    "settling a batch whose plan was kept": acts.settling_what_was_kept,
    "giving a batch back": acts.giving_back,
    "recalling with what was shown and the turns that wait": lambda table: acts.recalling(
        table, notes=False
    ),
    "noting what an answer has shown": lambda table: acts.recalling(table, notes=True),
    "asking for whoever is to sleep where nobody is": acts.nobody_is_to_sleep,
    "a night over what changed": lambda table: acts.sleeping(table, night=0),
    "a night over what is as it was": lambda table: acts.sleeping(table, night=1),
}
