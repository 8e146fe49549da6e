"""What `slowwave recall` notes of its answers, and that it needs no Redis for them."""

from pathlib import Path

import pytest
from redis import Redis

from tests.build import SCOPE, memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf
from worker import wiring
from worker.adapters.embedded import embedded_redis, running_redis
from worker.adapters.served import ServedLog
from worker.settings import Settings

OSLO = memory("Ann lives in Oslo.")


@pytest.mark.parametrize(
    ("options", "questions", "times"),
    [
        (("Where is Oslo?",), ["Where is Oslo?"], 1),
        ((), [], 1),
        (("Where is Oslo?", "--as-of", "2026-05-24"), [], None),
        (("Where is Oslo?", "--valid-at", "2026-05-24"), [], None),
        (("Where is Oslo?", "--with-history"), [], None),
    ],
)
def test_what_is_answered_of_what_stands_now_is_noted(
    cli: Cli,
    shelf: Shelf,
    redis_client: Redis,
    options: tuple[str, ...],
    questions: list[str],
    times: int | None,
) -> None:
    shelf.put(OSLO)
    told = cli("recall", *options, *WHOSE)

    assert (told.status, OSLO.text in told.out) == (0, True)
    log = ServedLog(redis_client)
    assert [one.query for one in log.questions(SCOPE.key)] == questions
    assert log.used(SCOPE.key).get(OSLO.id) == times


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "", "nonsense"])
def test_a_redis_that_is_not_there_changes_nothing_of_the_answer(
    cli: Cli, shelf: Shelf, url: str
) -> None:
    shelf.put(OSLO)
    with_one = cli("recall", "Oslo?", *WHOSE)
    without = cli("recall", "Oslo?", *WHOSE, SLOWWAVE_REDIS_URL=url)

    assert (without.status, without.out, without.err) == (0, with_one.out, "")
    assert not (cli.folder / "redis").exists()


def test_an_embedded_redis_takes_notes_while_it_runs_and_is_never_started_for_them(
    tmp_path: Path,
) -> None:
    settings = Settings(data_dir=tmp_path, _env_file=None)
    assert running_redis(tmp_path) is None
    with embedded_redis(tmp_path) as url:
        assert running_redis(tmp_path) == url
        serving = wiring.serving_of(settings)
        serving.note(SCOPE, ("Oslo?",), [OSLO.id])
        assert serving.flush()
        serving.close()
    assert running_redis(tmp_path) is None

    serving = wiring.serving_of(settings)
    serving.note(SCOPE, ("Oslo?",), [OSLO.id])
    assert not serving.flush()
    serving.close()
    assert running_redis(tmp_path) is None
