"""`slowwave check`: is everything reachable and set right."""

from rich.text import Text

from worker import wiring
from worker.interfaces.cli.checks import Finding, findings
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain, table
from worker.settings import load

STYLES = {"ok": "green", "warning": "yellow", "wrong": "bold red"}


def check(as_json: AsJson = False) -> None:
    """See whether every part is reachable and set right."""
    try:
        found = list(findings(load()))
    finally:
        wiring.close()
    if as_json:
        for finding in found:
            emit(finding)
    else:
        _show(found)
    if wrong := [finding.name for finding in found if finding.state == "wrong"]:
        raise Failed(f"wrong: {', '.join(wrong)}; the remedy stands beside each")


def _show(found: list[Finding]) -> None:
    rows = [
        (plain(one.name), Text(one.state, STYLES[one.state]), one.detail, one.remedy or "–")
        for one in found
    ]
    answers().print(table("", ("part", "state", "found", "what to do"), rows))
