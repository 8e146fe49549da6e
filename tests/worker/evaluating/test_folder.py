"""A folder holds one evaluation under one set of conditions, and lets one process in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from worker.errors import Misconfigured
from worker.evaluating.folder import Conditions, entered

CONDITIONS = Conditions(
    data="d1",
    answer_model="m",
    grade_model="m",
    prompts={"answer": "p1"},
    settings={"detector": "batchwise", "threshold": None},
    version="1",
)


def test_the_same_conditions_go_on(tmp_path: Path) -> None:
    for _ in range(2):
        with entered(tmp_path / "new" / "folder", CONDITIONS) as folder:
            assert folder.path == tmp_path / "new" / "folder"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"data": "d2"}, "data: 'd1' then, 'd2' now"),
        ({"grade_model": "n"}, "grade_model: 'm' then, 'n' now"),
        ({"prompts": {"answer": "p2"}}, "prompts.answer: 'p1' then, 'p2' now"),
        ({"prompts": {}}, "prompts.answer: 'p1' then, None now"),
        (
            {"settings": {**CONDITIONS.settings, "threshold": 0.5}},
            "settings.threshold: None then, 0.5 now",
        ),
        ({"version": "2"}, "version: '1' then, '2' now"),
    ],
)
def test_other_conditions_are_refused_by_name_with_both_values(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    with entered(tmp_path, CONDITIONS):
        pass

    with (
        pytest.raises(Misconfigured, match="under other conditions") as refused,
        entered(tmp_path, CONDITIONS.model_copy(update=changes)),
    ):
        pass

    assert told in str(refused.value)


def a_file_of_somebody_else(path: Path) -> None:
    (path / "thesis.txt").write_text("mine")


def conditions_that_are_none(path: Path) -> None:
    (path / "conditions.json").write_text("{}")


@pytest.mark.parametrize(
    ("lay", "told"),
    [
        (a_file_of_somebody_else, "is not empty and holds no evaluation"),
        (conditions_that_are_none, "was not written by this version"),
    ],
)
def test_a_folder_of_something_else_is_left_as_it_is(
    tmp_path: Path, lay: Callable[[Path], None], told: str
) -> None:
    lay(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    with pytest.raises(Misconfigured, match=told), entered(tmp_path, CONDITIONS):
        pass

    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_a_process_that_died_had_begun_to_write_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "conditions.new").write_text('{"data": "d')

    with entered(tmp_path, CONDITIONS):
        pass

    assert [path.name for path in tmp_path.iterdir()] == ["conditions.json"]


def test_where_it_cannot_be_made_it_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with (
        pytest.raises(Misconfigured, match="cannot be used: Not a directory"),
        entered(tmp_path / "file" / "folder", CONDITIONS),
    ):
        pass


def test_a_second_one_is_kept_out_until_the_first_has_left(tmp_path: Path) -> None:
    with (
        entered(tmp_path, CONDITIONS),
        pytest.raises(Misconfigured, match="another evaluation is at work"),
        entered(tmp_path, CONDITIONS),
    ):
        pass

    with entered(tmp_path, CONDITIONS):
        pass
