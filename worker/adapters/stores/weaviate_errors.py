"""What an error of the Weaviate client means for the worker."""

import re

import grpc  # type: ignore[import-untyped]
import httpx
from weaviate.exceptions import (
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateConnectionError,
    WeaviateGRPCUnavailableError,
    WeaviateRetryError,
    WeaviateStartUpError,
    WeaviateTimeoutError,
)

from worker.adapters.stores.weaviate_address import Address
from worker.errors import Misconfigured, Retryable, SlowwaveError, Unavailable, Unprocessable

#: Everything the client lets through: its own errors, and those of what it is built on.
CLIENT_ERRORS = (WeaviateBaseError, httpx.HTTPError, grpc.RpcError)
OUT_OF_REACH = (
    WeaviateConnectionError,
    WeaviateGRPCUnavailableError,
    WeaviateRetryError,
    WeaviateStartUpError,
    WeaviateTimeoutError,
    httpx.TransportError,
)
NO_TENANT = re.compile(r"tenant not found", re.IGNORECASE)
WRONG_KEY = re.compile(r"unauthenticated|unauthorized|forbidden|permission.denied", re.IGNORECASE)
#: What role-based access control says, whatever it was asked by.
RIGHT = re.compile(r"insufficient permissions to (\w+)")
DOWN = re.compile(
    r"unavailable|deadline|timed? ?out|canceled|cancelled|connection|shut(ting)? ?down|memory pressure"
    r"|read-?only|no space left|too many requests|leader not found",
    re.IGNORECASE,
)
GONE = re.compile(r"could not find class|class .{1,100} not found", re.IGNORECASE)
#: What the server will refuse again, however often it is sent.
REFUSED = re.compile(
    r"wrong size|vector lengths|no such prop|not a valid|invalid (uuid|object|property|class)|"
    r"larger than max",
    re.IGNORECASE,
)
MAX_QUOTED = 300
SERVER_ERRORS = range(500, 600)
NOT_ALLOWED = (401, 403)


class NoTenant(Retryable):
    """The scope has no place in one of the collections."""


def translated(error: BaseException, address: Address) -> SlowwaveError:
    """For an error of `CLIENT_ERRORS`."""
    text = " ".join(str(error).split())[:MAX_QUOTED]
    status = error.status_code if isinstance(error, UnexpectedStatusCodeError) else None
    if right := RIGHT.search(str(error)):
        return missing_right(address, right[1])
    if status in NOT_ALLOWED:
        return wrong_key(address)
    if isinstance(error, OUT_OF_REACH) or status in SERVER_ERRORS:
        return out_of_reach(address, text, may_be_text=not isinstance(error, OUT_OF_REACH))
    return meaning(text, address)


def meaning(text: str, address: Address) -> SlowwaveError:
    """By the server's words; what is not known is tried again, a limited number of times."""
    if NO_TENANT.search(text):
        return NoTenant()
    if right := RIGHT.search(text):
        return missing_right(address, right[1])
    if WRONG_KEY.search(text):
        return wrong_key(address)
    if GONE.search(text):
        return Misconfigured(
            f"{address} has lost a collection ({text}): start the worker again", part="store"
        )
    if REFUSED.search(text):
        return Unprocessable(f"{address} refuses it: {text}")
    if DOWN.search(text):
        return out_of_reach(address, text, may_be_text=True)
    return Retryable(f"{address} failed: {text}")


def out_of_reach(address: Address, why: str, *, may_be_text: bool = False) -> Unavailable:
    return Unavailable(
        f"{address} cannot be reached or is overloaded: {why}. Is it running?",
        part="store",
        may_be_text=may_be_text,
    )


def resting(server: object, seconds: float) -> Unavailable:
    """Nothing was sent."""
    return Unavailable(
        f"{server} did not answer several times in a row: nothing is sent to it for {seconds:.1f} s more",
        seconds,
        part="store",
    )


def wrong_key(address: Address) -> Misconfigured:
    return Misconfigured(
        f"{address} does not accept the key: set SLOWWAVE_STORE_KEY to a key that may read, write and make tenants"
        " (and, at the first start, collections)",
        part="store",
    )


def missing_right(address: Address, right: str) -> Misconfigured:
    return Misconfigured(
        f"{address} does not let the key of SLOWWAVE_STORE_KEY `{right}`: give its role that right;"
        " docs/weaviate.md has all that are needed",
        part="store",
    )
