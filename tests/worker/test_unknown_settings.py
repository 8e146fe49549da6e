"""Variables with our prefix that nothing reads: they are named, with the setting that may be meant."""

from pathlib import Path

import pytest

from worker.settings import PREFIX, Settings, unknown_variables


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SLOWWAVE_SLEPP_AT", "SLOWWAVE_SLEEP_AT"),
        ("SLOWWAVE_REDISURL", "SLOWWAVE_REDIS_URL"),
        ("SLOWWAVE_BATCH_TURN", "SLOWWAVE_BATCH_TURNS"),
        ("slowwave_detecter", "SLOWWAVE_DETECTOR"),
        ("SLOWWAVE_Q", None),
    ],
)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_what_is_no_setting_is_named_with_what_is_near(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, meant: str | None, place: str
) -> None:
    if place == "file":
        (folder / ".env").write_text(f"{name}=1\n")
    else:
        monkeypatch.setenv(name, "1")

    assert unknown_variables() == {name.upper(): meant}


@pytest.mark.parametrize("field", Settings.model_fields)
def test_no_setting_is_taken_for_misspelt(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    monkeypatch.setenv(f"{PREFIX}{field.upper()}", "1")

    assert unknown_variables() == {}


@pytest.mark.parametrize("name", ["SLOWWAVE_WEAVIATE_BIN", "SLOWWAVES_AT", "OPENAI_API_KEY"])
def test_what_is_read_elsewhere_is_nobody_s_mistake(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")

    assert unknown_variables() == {}
