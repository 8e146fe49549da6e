"""Settings from the environment and from a `.env` file."""

import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from worker.core.sleeping.hours import hours_of
from worker.errors import Misconfigured
from worker.settings import LONGEST_INSTRUCTIONS, Settings, habits_of, load, revealed

FALLBACKS = [
    ("model_key", "SLOWWAVE_MODEL_KEY", "OPENAI_API_KEY"),
    ("embedder_key", "SLOWWAVE_EMBEDDER_KEY", "OPENAI_API_KEY"),
    ("model_url", "SLOWWAVE_MODEL_URL", "OPENAI_BASE_URL"),
    ("embedder_url", "SLOWWAVE_EMBEDDER_URL", "OPENAI_BASE_URL"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, and no setting around it."""
    monkeypatch.chdir(tmp_path)
    for name in (*(f"SLOWWAVE_{field.upper()}" for field in Settings.model_fields),):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def plain(settings: Settings, field: str) -> object:
    value = getattr(settings, field)
    return revealed(value) if isinstance(value, SecretStr) else value


@pytest.mark.parametrize("field", Settings.model_fields)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_variable_that_is_set_to_nothing_is_not_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch, field: str, place: str
) -> None:
    before = load()
    name = f"SLOWWAVE_{field.upper()}"
    if place == "file":
        (folder / ".env").write_text(f"{name}=\n")
    else:
        monkeypatch.setenv(name, "")

    assert load() == before


@pytest.mark.parametrize(("field", "own", "fallback"), FALLBACKS)
@pytest.mark.parametrize("empty_in", ["environment", "file"])
@pytest.mark.parametrize("given_in", ["environment", "file"])
def test_a_variable_that_is_set_to_nothing_hides_no_fallback(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    field: str,
    own: str,
    fallback: str,
    empty_in: str,
    given_in: str,
) -> None:
    lines = {"file": "", "environment": ""}
    lines[empty_in] += f"{own}=\n"
    lines[given_in] += f"{fallback}=http://given\n"
    (folder / ".env").write_text(lines["file"])
    for line in lines["environment"].splitlines():
        monkeypatch.setenv(*line.split("=", 1))

    assert plain(load(), field) == "http://given"


@pytest.mark.parametrize(("field", "own", "fallback"), FALLBACKS)
def test_our_own_variable_comes_before_the_fallback(
    monkeypatch: pytest.MonkeyPatch, field: str, own: str, fallback: str
) -> None:
    monkeypatch.setenv(fallback, "http://theirs")
    monkeypatch.setenv(own, "http://ours")

    assert plain(load(), field) == "http://ours"


def test_an_empty_variable_lets_the_file_speak(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".env").write_text("SLOWWAVE_TOP_K=3\n")
    monkeypatch.setenv("SLOWWAVE_TOP_K", "")

    assert load().top_k == 3


def test_every_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_TOP_K", "many")
    monkeypatch.setenv("SLOWWAVE_THRESHOLD", "7")

    with pytest.raises(Misconfigured, match=r"SLOWWAVE_THRESHOLD.*SLOWWAVE_TOP_K|SLOWWAVE_TOP_K"):
        load()


def test_json_is_read_as_it_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_MODEL_EXTRA_BODY", '{"*": {"thinking": {"type": "disabled"}}}')
    monkeypatch.setenv("SLOWWAVE_APP_INSTRUCTIONS", '{"acme ": " Never note prices.\\n"}')

    assert load().model_extra_body == {"*": {"thinking": {"type": "disabled"}}}
    assert load().app_instructions == {"acme": "Never note prices."}


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("MODEL_EXTRA_BODY", "{thinking: off}", "Invalid JSON"),
        ("MODEL_EXTRA_BODY", '["thinking"]', "valid dictionary"),
        ("MODEL_EXTRA_BODY", '{"thinking": "off"}', "valid dictionary"),
        ("MODEL_EXTRA_BODY", '{"*": {"model": "x", "messages": []}}', r"\* sets messages, model"),
        ("MODEL_EXTRA_BODY", '{"extraction": {"stream": true}}', "extraction sets stream"),
        ("APP_INSTRUCTIONS", '{"acme": ["Never note prices."]}', "valid string"),
        (
            "APP_INSTRUCTIONS",
            json.dumps({"acme": "x" * (LONGEST_INSTRUCTIONS + 1)}),
            "acme has 2,001 characters: shorten it to 2,000",
        ),
        ("SLEEP_PASSES", "tidy", "Invalid JSON"),
        ("SLEEP_PASSES", '["dream"]', "'re-embed', 'expire', 'tidy'"),
        ("SLEEP_CANARIES", '["Where do I live?"]', "valid dictionary"),
        ("SLEEP_CANARIES", '{"acme": [" "]}', "acme has a question that is blank or has more than"),
        ("SLEEP_CANARIES", json.dumps({"*": ["x" * 501]}), "blank or has more than 500 characters"),
        ("SLEEP_CANARIES", json.dumps({"*": ["x"] * 51}), r"\* has 51 questions: 50 at most"),
        ("TOKENIZER", "gpt", "estimate"),
        ("DAILY_CALLS", "-1", "greater than or equal to 0"),
        ("SLEEP_HOURS", "22-6", "write the hours as HH:MM-HH:MM"),
        ("SLEEP_TIME_ZONE", "Europe/Nowhere", "is no time zone that this system knows"),
        ("SLEEP_TIME_ZONE", "../etc/passwd", "is no time zone that this system knows"),
        ("SLEEP_TIME_ZONE", "Europe", "is no time zone that this system knows"),
        ("SLEEP_TIME_ZONES", '{"acme": "CETT"}', "'CETT' is no time zone"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(f"SLOWWAVE_{name}", value)

    with pytest.raises(Misconfigured, match=f"SLOWWAVE_{name}: .*{told}"):
        load()


def test_a_scope_is_asked_what_every_app_is_and_what_its_own_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLOWWAVE_SLEEP_CANARIES", '{"*": ["Who am I?"], "acme ": ["Where?"]}')

    assert load().canaries_of("acme") == ("Who am I?", "Where?")
    assert load().canaries_of("another") == ("Who am I?",)


def test_an_app_has_a_time_zone_of_its_own_or_that_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_SLEEP_HOURS", "22:00-06:00")
    monkeypatch.setenv("SLOWWAVE_SLEEP_TIME_ZONE", "Europe/Oslo")
    monkeypatch.setenv("SLOWWAVE_SLEEP_TIME_ZONES", '{" acme ": "Asia/Tokyo"}')

    zones = [str(habits_of(load(), app).zone) for app in ("acme", "other")]

    assert zones == ["Asia/Tokyo", "Europe/Oslo"]
    assert habits_of(load(), "acme").hours == hours_of("22:00-06:00")


def test_a_lease_is_long_enough_to_be_renewed_and_written_under(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLOWWAVE_LEASE_SECONDS", "2.9")

    with pytest.raises(Misconfigured, match="SLOWWAVE_LEASE_SECONDS"):
        load()


def test_a_key_is_shown_only_to_who_asks_for_it() -> None:
    assert revealed(SecretStr("sk-1")) == "sk-1"
    assert revealed(None) is None
    assert "sk-1" not in repr(Settings(model_key=SecretStr("sk-1")))


@pytest.mark.parametrize(
    ("begin", "end", "told"),
    [
        ("<<<", "<<<", "cannot be told apart"),
        ("memory", "MEMORY END", "cannot be told apart"),
        ("[[memory]]", "   ", "RECALL_END: .* begins or ends with a blank"),
        ("--- ", "[[end]]", "RECALL_BEGIN: .* begins or ends with a blank"),
    ],
)
def test_marks_that_would_hide_what_was_said_are_refused(
    monkeypatch: pytest.MonkeyPatch, begin: str, end: str, told: str
) -> None:
    monkeypatch.setenv("SLOWWAVE_RECALL_BEGIN", begin)
    monkeypatch.setenv("SLOWWAVE_RECALL_END", end)

    with pytest.raises(Misconfigured, match=told):
        load()
