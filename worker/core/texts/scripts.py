"""Writing systems: which letters stand without spaces between words, and which signs belong to a letter."""

import re
import unicodedata

#: Character ranges, for a regular expression's class, of scripts whose runs are read as character bigrams.
HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
SOUTH_EAST_ASIAN = "\u0e01-\u0e4e\u0e80-\u0ecd\u1000-\u103f\u1780-\u17d3"
UNSPACED = HAN + HIRAGANA + KATAKANA + HANGUL + SOUTH_EAST_ASIAN


def _ranges(codes: list[int]) -> str:
    """Consecutive code points joined to ranges of a character class."""
    found: list[list[int]] = []
    for code in codes:
        if found and code == found[-1][1] + 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in found)


#: Combining marks of the basic plane: vowel signs and accents, which `\\w` does not match.
MARKS = _ranges(
    [code for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M"]
)

#: One letter, digit or mark.
LETTER = rf"(?:[^\W_]|[{MARKS}])"

#: One or more signs of a script without spaces.
UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
