"""The program: every command, and how each of them starts and ends."""

import typer

from worker import log
from worker.interfaces.cli.check import check
from worker.interfaces.cli.demo import demo
from worker.interfaces.cli.drain import drain
from worker.interfaces.cli.edit import edit
from worker.interfaces.cli.ending import Commands
from worker.interfaces.cli.erase import erase
from worker.interfaces.cli.evaluate import evaluate
from worker.interfaces.cli.export import export
from worker.interfaces.cli.forget import forget
from worker.interfaces.cli.history import history
from worker.interfaces.cli.importing import import_
from worker.interfaces.cli.ingest import ingest
from worker.interfaces.cli.key import key
from worker.interfaces.cli.mcp import mcp
from worker.interfaces.cli.memories import memories
from worker.interfaces.cli.migrate import migrate
from worker.interfaces.cli.parked import parked
from worker.interfaces.cli.pin import pin
from worker.interfaces.cli.publish import publish
from worker.interfaces.cli.recall import recall
from worker.interfaces.cli.reembed import reembed
from worker.interfaces.cli.remember import remember
from worker.interfaces.cli.restore import restore_version
from worker.interfaces.cli.runs import one_run, runs
from worker.interfaces.cli.serve import serve
from worker.interfaces.cli.sleep import sleep
from worker.interfaces.cli.status import status
from worker.interfaces.cli.streams import mend
from worker.interfaces.cli.tag import tag
from worker.interfaces.cli.undo import undo_run
from worker.interfaces.cli.wait import wait
from worker.interfaces.cli.worker import up, worker

app = typer.Typer(
    name="slowwave",
    cls=Commands,
    help="Keeps a chat agent's long-term memory small, current and true.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _start() -> None:
    """Keep a chat agent's long-term memory small, current and true."""
    log.configure("warning")


for command in (
    demo,
    up,
    worker,
    publish,
    wait,
    ingest,
    drain,
    memories,
    history,
    recall,
    remember,
    edit,
    pin,
    tag,
    forget,
    erase,
    reembed,
    export,
    status,
    check,
    migrate,
    evaluate,
    serve,
    mcp,
):
    app.command()(command)
app.command("import")(import_)
app.command()(runs)
app.command("run")(one_run)
app.command("undo")(undo_run)
app.command("restore")(restore_version)
app.add_typer(parked, name="parked")
app.add_typer(sleep, name="sleep")
app.add_typer(key, name="key")


def run() -> None:
    """The console script."""
    mend()
    app()


if __name__ == "__main__":
    run()
