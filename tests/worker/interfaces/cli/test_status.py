from tests.worker.interfaces.cli.running import Cli


def test_the_figures_follow_what_is_published_and_worked_off(cli: Cli) -> None:
    file = cli.write({"app": "tests", "user": "ann", "role": "user", "text": "I live in Oslo."})
    cli("publish", file)

    waiting = cli("status", "--json").document
    cli("drain", "--all")
    done = cli("status", "--json").document

    assert (waiting["pending_turns"], waiting["pending_scopes"]) == (1, 1)
    assert {"oldest_ready_seconds", "busy", "parked"} <= waiting.keys()
    assert (done["pending_turns"], done["busy"], done["parked"]) == (0, 0, 0)


def test_people_see_the_same_figures_and_what_they_are_worked_with(cli: Cli) -> None:
    told = cli("status")

    assert told.status == 0
    assert "pending turns" in told.out
    assert "sqlite" in told.out
    assert "rules" in told.out
