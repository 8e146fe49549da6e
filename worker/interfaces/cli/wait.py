"""`slowwave wait`: until a turn that was published can be recalled."""

from typing import Annotated

import typer

from producers.answer import Settled
from producers.producer import Producer
from worker import wiring
from worker.adapters.redis_server import connect
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import configured, say_where
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain, waiting


def wait(
    ticket: Annotated[
        str, typer.Argument(metavar="TICKET", help="What publishing the turn answered with.")
    ],
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0, help="0 looks once.")
    ] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Wait until a published turn is consolidated.

    The exit status is 0 for a consolidated turn alone, not for one that was parked or still waits.
    """
    settings = configured()
    say_where(settings)
    try:
        with connect(wiring.redis_url(settings)) as redis, waiting("waiting"):
            settled = _waited(Producer(redis), ticket, timeout)
    finally:
        wiring.close()
    if as_json:
        emit(settled)
    else:
        answers().print(plain(settled.status))
    if settled.status != "consolidated":
        raise Failed(f"the turn is {settled.status}: {settled.message}")


def _waited(producer: Producer, ticket: str, timeout: float) -> Settled:
    try:
        return producer.wait(ticket, timeout)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="TICKET") from error
