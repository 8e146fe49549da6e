"""What a run record says it has cost."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.plan import Tokens, Usage

counts = st.integers(min_value=0, max_value=10**9)
tokens = st.builds(Tokens, prompt=counts, completion=counts, cached=counts)


@given(st.dictionaries(st.text(max_size=9), tokens, max_size=5))
def test_the_sums_are_those_of_the_jobs(by_job: dict[str, Tokens]) -> None:
    usage = Usage.by_job(dict.fromkeys(by_job, 2), by_job)

    assert usage.total_calls == 2 * len(by_job)
    assert usage.prompt_tokens == sum(one.prompt for one in by_job.values())
    assert usage.cached_tokens == sum(one.cached for one in by_job.values())
    assert usage.total_tokens == sum(one.prompt + one.completion for one in by_job.values())
    assert Usage.model_validate_json(usage.model_dump_json()) == usage


@pytest.mark.parametrize("stored", [{"calls": {"extraction": 1}, "prompt_tokens": 9}, {}])
def test_a_run_of_a_version_that_knew_only_sums_is_read(stored: dict[str, object]) -> None:
    usage = Usage.model_validate_json(json.dumps({"v": 1, **stored}))

    assert usage.tokens == {}
    assert usage.total_tokens == stored.get("prompt_tokens", 0)
