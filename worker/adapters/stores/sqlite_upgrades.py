"""How a file of an older layout becomes one of the current, as data."""

#: Layout → what makes the next one of it. All steps of a file run in one transaction.
UPGRADES = {
    # A scope's names are in its records. Room without a record has none: it goes, and `prepare` makes it anew.
    # What that layout removed was not overwritten, so the file has to be cleaned.
    3: """
        ALTER TABLE scope RENAME TO scope_3;
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
        INSERT INTO scope (number, key, app, user, embedder, generation)
            SELECT number, key, json_extract(named, '$.app'), json_extract(named, '$.user'),
                (SELECT value FROM about WHERE name = 'embedder'), generation
            FROM (
                SELECT number, key, generation, coalesce(
                    (SELECT json_extract(payload, '$.scope') FROM memory
                        WHERE scope = number LIMIT 1),
                    (SELECT json_extract(payload, '$.memory.scope') FROM archive
                        WHERE scope = number LIMIT 1),
                    (SELECT json_extract(payload, '$.scope') FROM run
                        WHERE scope = number LIMIT 1)
                ) AS named FROM scope_3
            ) WHERE named IS NOT NULL;
        DELETE FROM sqlite_sequence WHERE name = 'scope';
        UPDATE sqlite_sequence SET name = 'scope' WHERE name = 'scope_3';
        DROP TABLE scope_3;
        ALTER TABLE fence ADD COLUMN erased_at TEXT;
        ALTER TABLE archive ADD COLUMN reason TEXT AS (json_extract(payload, '$.reason'));
        CREATE INDEX archive_forgotten ON archive (scope, memory, version)
            WHERE reason = 'forgotten';
        INSERT INTO about VALUES ('soiled', '1')
    """,
}
