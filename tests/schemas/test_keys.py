from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from schemas.scope import Scope

PARTITION_KEYS = (
    *("due", "busy", "lease", "fence", "attempts", "bells", "config", "counters", "aside"),
    *("unserved", "sleep", "asleep", "cut_short", "sleep_bells", "called"),
)
SCOPE_KEYS = (
    *("turns", "meta", "plan", "seen", "recent", "parked", "spent"),
    *("used", "served", "judged", "shown"),
)


def all_keys(partition: int, scope: str) -> list[str]:
    shared, own = PartitionKeys(partition), ScopeKeys(partition, scope)
    return [getattr(shared, name) for name in PARTITION_KEYS] + [
        getattr(own, name) for name in SCOPE_KEYS
    ]


def test_all_keys_of_a_partition_share_its_hash_tag() -> None:
    assert all(key.startswith("slowwave:{3}:") for key in all_keys(3, "s"))


def test_no_two_keys_are_the_same() -> None:
    keys = all_keys(0, "s") + all_keys(1, "s") + [getattr(ScopeKeys(0, "t"), n) for n in SCOPE_KEYS]

    assert len(keys) == len(set(keys))


def test_scripts_find_a_scope_s_keys_from_the_partition_s_beginning() -> None:
    assert PartitionKeys(2).scopes + "meta:abc" == ScopeKeys(2, "abc").meta


def test_names_of_app_and_user_are_in_no_key() -> None:
    scope = Scope(app="acme", user="alice")

    assert not any("acme" in key or "alice" in key for key in all_keys(0, scope.key))


@given(st.text(), st.integers(min_value=1, max_value=64))
def test_a_scope_stays_in_its_partition(scope: str, partitions: int) -> None:
    assert partition_of(scope, partitions) == partition_of(scope, partitions) < partitions


def test_scopes_spread_over_the_partitions() -> None:
    counts = Counter(partition_of(Scope(app="a", user=f"u{at}").key, 4) for at in range(400))

    assert min(counts.values()) > 50
    assert partition_of("123456789", 2**32) == 0xCBF43926  # the check value of CRC-32
