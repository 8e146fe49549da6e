import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.masking import MARK, mask, mask_metadata

RANDOM = "4f3a9K2mQx81LpZt77RwVb0Y"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIEabc+/=\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("sk-proj-a1B2c3D4e5F6g7H8i9J0", MARK),
    ("sk-ant-api03-a1B2c3D4e5F6g7H8", MARK),
    ("sk_live_a1B2c3D4e5F6g7H8", MARK),
    ("zz_live_0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c", MARK),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", MARK),
    ("github_pat_11ABCDE0Y0abcdefghij", MARK),
    ("glpat-a1B2c3D4e5F6g7H8i9J0", MARK),
    ("AKIAIOSFODNN7EXAMPLE", MARK),
    ("xoxb-123456789012-abcdefABCDEF", MARK),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", MARK),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP", MARK),
    ("hf_a1B2c3D4e5F6g7H8i9J0", MARK),
    (f"the key {RANDOM} works", f"the key {MARK} works"),
    (f"Authorization: Bearer {RANDOM}", f"Authorization: Bearer {MARK}"),
    ("PAYMENTS_KEY=a1b2c3d4e5f6,", f"PAYMENTS_KEY={MARK},"),
    ("DB_PASSWORD = hunter2", f"DB_PASSWORD = {MARK}"),
    ("password: Kestrel99!", f"password: {MARK}"),
    ("My password is hunter2, don't laugh.", f"My password is {MARK}, don't laugh."),
    ("das Passwort lautet Falke-77.", f"das Passwort lautet {MARK}."),
    ("パスワードはfalke-77です", f"パスワードは{MARK}です"),
    ("密码是Falke_77x", f"密码是{MARK}"),
    ('{"api_key": "a1b2c3d4e5f6", "n": 1}', f'{{"api_key": "{MARK}", "n": 1}}'),
    ('{\\"password\\": \\"Tr0ub4dor&3\\"}', f'{{\\"password\\": \\"{MARK}\\"}}'),
    ("client_secret: 'abc123def'", f"client_secret: '{MARK}'"),
    ("token=550e8400-e29b-41d4-a716-446655440000", f"token={MARK}"),
    ("postgres://svc:Kestrel99!@db.internal/app", f"postgres://svc:{MARK}@db.internal/app"),
    ("redis://:p@ss@host:6379/0", f"redis://:{MARK}@host:6379/0"),
    (f"before\n{PEM}\nafter", f"before\n{MARK}\nafter"),
    (
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nand then prose",
        f"{MARK}\nand then prose",
    ),
]

PLAIN = [
    "",
    "I keep my API key in a password manager. Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it.",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "https://github.com/Org/Repo2/commit/9fceb02d0ae598e95dc970b74767f19372d61af8",
    "password: required!",
    "The secret: patience.",
    "My password is written down at home.",
    "The password is required! It was forgotten.",
    "password=$DB_PASSWORD",
    "password: ********",
    "password = os.environ.get_password",
    "max_tokens=4096, top_k: 8",
    "primary_key=order_item_id_2, sort_key: created_at_2026_01",
    "keyboard: Logitech-K380-v2x9",
    "The monkey: brown-monkey-2 with bananas",
    "sk-learn-pipeline-builder is a package",
    "a bearer of understanding-and-patience",
    "MyVeryLongClassNameV2FactoryBuilder, IMG_20260303_150000_HDR-Edited",
    "how-to-install-python-3-on-ubuntu-22-04-in-ten-minutes",
    "Call me at 12:30, https://example.com:8080/path?x=1",
    "mail alice@example.com at https://example.com/@alice",
    "2026-03-03T15:00:00+01:00 in Europe/Copenhagen",
    "我的密码在密码管理器里。",
]

#: Linear patterns take milliseconds for these, quadratic ones would take minutes.
LONG = [
    "a" * 100_000,
    "a." * 50_000,
    "key" * 33_000,
    "key_" * 25_000,
    "password=" * 11_000,
    "password is " * 8_000,
    "password" + " " * 99_000,
    "-----BEGIN PRIVATE KEY-----" * 3_700,
    "-" * 100_000,
    "- " * 50_000,
    "://a:" * 20_000,
    "://" + "a" * 99_990,
    "sk-" * 33_000,
    "eyJaaaaaaaaa." * 7_600,
    "SG." * 33_000,
    "bearer " * 14_000,
    "Ab1" * 33_000,
    "a_live_" * 14_000,
    '\\"' * 50_000,
    "1" * 100_000,
]


@pytest.mark.parametrize(("text", "expected"), SECRETS)
def test_a_secret_is_masked_and_nothing_around_it(text: str, expected: str) -> None:
    assert mask(text) == expected


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


def test_a_paste_with_two_secrets_keeps_the_rest() -> None:
    text = (
        "Env: PAYMENTS_KEY=zz_live_0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c,"
        " db postgres://svc:Kestrel99!@db.internal/app. My birthday is 3 May."
    )

    assert mask(text) == (
        f"Env: PAYMENTS_KEY={MARK}, db postgres://svc:{MARK}@db.internal/app. My birthday is 3 May."
    )


def test_metadata_is_masked_by_field_name_and_by_shape() -> None:
    metadata = mask_metadata(
        {
            "password": "hunter2",
            "note": "db postgres://svc:Kestrel99!@db/app",
            "keyboard": "hunter2",
            "deep": [{"api_key": ["a1b2c3d4e5f6"], "count": 3, "none": None}],
        }
    )

    assert metadata == {
        "password": MARK,
        "note": f"db postgres://svc:{MARK}@db/app",
        "keyboard": "hunter2",
        "deep": [{"api_key": [MARK], "count": 3, "none": None}],
    }


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:12])
def test_long_text_is_read_in_linear_time(text: str) -> None:
    assert mask(mask(text)) == mask(text)


@given(
    st.lists(st.sampled_from([s for s, _ in SECRETS] + PLAIN + list(" =:/@.,-_[]\n\"'") + [MARK]))
)
def test_masking_twice_is_masking_once(pieces: list[str]) -> None:
    once = mask("".join(pieces))

    assert mask(once) == once


@given(st.text())
def test_any_text_can_be_masked(text: str) -> None:
    assert mask(mask(text)) == mask(text)
