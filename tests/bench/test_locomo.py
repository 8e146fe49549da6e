"""A LoCoMo conversation becomes lines that can be published."""

import json
from pathlib import Path

import pytest

from bench import locomo

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi \u2013 how are you?"},
            {
                "speaker": "Bo",
                "dia_id": "D1:2",
                "text": "Look!",
                "blip_caption": "a photo of a cat",
            },
        ],
        "session_2_date_time": "12:09 am on 13 September, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I moved."}],
        "session_3_date_time": "9:00 am on 1 October, 2023",
    },
}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "locomo10.json"
    path.write_text(json.dumps([SAMPLE]))
    return str(path)


def test_a_conversation_becomes_turns_in_the_order_and_time_they_were_said(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert locomo.main([file, "--conversation", "conv-1"]) == 0

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["conversation"], line["speaker"], line["said_at"]) for line in lines] == [
        ("session_1", "Ann", "2023-05-08T13:56:00+00:00"),
        ("session_1", "Bo", "2023-05-08T13:56:01+00:00"),
        ("session_2", "Bo", "2023-09-13T00:09:00+00:00"),
    ]
    assert lines[0] == {
        "app": "locomo",
        "user": "conv-1",
        "conversation": "session_1",
        "role": "user",
        "speaker": "Ann",
        "text": "Hi – how are you?",
        "said_at": "2023-05-08T13:56:00+00:00",
        "id": "D1:1",
    }


def test_captions_of_pictures_are_not_what_was_said(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    locomo.main([file, "--conversation", "conv-1"])

    assert "cat" not in capsys.readouterr().out


def test_a_missing_file_says_where_the_data_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert locomo.main(["nowhere.json"]) == 2

    told = capsys.readouterr().err
    assert "nowhere.json" in told
    assert "snap-research/locomo" in told


def test_an_unknown_conversation_names_those_there_are(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert locomo.main([file, "--conversation", "conv-99"]) == 2

    assert "conv-1" in capsys.readouterr().err
