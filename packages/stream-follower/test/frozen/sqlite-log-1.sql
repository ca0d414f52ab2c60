-- A SQLite log of version 1, as it was released. Never edited.
CREATE TABLE migration (version INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT;
CREATE TABLE checkpoint (
    source TEXT NOT NULL, realm TEXT NOT NULL, next_id TEXT, seq INTEGER NOT NULL DEFAULT 0,
    epoch INTEGER NOT NULL DEFAULT 0, last_checksum TEXT NOT NULL DEFAULT '',
    last_event_at INTEGER NOT NULL DEFAULT 0, last_polled_at INTEGER, pages INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0, log_bytes INTEGER NOT NULL DEFAULT 0,
    quarantined INTEGER NOT NULL DEFAULT 0, gaps INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (source, realm)) STRICT, WITHOUT ROWID;
  CREATE TABLE page (
    no INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL,
    requested_id TEXT, next_id TEXT NOT NULL, received_at INTEGER NOT NULL, encoding TEXT NOT NULL,
    wire_bytes INTEGER NOT NULL, raw_bytes INTEGER NOT NULL, checksum TEXT NOT NULL,
    changes INTEGER NOT NULL, listed INTEGER NOT NULL, state TEXT NOT NULL CHECK (state IN ('ok', 'unread')),
    bounds BLOB NOT NULL, body BLOB NOT NULL, UNIQUE (source, realm, seq)) STRICT;
  CREATE TABLE gap (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
    from_id TEXT NOT NULL, to_id TEXT NOT NULL) STRICT;
  CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, place INTEGER NOT NULL,
    kind TEXT NOT NULL, requested_id TEXT, next_id TEXT NOT NULL, error_tag TEXT NOT NULL, message TEXT NOT NULL,
    bytes_zstd BLOB NOT NULL, first_seen INTEGER NOT NULL, tries INTEGER NOT NULL, resolved_at INTEGER,
    UNIQUE (source, realm, seq, place)) STRICT;
  CREATE INDEX quarantine_open ON quarantine (source, realm, seq) WHERE resolved_at IS NULL;
  CREATE TABLE reader (
    name TEXT NOT NULL, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, seen_at INTEGER NOT NULL,
    PRIMARY KEY (name, source, realm)) STRICT, WITHOUT ROWID;
  CREATE TABLE lease (
    source TEXT NOT NULL, realm TEXT NOT NULL, owner TEXT, epoch INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    host TEXT, pid INTEGER, PRIMARY KEY (source, realm)) STRICT;
INSERT INTO migration (version, checksum) VALUES (1, '506d2eb6af7d377c36f5faa45ceb61c701b8b7b1c738073f50e5d5ceda19ce46');
PRAGMA application_id = 1195658289;
