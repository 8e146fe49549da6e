"""Secrets are masked by the shape of their value, before any model, store or log sees the text.

Mentions ("my password manager"), commit hashes and UUIDs stay. The prefixes are those that the providers
document for secret scanning (docs.github.com, "Supported secret scanning patterns"). Every pattern is
bounded, or steps over what it has read, so the time grows with the length of the text.
"""

import re
from re import Match

from pydantic import JsonValue

#: What stands in place of a secret.
MARK = "[secret]"

_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----))*+-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:\s{0,4}[A-Za-z0-9+/=]{16,}+)*+)"
)
_PROVIDER = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?"
    r"|(?:sk|rk)[-_][A-Za-z0-9_-]{16,}+"
    r"|[a-z]{2,8}_(?:live|test)_[A-Za-z0-9]{16,}+"
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+|glpat-[A-Za-z0-9_.-]{16,}+"
    r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|(?:xox[a-z]|xapp)-[A-Za-z0-9-]{12,}+"
    r"|AIza[A-Za-z0-9_-]{30,}+|ya29\.[A-Za-z0-9_-]{20,}+"
    r"|(?:npm|hf|dop_v1|doo_v1|shpat|shpss|whsec)_[A-Za-z0-9]{20,}+|pypi-[A-Za-z0-9_-]{30,}+"
    r"|SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+|AGE-SECRET-KEY-1[A-Z0-9]{20,}+"
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}+)"
)
_URL_PASSWORD = re.compile(r"(://[^\s:@/]{0,100}:)([^\s/]{1,200})(?=@)")
_HEADER = re.compile(r"(?i)\b((?:bearer|basic)\s{1,4})([A-Za-z0-9._~+/=-]{16,}+)")
_PASSWORD = r"passw(?:or)?d|passphrase|pwd|secret"  # noqa: S105 -- a pattern, no password
_ASSIGNED = re.compile(
    rf"(?i)((?:{_PASSWORD}|token|key|credential|auth)s?(?:[_.-][\w.-]{{0,40}})?"
    r"(?:\\?[\"'`])?\s{0,4}(?::=|=>|[:=])\s{0,4}(?:\\?[\"'`])?)([^\s\"'`,;<>(){}\\]{6,}+)"
)
#: As it is told in a sentence: "my password is …".
_TOLD_NAMES = (
    *("password", "passphrase", "passwort", "kennwort", "mot de passe", "contraseña", "senha"),
    *("wachtwoord", "пароль", "密码", "密碼", "パスワード", "비밀번호"),
)
_TOLD = re.compile(
    rf"(?i)((?:{'|'.join(_TOLD_NAMES)})(?:\s{{1,4}}(?:is|was|ist|war|lautet|est|es|era|é|è)\s{{1,4}}(?:now\s{{1,4}})?"
    r"|\s{0,4}(?:是|为|為|は|는|은|[:：-])\s{0,4})[\"'`]?)([!-~]{6,200})"
)
_PASSWORD_NAME = re.compile(rf"(?i){_PASSWORD}")
_SECRET_NAME = re.compile(rf"(?i)(?:{_PASSWORD}|token|key|credential|auth)s?(?![a-z])")
_NAMES = ("passw", "passphrase", "pwd", "secret", "token", "key", "credential", "auth")

#: Nothing shorter than this is a secret by its shape alone.
_LONG_RUN = re.compile(r"\S{16}")
_LONG = re.compile(r"[A-Za-z0-9+_=-]{24,}+")
_SEPARATOR = re.compile(r"[-_+=]")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
#: A word (capitalised or not), an abbreviation or a number: readable text has few of them per character.
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
#: Runs per character: names in camel or snake case stay under 0.27, random base 36, hex and 62 lie over 0.35.
_RANDOM = 0.3
_PASSWORD_LENGTH, _KEY_LENGTH, _LONG_LENGTH = 6, 12, 20


def mask(text: str) -> str:
    """The text with `[secret]` for each secret. Masking twice changes nothing more."""
    if "-----BEGIN" in text:
        text = _PEM.sub(MARK, text)
    long_run = _LONG_RUN.search(text) is not None
    if long_run:
        text = _PROVIDER.sub(_provider_key, text)
        text = _HEADER.sub(_header, text)
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\1{MARK}", text)
    lowered = text.lower()
    if any(name in lowered for name in _NAMES):
        text = _ASSIGNED.sub(_assignment, text)
    if any(name in lowered for name in _TOLD_NAMES):
        text = _TOLD.sub(_told, text)
    return _LONG.sub(_long_value, text) if long_run else text


def mask_metadata(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The same for every string in the caller's own fields, whose names count as names of the values."""
    return {name: _masked(value, name) for name, value in metadata.items()}


def _masked(value: JsonValue, name: str) -> JsonValue:
    match value:
        case str():
            return MARK if _is_secret_field(name, value) else mask(value)
        case list():
            return [_masked(item, name) for item in value]
        case dict():
            return mask_metadata(value)
        case _:
            return value


def _provider_key(found: Match[str]) -> str:
    """All of them hold digits, which keeps words such as `sk-learn-pipeline-builder` whole."""
    return MARK if any(sign.isdigit() for sign in found[0]) else found[0]


def _header(found: Match[str]) -> str:
    return found[1] + MARK if _is_random(found[2]) else found[0]


def _assignment(found: Match[str]) -> str:
    value = found[2].rstrip(".")
    if not _is_secret_value(found[1], value):
        return found[0]
    return found[1] + MARK + found[2][len(value) :]


def _told(found: Match[str]) -> str:
    value = found[2].rstrip(".,;:!?\"'`)")
    if not value or MARK in value or not _is_password(value):
        return found[0]
    return found[1] + MARK + found[2][len(value) :]


def _long_value(found: Match[str]) -> str:
    pieces = [piece for piece in _SEPARATOR.split(found[0]) if not _HEX.fullmatch(piece)]
    core = "".join(pieces)
    mixed = not (core.islower() or core.isupper()) and any(sign.isdigit() for sign in core)
    return MARK if mixed and len(core) >= _LONG_LENGTH and _is_random(core) else found[0]


def _is_secret_field(name: str, value: str) -> bool:
    has_space = any(sign.isspace() for sign in value)
    return bool(_SECRET_NAME.search(name)) and not has_space and _is_secret_value(name, value)


def _is_secret_value(name: str, value: str) -> bool:
    if MARK in value or value.startswith(("$", "%", "[")):
        return False
    if _PASSWORD_NAME.search(name):
        return _is_password(value)
    return len(value) >= _KEY_LENGTH and _is_random(value)


def _is_password(value: str) -> bool:
    core = value.rstrip(".!?:…")
    letters = any(sign.isalpha() for sign in core)
    others = any(not sign.isalpha() and sign not in "._-/" for sign in core)
    return len(value) >= _PASSWORD_LENGTH and letters and others


def _is_random(value: str) -> bool:
    """Whether letters, cases and digits change too often for something that people write."""
    return len(_RUN.findall(value)) >= _RANDOM * len(value)
