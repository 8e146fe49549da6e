"""What a text quotes."""

import re

from worker.core.words import normalised

QUOTED = re.compile(
    r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|(?<!\w)[\'‘]([^\'’]+)[\'’](?!\w)'
)


def quotations(text: str) -> frozenset[str]:
    """The words between quotation marks, normalised."""
    return frozenset(normalised("".join(groups)) for groups in QUOTED.findall(text))
