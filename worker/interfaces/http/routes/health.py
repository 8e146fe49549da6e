"""Whether the server lives, and whether it can work: two questions."""

from typing import Literal

import structlog
from fastapi import APIRouter, Response
from pydantic import BaseModel
from redis.exceptions import RedisError

from producers.clients import UNREACHABLE
from worker.errors import SlowwaveError
from worker.interfaces.http.asking import TheService
from worker.interfaces.where import without_secrets

log = structlog.get_logger()

router = APIRouter(tags=["health"])

PARTS = {None: "a part", "model": "the model", "embedder": "the embedder", "store": "the store"}


class Alive(BaseModel):
    status: Literal["ok"] = "ok"


class Ready(BaseModel):
    """What is not ready says why. No names, addresses or figures: nobody needs a key to ask."""

    ready: bool
    #: Part → what is wrong.
    problems: dict[str, str]


@router.get("/health")
async def health() -> Alive:
    """The process answers. Asks nothing of anything else: a restart would not bring Redis back."""
    return Alive()


@router.get("/ready", responses={503: {"model": Ready}})
async def ready(service: TheService, response: Response) -> Ready:
    """Redis and the store answer."""
    problems = {}
    try:
        await service.redis.ping()
    except (RedisError, *UNREACHABLE) as error:
        problems["redis"] = f"does not answer ({type(error).__name__})"
    try:
        await service.with_parts(lambda _: None)
    except SlowwaveError as error:
        log.warning("not_ready", reason=without_secrets(str(error), service.settings))
        problems["parts"] = f"{PARTS[error.part]} cannot be opened: the log of the server says why"
    response.status_code = 503 if problems else 200
    return Ready(ready=not problems, problems=problems)
