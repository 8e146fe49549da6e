"""What stands in place of an earlier version, in words."""

from schemas.memory import Archive
from worker.interfaces.cli.output import short
from worker.interfaces.versions import LIVE, Texts


def successor(archive: Archive, texts: Texts) -> str:
    """What stands in its place: the next version of itself, or another memory."""
    by = archive.replaced_by
    if by is None:
        return "–"
    version = archive.memory.version + 1 if by == archive.memory.id else LIVE
    return texts.get((by, version)) or texts.get((by, LIVE)) or short(by)


def reasoned(verdict: str, why: str) -> str:
    return f"{verdict}: {why}" if why else verdict
