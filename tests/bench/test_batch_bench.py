"""The bench of a batch runs the real pipeline beside the bare calls, and tells where the time goes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench import __main__ as bench
from bench.batch.house import BARE, OURS, House, opened
from bench.batch.profile import OTHER, Watch, watched
from bench.batch.talk import FACTS, TURNS, batches, filled, said_anew
from bench.batch.work import work_of
from bench.recall.crowd import drawn
from bench.redis_process import RedisProcess
from tests.bench.test_measures import figures


@contextmanager
def house(folder: Path, many: int) -> Iterator[House]:
    url = f"sqlite:///{folder / 'store.db'}"
    with (
        RedisProcess(folder / "redis") as redis,
        opened(url, redis.url, drawn(60, 1, 1), many, folder / "bare.db") as one,
    ):
        yield one


def test_every_batch_is_about_other_memories() -> None:
    records = filled(drawn(60, 1, 1), OURS)
    talk = batches(records, 100)
    about = [one.about.memory.id for batch in talk for one in batch.sayings]

    assert len(talk) == 60 // FACTS
    assert len(set(about)) == len(about) == 60
    assert all(
        said_anew(one.text) == one.about.memory.text for batch in talk for one in batch.sayings
    )
    assert {len(batch.turns(OURS, 0)) for batch in talk} == {TURNS}


def test_the_bare_calls_are_those_of_the_same_batch() -> None:
    records = filled(drawn(60, 1, 1), BARE)
    (batch, *_) = batches(records, 2)
    work = work_of(batch, BARE, 0)

    assert [one.vector for one in work.queries] == [one.vector for one in batch.sayings]
    assert all(one.terms and one.slot for one in work.queries)
    assert work.read == [one.about.memory.id for one in batch.sayings]
    assert [one.memory.version for one in work.memories] == [2] * FACTS
    assert [one.archive.memory for one in work.archives] == [
        one.about.memory for one in batch.sayings
    ]


def test_a_batch_revises_four_memories_with_two_calls_of_the_model(
    tmp_path: Path, redis_program: Path
) -> None:
    with house(tmp_path, 3) as one:
        outcomes = [one.ours(), one.ours()]
        found = one.bare_store()
        one.bare_redis()

        assert [outcome.changes for outcome in outcomes] == [{"revise": FACTS}] * 2
        assert [outcome.turns for outcome in outcomes] == [TURNS] * 2
        jobs = [prompt.job for prompt in one.model.asked]
        assert jobs == ["extraction", "batchwise"] * 2
        assert one.parts.store.count(OURS) == 60
        texts = [saying.about.memory.text for saying in one.talk[0].sayings]
        assert all(any(text in payload for payload in found) for text in texts)
        assert (one.had, one.left) == (2, 1)


def test_what_is_watched_adds_up_and_the_pipeline_is_as_it_was(
    tmp_path: Path, redis_program: Path
) -> None:
    with house(tmp_path, 2) as one:
        before = type(one.parts.store).nominate
        with watched(one.parts) as watch:
            one.ours()
        rows = list(watch.rows(1, 10.0))
        one.ours()

    calls = {row.call: row.times for row in rows}
    assert calls["store nominate"] == calls["store put_memories"] == calls["Redis commit"] == 1
    assert sum(row.ms for row in rows if not row.call) == pytest.approx(10_000)
    assert [row.stage for row in rows if not row.call][-1] == OTHER
    assert type(one.parts.store).nominate is before


def test_a_stage_within_a_stage_is_part_of_it() -> None:
    watch = Watch()
    inner = watch.stage("inner", lambda: None)
    watch.stage("outer", inner)()
    inner()

    assert dict(watch.times) == {("outer", ""): 1, ("inner", ""): 1}


def test_a_batch_is_measured_beside_the_bare_calls(
    capsys: pytest.CaptureFixture[str], redis_program: Path
) -> None:
    found = figures(capsys, "batch", "--memories", "60", "--batches", "2")

    assert found["sqlite, 60: slowwave, p50"]["value"] > 0
    assert found["sqlite, 60: bare store, processor"]["value"] > 0
    assert found["sqlite, 60: slowwave beside the bare calls, p50"]["reach"] == ""
    assert found["sqlite, 60: batches that each scope had"]["value"] >= 2


def test_a_scope_too_small_for_other_memories_each_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as refused:
        bench.main(["batch", "--memories", "10"])

    assert refused.value.code == 2
    assert "at least 40" in capsys.readouterr().err
