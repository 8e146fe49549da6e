"""What a text quotes."""

import re

from worker.core.texts.words import normalised, terms

QUOTED = re.compile(
    r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|(?<!\w)[\'‘]([^\'’]+)[\'’](?!\w)'
)


def quotations(text: str) -> frozenset[str]:
    """The words between quotation marks, normalised."""
    quoted = ("".join(groups) for groups in QUOTED.findall(text))
    return frozenset(normalised(words) for words in quoted if terms(words))
