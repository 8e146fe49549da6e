"""Which part failed, and whether what was sent may be why."""

import pytest

from tests.endpoint import Refusal, endpoint
from tests.worker.adapters.stores.test_weaviate_errors import ADDRESS, query, status
from worker.adapters.chat import EndpointChat
from worker.adapters.embedders.endpoint import EndpointEmbedder
from worker.adapters.stores.weaviate_errors import translated
from worker.core.hearing.extraction_reply import ExtractionReply
from worker.core.step import Prompt
from worker.errors import SlowwaveError, TooSlow

PROMPT = Prompt("extraction", {}, ExtractionReply)
MESSAGES = [{"role": "user", "content": "{}"}, {"role": "user", "content": "{}"}]
NOWHERE = "http://127.0.0.1:1/v1"


def refused(url: str) -> SlowwaveError:
    chat = EndpointChat("m", url, "key", 10)
    try:
        with pytest.raises(SlowwaveError) as caught:
            chat.complete(PROMPT, MESSAGES)
    finally:
        chat.close()
    return caught.value


@pytest.mark.parametrize(
    ("code", "may_be_text"),
    [
        *((500, True), (502, False), (503, False), (504, False), (400, True), (403, True)),
        *((401, False), (402, False), (404, False), (408, False), (429, False)),
    ],
)
def test_a_model_that_refuses_may_refuse_the_text_unless_its_status_says_otherwise(
    code: int, may_be_text: bool
) -> None:
    with endpoint(lambda job, document: Refusal(code, "no")) as server:
        error = refused(server.url)

    assert (error.part, error.may_be_text) == ("model", may_be_text)
    assert isinstance(error, TooSlow) is (code in {408, 504})


def test_what_cannot_even_be_connected_to_has_seen_no_text() -> None:
    embedder = EndpointEmbedder("m", NOWHERE, "key", dimensions=3)
    with pytest.raises(SlowwaveError) as caught:
        embedder.embed(["x"])
    embedder.close()

    for error, part in ((refused(NOWHERE), "model"), (caught.value, "embedder")):
        assert (error.part, error.may_be_text) == (part, False)


@pytest.mark.parametrize(
    ("error", "may_be_text"),
    [
        (status(500), True),
        (query("Deadline Exceeded"), True),
        (status(401), False),
        (query("could not find class"), False),
    ],
)
def test_a_store_that_does_not_serve_names_itself(error: Exception, may_be_text: bool) -> None:
    meant = translated(error, ADDRESS)

    assert (meant.part, meant.may_be_text) == ("store", may_be_text)
