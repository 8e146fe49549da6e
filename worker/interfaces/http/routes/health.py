"""Whether the server lives, and whether it can work: two questions."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel
from redis.exceptions import RedisError

from producers.clients import UNREACHABLE
from worker.errors import SlowwaveError
from worker.interfaces.http.asking import TheService
from worker.interfaces.where import without_passwords

router = APIRouter(tags=["health"])


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
        problems["parts"] = without_passwords(str(error))
    response.status_code = 503 if problems else 200
    return Ready(ready=not problems, problems=problems)
