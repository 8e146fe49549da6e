from io import StringIO

import pytest
from rich.console import Console

from tests.build import uid
from worker.interfaces.cli.output import plain, short, table


def drawn(*cells: str) -> str:
    console = Console(width=60, file=StringIO())
    with console.capture() as capture:
        console.print(table("", ["text"] * len(cells), [cells]))
    return capture.get()


def test_stored_text_is_never_read_as_markup() -> None:
    assert "[bold]x[/bold] [/]" in drawn("[bold]x[/bold] [/]")


def test_stored_text_cannot_steer_the_terminal() -> None:
    assert plain("a\u202eb\u2066c").plain == "a�b�c"
    assert plain("a\x1b[2Jb\x07\x9b\tc\nd").plain == "a�[2Jb��\tc\nd"


@pytest.mark.parametrize("words", ["東京に住んでいます", "Zoë’s café", "👩‍🚀"])
def test_text_of_any_language_stays_as_it_is(words: str) -> None:
    assert plain(words).plain == words


def test_an_id_is_shortened_and_none_is_a_dash() -> None:
    assert short(uid("m")) == str(uid("m"))[:8]
    assert short(None) == "–"
