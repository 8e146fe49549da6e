"""How things stand, in figures."""

from http import HTTPStatus

from fastapi import APIRouter
from starlette.exceptions import HTTPException

from worker.adapters.stores.opening import kind_of
from worker.interfaces.figures import Figures, figures_of
from worker.interfaces.http.asking import TheCaller, TheService
from worker.parts import Parts

router = APIRouter(prefix="/v1", tags=["status"])

NOT_A_USERS = "this key is for one user: the figures are of everybody, and take a key of an app"


@router.get("/status")
async def status(service: TheService, caller: TheCaller) -> Figures:
    """What waits, what is worked on, what was parked: figures of all apps together, without names and texts.

    How long the oldest scope has been ready is what to watch. `last_error` is told where no key is needed alone: it
    may be of another app.
    """
    if caller.user is not None:
        raise HTTPException(HTTPStatus.FORBIDDEN, NOT_A_USERS)
    told = await service.with_parts(_figures)
    return told if caller.app is None else told.model_copy(update={"last_error": None})


def _figures(parts: Parts) -> Figures:
    settings = parts.settings
    return figures_of(parts.inbox.status(), settings, kind_of(settings.store))
