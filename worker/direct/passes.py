"""The passes of a night: what each takes up, and how it decides."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from worker.core.groups.setting import PassName
from worker.core.sleeping.expire import Expire
from worker.core.sleeping.flags import Flags
from worker.core.sleeping.forget import Forget
from worker.core.sleeping.insights import Insights
from worker.core.sleeping.night import Pass, Slice
from worker.core.sleeping.note import Begun
from worker.core.sleeping.retention import Retention
from worker.core.sleeping.tidy import Tidy
from worker.core.sleeping.unfounded import Unfounded
from worker.direct.fading import faded
from worker.direct.gathering import Gathering, grounded, let_go
from worker.direct.lapsing import lapsed
from worker.direct.reorganizing import reorganized
from worker.direct.slices import Decided, Thinking
from worker.settings import Settings


@dataclass(frozen=True)
class Doing:
    """One pass."""

    going: Pass
    decided: Callable[[Thinking, Slice, Begun], Decided]


@dataclass(frozen=True)
class Reembed:
    """Whoever takes a scope brings it under the embedder in use: a night only tells of it."""

    name: PassName = "re-embed"


def passes_of(settings: Settings) -> list[Doing | Reembed | Retention]:
    """Each once, in the order of the settings."""
    names = tuple(dict.fromkeys(settings.sleep_passes))
    most = settings.sleep_max_insights
    all_of_them: dict[PassName, Doing | Reembed | Retention] = {
        "re-embed": Reembed(),
        "expire": Doing(Expire(), lapsed),
        "tidy": Doing(Tidy(leaves_flags="flags" in names), reorganized),
        "flags": Doing(Flags(), reorganized),
        "forget": Doing(Forget(timedelta(days=settings.sleep_forget_days)), faded),
        "retention": Retention(timedelta(days=settings.sleep_keep_archives_days)),
        "unfounded": Doing(Unfounded(), let_go),
        "insights": Doing(Insights(most), Gathering(most).decided),
    }
    return [all_of_them[name] for name in grounded(names, settings.model)]
