"""A file in LoCoMo's shape, made up."""

from typing import Any

QUESTIONS: tuple[dict[str, Any], ...] = (
    {"question": "Where does Ann live?", "answer": "Oslo", "category": 4, "evidence": ["D1:1"]},
    {"question": "When did Bo move?", "answer": 2023, "category": 2, "evidence": ["D2:1"]},
    {"question": "What do both like?", "answer": "tea, rain", "category": 1, "evidence": []},
    {"question": "Would Bo hike?", "answer": "Yes", "category": 3, "evidence": []},
    {"question": "Where does Bo ski?", "adversarial_answer": "Oslo", "category": 5, "evidence": []},
)


def sample(name: str = "conv-1", **changes: Any) -> dict[str, Any]:
    """Two sessions of two turns and one question of each category."""
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I live in Oslo."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "I like tea.", "blip_caption": "a cup"},
            ],
            "session_2_date_time": "12:09 am on 13 September, 2023",
            "session_2": [
                {"speaker": "Bo", "dia_id": "D2:1", "text": "I moved to Turin."},
                {"speaker": "Ann", "dia_id": "D2:2", "text": " "},
            ],
        },
        "qa": [dict(one) for one in QUESTIONS],
        **changes,
    }
