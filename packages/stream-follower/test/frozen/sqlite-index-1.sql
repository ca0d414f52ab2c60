-- A SQLite index of version 1, as it was released. Never edited.
CREATE TABLE migration (version INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT;
CREATE TABLE indexer (
    name TEXT NOT NULL, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL,
    listed INTEGER NOT NULL DEFAULT 0, items INTEGER NOT NULL DEFAULT 0, quarantined INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (name, source, realm)) STRICT, WITHOUT ROWID;
  CREATE TABLE indexer_version (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, place INTEGER NOT NULL,
    indexer TEXT NOT NULL, kind TEXT NOT NULL, requested_id TEXT, next_id TEXT NOT NULL, error_tag TEXT NOT NULL,
    message TEXT NOT NULL, bytes_zstd BLOB NOT NULL, first_seen INTEGER NOT NULL, tries INTEGER NOT NULL,
    resolved_at INTEGER, UNIQUE (source, realm, seq, place, indexer)) STRICT;
  CREATE INDEX quarantine_open ON quarantine (source, realm, seq) WHERE resolved_at IS NULL;
INSERT INTO migration (version, checksum) VALUES (1, '84f15a7c25d30d549bcf6163e57d08cc3b9227fadc8851785372c5a8fdcf9965');
PRAGMA application_id = 1195657521;
