import pytest
from pydantic import SecretStr

from worker.interfaces.where import model_of, shown, without_places, without_secrets
from worker.settings import Settings


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("redis://localhost:6379/0", "redis://localhost:6379/0"),
        ("redis://ann:hunter2@db:6379/1", "redis://***@db:6379/1"),
        ("rediss://:hunter2@db", "rediss://***@db"),
        ("redis://db?password=hunter2&db=1", "redis://db?db=1"),
        ("redis://:a@hunter2@db", "redis://***@db"),
        (
            "redis+cluster://:hunter2@[::1]:7000,[::2]:7001",
            "redis+cluster://***@[::1]:7000,[::2]:7001",
        ),
        ("redis+sentinel://s1,s2/m/1?sentinel_password=hunter2", "redis+sentinel://s1,s2/m/1"),
        ("weaviate://w:8080?grpc_port=50051", "weaviate://w:8080?grpc_port=50051"),
        ("sqlite:////data/memory.db", "sqlite:////data/memory.db"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, seen: str) -> None:
    assert shown(url) == seen


def test_text_loses_every_secret_of_the_settings() -> None:
    settings = Settings(
        redis_url="redis://:hunter2@db", model_key=SecretStr("sk-1"), store_key=SecretStr("w-2")
    )

    assert without_secrets("hunter2 and sk-1, w-2!", settings) == "*** and ***, ***!"


def test_text_loses_the_passwords_of_several_hosts_too() -> None:
    settings = Settings(
        redis_url="redis+sentinel://:p%40w@[::1],[::2]/m?sentinel_password=hunter2",
        broker_url="redis://db?password=hunter3",
    )

    assert without_secrets("p@w, hunter2, hunter3", settings) == "***, ***, ***"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Error 111 connecting to 127.0.0.1:6379. Refused", "Error 111 connecting to …. Refused"),
        ("ipv4:10.0.0.7:50051: refused", "…: refused"),
        ("ipv6:[::1]:50051: refused", "…: refused"),
        ("see http://models.internal/v1 (500)", "see … (500)"),
        ("vault is down, and so is vault.internal", "… is down, and so is vault.internal"),
        ("cache.internal:6379 said no", "… said no"),
        ("cannot open /data/memory.db: is it there?", "cannot open …: is it there?"),
        ("unix:/run/redis.sock is gone", "… is gone"),
        ("hunter2", "***"),
        ("connecting to [::1]:6379 or ::1", "connecting to … or …"),
        ("as_of is 2026-01-01 00:00:00+00:00: give less", None),
        ("Redis does not answer: try at 12:30, 3 of 4 and/or 50%", None),
        ("memory 6f1c0a9e-0000-5000-8000-000000000001 is at version 2", None),
    ],
)
def test_somebody_elsewhere_is_not_told_where_the_parts_are(text: str, told: str | None) -> None:
    settings = Settings(redis_url="redis://:hunter2@vault:6379", _env_file=None)

    assert without_places(text, settings) == (told or text)


def test_the_mode_without_a_model_says_that_it_has_none() -> None:
    assert "no language model" in model_of(Settings(model="rules"))
    assert model_of(Settings(model="m", model_url="http://h/v1")) == "m at http://h/v1"
