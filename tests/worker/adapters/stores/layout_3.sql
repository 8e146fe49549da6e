BEGIN TRANSACTION;
CREATE TABLE about (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "about" VALUES('dimensions','8');
INSERT INTO "about" VALUES('embedder','tests_8');
INSERT INTO "about" VALUES('layout','3');
CREATE TABLE archive (
    place INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    memory TEXT NOT NULL,
    version INTEGER NOT NULL,
    replaced_by TEXT,
    payload TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (scope, memory, version)
);
INSERT INTO "archive" VALUES(1,1,'2961b42d-2b38-5b19-a321-7160b2978318',1,'2961b42d-2b38-5b19-a321-7160b2978318','{"v":1,"memory":{"v":1,"text":"Lives in Seattle.","subject":"user","attribute":null,"kind":"fact","volatile":false,"said_by":"user","authority":"user","turn_ids":["7002e39b-f614-57e3-b2bd-e956eec25850"],"said_at":"2026-05-02T12:00:00Z","happened_at":null,"until":null,"until_assumed":false,"identifiers":[],"id":"2961b42d-2b38-5b19-a321-7160b2978318","scope":{"app":"acme","user":"Zoë \"x\" \\ o''hara"},"version":1,"after":null,"created_at":"2026-05-02T12:00:00Z","updated_at":"2026-05-02T12:00:00Z","last_confirmed_at":"2026-05-02T12:00:00Z","confirmations":1,"uses":0,"tags":[],"metadata":{},"pinned":false,"links":[],"flagged":null,"last_run":"00000000-0000-5000-8000-000000000002"},"replaced_by":"2961b42d-2b38-5b19-a321-7160b2978318","archived_at":"2026-06-01T12:00:00Z","reason":"superseded","why":"moved","run":"3790a9de-9337-56fe-ba2d-79312a19e246"}',X'F87E60BEC8CC05BD7B3C473F6FF02E3ED3369B3EA63FC6BEA9BC8A3E416ADD3C');
INSERT INTO "archive" VALUES(2,1,'0e5e823b-0a30-58e8-9a9a-1dd371040897',1,NULL,'{"v":1,"memory":{"v":1,"text":"Has a secret.","subject":"user","attribute":null,"kind":"fact","volatile":false,"said_by":"user","authority":"user","turn_ids":["9caac0ed-ab8e-5b66-84c4-d96e7c0edbbc"],"said_at":"2026-05-02T12:00:00Z","happened_at":null,"until":null,"until_assumed":false,"identifiers":[],"id":"0e5e823b-0a30-58e8-9a9a-1dd371040897","scope":{"app":"acme","user":"Zoë \"x\" \\ o''hara"},"version":1,"after":null,"created_at":"2026-05-02T12:00:00Z","updated_at":"2026-05-02T12:00:00Z","last_confirmed_at":"2026-05-02T12:00:00Z","confirmations":1,"uses":0,"tags":[],"metadata":{},"pinned":false,"links":[],"flagged":null,"last_run":"00000000-0000-5000-8000-000000000002"},"replaced_by":null,"archived_at":"2026-06-01T12:00:00Z","reason":"forgotten","why":"moved","run":"3790a9de-9337-56fe-ba2d-79312a19e246"}',X'90E451BFDF838FBEF0275F3E769083BEF11AA7BEBF0FD63D9AF3263D72D5033E');
INSERT INTO "archive" VALUES(3,2,'8f310554-c2dc-5625-a947-60e2fa9af8fb',1,NULL,'{"v":1,"memory":{"v":1,"text":"Had a cat.","subject":"user","attribute":null,"kind":"fact","volatile":false,"said_by":"user","authority":"user","turn_ids":["6987eaef-489c-537b-bf55-8de6444d8e2e"],"said_at":"2026-05-02T12:00:00Z","happened_at":null,"until":null,"until_assumed":false,"identifiers":[],"id":"8f310554-c2dc-5625-a947-60e2fa9af8fb","scope":{"app":"acme","user":"history only"},"version":1,"after":null,"created_at":"2026-05-02T12:00:00Z","updated_at":"2026-05-02T12:00:00Z","last_confirmed_at":"2026-05-02T12:00:00Z","confirmations":1,"uses":0,"tags":[],"metadata":{},"pinned":false,"links":[],"flagged":null,"last_run":"00000000-0000-5000-8000-000000000002"},"replaced_by":null,"archived_at":"2026-06-01T12:00:00Z","reason":"expired","why":"moved","run":"3790a9de-9337-56fe-ba2d-79312a19e246"}',X'D717ADBE36CD16BE63C527BF65D347BEB7A21ABFBA540ABECD5FE33DC1A8013D');
CREATE TABLE fence (
    -- The scope's key.
    scope TEXT PRIMARY KEY,
    -- The highest fencing token that it was written under.
    highest INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "fence" VALUES('4f720223-35c1-5ceb-805d-63de927cd120',3);
INSERT INTO "fence" VALUES('7449d730-13b9-5fbb-b759-5f593bc8b901',1);
INSERT INTO "fence" VALUES('cf779033-32a3-511b-9831-196b47c5992c',2);
INSERT INTO "fence" VALUES('e0019f33-1908-5718-a817-0f28bc564376',4);
CREATE TABLE identifier (
    scope INTEGER NOT NULL,
    value TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (scope, value, place)
) WITHOUT ROWID;
INSERT INTO "identifier" VALUES(1,'err_mem_4412',2);
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
INSERT INTO "memory" VALUES(1,1,'2961b42d-2b38-5b19-a321-7160b2978318','1afb8c6d-d2b7-5bee-bdf1-a902ded2bf9c','user','home','["lives", "in", "austin"]','{"v":1,"text":"Lives in Austin.","subject":"user","attribute":"home","kind":"fact","volatile":false,"said_by":"user","authority":"user","turn_ids":["f69f5699-cb46-51db-9576-dc7e1612787b"],"said_at":"2026-05-02T12:00:00Z","happened_at":null,"until":null,"until_assumed":false,"identifiers":[],"id":"2961b42d-2b38-5b19-a321-7160b2978318","scope":{"app":"acme","user":"Zoë \"x\" \\ o''hara"},"version":2,"after":null,"created_at":"2026-05-02T12:00:00Z","updated_at":"2026-05-02T12:00:00Z","last_confirmed_at":"2026-05-02T12:00:00Z","confirmations":1,"uses":0,"tags":[],"metadata":{},"pinned":false,"links":[],"flagged":null,"last_run":"00000000-0000-5000-8000-000000000002"}');
INSERT INTO "memory" VALUES(2,1,'44d6ed25-0a9b-5286-933e-5f03a3a41f47',NULL,'user',NULL,'["the", "code", "is", "err", "mem", "4412", "err_mem_4412"]','{"v":1,"text":"The code is ERR_MEM_4412.","subject":"user","attribute":null,"kind":"fact","volatile":false,"said_by":"user","authority":"user","turn_ids":["7def3f50-b30f-50e3-b2c9-74e858de9311"],"said_at":"2026-05-02T12:00:00Z","happened_at":null,"until":null,"until_assumed":false,"identifiers":["err_mem_4412"],"id":"44d6ed25-0a9b-5286-933e-5f03a3a41f47","scope":{"app":"acme","user":"Zoë \"x\" \\ o''hara"},"version":1,"after":null,"created_at":"2026-05-02T12:00:00Z","updated_at":"2026-05-02T12:00:00Z","last_confirmed_at":"2026-05-02T12:00:00Z","confirmations":1,"uses":0,"tags":[],"metadata":{},"pinned":false,"links":[],"flagged":null,"last_run":"00000000-0000-5000-8000-000000000002"}');
CREATE TABLE posting (
    scope INTEGER NOT NULL,
    term TEXT NOT NULL,
    place INTEGER NOT NULL,
    -- How often the text says it.
    times INTEGER NOT NULL,
    PRIMARY KEY (scope, term, place)
) WITHOUT ROWID;
INSERT INTO "posting" VALUES(1,'4412',2,1);
INSERT INTO "posting" VALUES(1,'austin',1,1);
INSERT INTO "posting" VALUES(1,'code',2,1);
INSERT INTO "posting" VALUES(1,'err',2,1);
INSERT INTO "posting" VALUES(1,'err_mem_4412',2,1);
INSERT INTO "posting" VALUES(1,'in',1,1);
INSERT INTO "posting" VALUES(1,'is',2,1);
INSERT INTO "posting" VALUES(1,'lives',1,1);
INSERT INTO "posting" VALUES(1,'mem',2,1);
INSERT INTO "posting" VALUES(1,'the',2,1);
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
INSERT INTO "run" VALUES(1,1,'3790a9de-9337-56fe-ba2d-79312a19e246','applied',1780315200.0,'{"v":1,"id":"3790a9de-9337-56fe-ba2d-79312a19e246","kind":"batch","scope":{"app":"acme","user":"Zoë \"x\" \\ o''hara"},"state":"applied","turn_ids":["89e6dbfe-5ba9-5398-87d7-b6939dec9f96"],"started_at":"2026-06-01T12:00:00Z","facts":0,"dropped":{},"model":"","prompts":{},"usage":{"v":1,"calls":{},"tokens":{},"prompt_tokens":0,"completion_tokens":0,"cached_tokens":0},"plan":null,"changes":[],"held":[]}');
INSERT INTO "run" VALUES(2,3,'3790a9de-9337-56fe-ba2d-79312a19e246','parked',1780315200.0,'{"v":1,"id":"3790a9de-9337-56fe-ba2d-79312a19e246","kind":"batch","scope":{"app":"acme","user":"runs only"},"state":"parked","turn_ids":["9754a6d9-e598-5179-a9e2-6035ad378bcf"],"started_at":"2026-06-01T12:00:00Z","facts":0,"dropped":{},"model":"","prompts":{},"usage":{"v":1,"calls":{},"tokens":{},"prompt_tokens":0,"completion_tokens":0,"cached_tokens":0},"plan":null,"changes":[],"held":[]}');
CREATE TABLE run_turn (
    scope INTEGER NOT NULL,
    turn TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (scope, turn, place)
) WITHOUT ROWID;
INSERT INTO "run_turn" VALUES(1,'89e6dbfe-5ba9-5398-87d7-b6939dec9f96',1);
INSERT INTO "run_turn" VALUES(3,'9754a6d9-e598-5179-a9e2-6035ad378bcf',2);
CREATE TABLE scope (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    -- Grows with every change of a live memory.
    generation INTEGER NOT NULL DEFAULT 0
);
INSERT INTO "scope" VALUES(1,'7449d730-13b9-5fbb-b759-5f593bc8b901',1);
INSERT INTO "scope" VALUES(2,'cf779033-32a3-511b-9831-196b47c5992c',0);
INSERT INTO "scope" VALUES(3,'4f720223-35c1-5ceb-805d-63de927cd120',0);
INSERT INTO "scope" VALUES(4,'e0019f33-1908-5718-a817-0f28bc564376',0);
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
INSERT INTO "vector" VALUES(1,1,'2961b42d-2b38-5b19-a321-7160b2978318','ce80a034-e397-5ec9-882f-573286444b21',3,X'DF4B7FBDBEE364BCABDA813B90CB993EE2C743BEB04499BE84D5ADBE45A450BF');
INSERT INTO "vector" VALUES(2,1,'44d6ed25-0a9b-5286-933e-5f03a3a41f47','ce80a034-e397-5ec9-882f-573286444b21',7,X'4BEAFFBD0AAF56BFC80A423EBD7F863E0DBED13D338536BEC408B3BE3745DDBD');
CREATE INDEX memory_slot ON memory (scope, slot, id) WHERE slot IS NOT NULL;
CREATE INDEX memory_subject ON memory (scope, subject, attribute) WHERE slot IS NOT NULL;
CREATE INDEX vector_scope ON vector (scope);
CREATE INDEX identifier_place ON identifier (place);
CREATE INDEX archive_replaced_by ON archive (scope, replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX run_started_at ON run (scope, started_at);
CREATE INDEX run_open ON run (scope, started_at) WHERE state = 'open';
CREATE INDEX run_turn_place ON run_turn (place);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('scope',4);
COMMIT;
