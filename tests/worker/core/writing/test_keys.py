from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st

from schemas.ids import write_run_id
from schemas.plan import Run
from tests.build import NOW, SCOPE, uid
from worker.core.writing.keys import run_of, run_that_did

KEYS = st.lists(st.text(st.sampled_from("ab1"), min_size=1), min_size=1, max_size=3)


def run(state: str, name: str = "r") -> Run:
    return Run.model_validate(
        {
            "id": uid(name),
            "kind": "write",
            "scope": SCOPE,
            "state": state,
            "turn_ids": (uid("t"),),
            "started_at": NOW,
        }
    )


def test_the_key_of_one_statement_is_the_key_of_its_run() -> None:
    assert run_of(SCOPE.key, ["ticket 17"], []) == write_run_id(SCOPE.key, "ticket 17")


@example([(("a", "1"), 0), (("a",), 1)])
@given(st.lists(st.tuples(KEYS.map(tuple), st.integers(0, 3)), unique=True, max_size=6))
def test_no_two_writes_share_a_run(writes: list[tuple[tuple[str, ...], int]]) -> None:
    runs = [run_of("s", keys, [run("undone", str(n)) for n in range(nth)]) for keys, nth in writes]

    assert not [pair for pair in combinations(runs, 2) if pair[0] == pair[1]]


def test_only_what_was_applied_was_done() -> None:
    assert run_that_did(uid("t"), [run("undone"), run("parked"), run("open")]) is None
    assert run_that_did(uid("other"), [run("applied")]) is None
    assert run_that_did(uid("t"), [run("undone"), run("applied", "a")]) == run("applied", "a")
