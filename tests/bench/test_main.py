"""`python -m bench` lists what there is and runs what is named."""

import pytest

from bench import __main__ as bench


def test_without_a_name_every_bench_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(bench.BENCHES)


def test_an_unknown_name_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["nothing"]) == 2

    assert "locomo" in capsys.readouterr().err


def test_a_name_passes_its_arguments_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["locomo", "nowhere.json"]) == 2

    assert "nowhere.json" in capsys.readouterr().err
