-- Layout 4. `payload` holds the record as JSON, every other column is there to find it by.

CREATE TABLE about (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- A scope's number is never used again, so that nothing left over from an erased one can be taken for another's.
CREATE TABLE scope (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    app TEXT NOT NULL,
    user TEXT NOT NULL,
    -- Fingerprint of the embedder of all its vectors, null while they are being made anew.
    embedder TEXT,
    -- Grows with every change of a live memory or of the embedder.
    generation INTEGER NOT NULL DEFAULT 0,
    -- How far sleep has come, as JSON.
    sleep TEXT
);

-- Outlives the scope, so that nobody who stood still brings an erased one back.
CREATE TABLE fence (
    -- The scope's key.
    scope TEXT PRIMARY KEY,
    -- The highest fencing token that it was written under.
    highest INTEGER NOT NULL,
    -- What was said until then does not come back: UTC, ISO 8601 with microseconds, so that the latest sorts last.
    erased_at TEXT
) WITHOUT ROWID;

CREATE TABLE memory (
    place INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    id TEXT NOT NULL,
    slot TEXT,
    subject TEXT NOT NULL,
    attribute TEXT,
    -- A JSON list of its words in order.
    terms TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (scope, id)
);
CREATE INDEX memory_slot ON memory (scope, slot, id) WHERE slot IS NOT NULL;
CREATE INDEX memory_subject ON memory (scope, subject, attribute) WHERE slot IS NOT NULL;

-- What a search goes through, apart from the long payloads.
CREATE TABLE vector (
    place INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- Equal for subjects that differ in case only.
    subject TEXT NOT NULL,
    -- How many terms the text has, counting repetitions.
    length INTEGER NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX vector_scope ON vector (scope);

CREATE TABLE posting (
    scope INTEGER NOT NULL,
    term TEXT NOT NULL,
    place INTEGER NOT NULL,
    -- How often the text says it.
    times INTEGER NOT NULL,
    PRIMARY KEY (scope, term, place)
) WITHOUT ROWID;

CREATE TABLE identifier (
    scope INTEGER NOT NULL,
    value TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (scope, value, place)
) WITHOUT ROWID;
CREATE INDEX identifier_place ON identifier (place);

CREATE TABLE archive (
    place INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    memory TEXT NOT NULL,
    version INTEGER NOT NULL,
    replaced_by TEXT,
    payload TEXT NOT NULL,
    vector BLOB NOT NULL,
    reason TEXT AS (json_extract(payload, '$.reason')),
    UNIQUE (scope, memory, version)
);
CREATE INDEX archive_replaced_by ON archive (scope, replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX archive_forgotten ON archive (scope, memory, version) WHERE reason = 'forgotten';

CREATE TABLE run (
    place INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    -- Seconds since 1970.
    started_at REAL NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (scope, id)
);
CREATE INDEX run_started_at ON run (scope, started_at);
CREATE INDEX run_open ON run (scope, started_at) WHERE state = 'open';

CREATE TABLE run_turn (
    scope INTEGER NOT NULL,
    turn TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (scope, turn, place)
) WITHOUT ROWID;
CREATE INDEX run_turn_place ON run_turn (place);
