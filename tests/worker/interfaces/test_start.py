"""The console script, also where only the producers were installed."""

import pytest

from worker.interfaces import start


def missing(module: str, name: str) -> object:
    raise ModuleNotFoundError("no", name="typer")


def test_without_the_worker_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "on_demand", missing)

    with pytest.raises(SystemExit, match=r"typer is not installed.*slowwave\[worker,local\]"):
        start.run()
