"""The queue in figures, and by what it is served."""

from worker.adapters.figures import Status
from worker.interfaces.where import without_secrets
from worker.settings import Settings


class Figures(Status):
    """With the kind of the store, and the names of model and embedder."""

    store: str
    model: str
    embedder: str


def figures_of(queue: Status, settings: Settings, store: str) -> Figures:
    """No secret of the settings is among them."""
    last = queue.last_error
    if last is not None:
        last = last.model_copy(update={"reason": without_secrets(last.reason, settings)})
    told = {**dict(queue), "last_error": last}
    return Figures(**told, store=store, model=settings.model, embedder=settings.embedder)
