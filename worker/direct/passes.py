"""The passes of a night: what each takes up, and how it decides."""

from collections.abc import Callable
from dataclasses import dataclass

from worker.core.groups.setting import PassName
from worker.core.sleeping.expire import Expire
from worker.core.sleeping.flags import Flags
from worker.core.sleeping.night import Pass, Slice
from worker.core.sleeping.note import Begun
from worker.core.sleeping.tidy import Tidy
from worker.direct.lapsing import lapsed
from worker.direct.reorganizing import reorganized
from worker.direct.slices import Decided, Thinking
from worker.settings import Settings


@dataclass(frozen=True)
class Doing:
    """One pass."""

    going: Pass
    decided: Callable[[Thinking, Slice, Begun], Decided]


def passes_of(settings: Settings) -> list[Doing]:
    """Each once, in the order of the settings."""
    names = tuple(dict.fromkeys(settings.sleep_passes))
    all_of_them: dict[PassName, Doing] = {
        "expire": Doing(Expire(), lapsed),
        "tidy": Doing(Tidy(leaves_flags="flags" in names), reorganized),
        "flags": Doing(Flags(), reorganized),
    }
    return [all_of_them[name] for name in names]
