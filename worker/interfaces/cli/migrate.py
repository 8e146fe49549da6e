"""`slowwave migrate`: a store that an older version has made."""

from worker.adapters.ondemand import on_demand
from worker.adapters.stores.opening import kind_of
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain, progress
from worker.settings import Settings, load, revealed


def migrate(as_json: AsJson = False) -> None:
    """Bring a store that an older version has made up to this version; all memories are kept.

    Stop every worker of the older version before, and start those of this version afterwards. Cut short, it goes on
    where it was when it is run again. An SQLite file needs no command: whatever opens it brings it up to date.
    """
    settings = load()
    if kind_of(settings.store) == "sqlite":
        with reading():
            done = None
    else:
        done = _migrated(settings)
    if as_json:
        scopes, archives = done or (0, 0)
        emit({"migrated": done is not None, "scopes": scopes, "archives": archives})
    elif done is None:
        answers().print("nothing to do: the store is up to date")
    else:
        answers().print(plain(f"migrated {done[0]} scopes with {done[1]} archives"))


def _migrated(settings: Settings) -> tuple[int, int] | None:
    """Scopes and archives; nothing where there was nothing to do."""
    migration = on_demand("worker.adapters.stores.weaviate_migration", "migrate")
    with progress() as bar:
        task = bar.add_task("scopes", total=None)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        done = migration(settings.store, revealed(settings.store_key), tell)
    return (done.scopes, done.archives) if done else None
