-- The tables of a PostgreSQL store of version 1, as they were released. Never edited.
CREATE TABLE follower_migration (version integer PRIMARY KEY, checksum text NOT NULL);
CREATE TABLE checkpoint (
  source text NOT NULL, realm text NOT NULL, next_id text, seq bigint NOT NULL DEFAULT 0, epoch bigint NOT NULL DEFAULT 0,
  last_checksum text NOT NULL DEFAULT '', last_event_at bigint NOT NULL DEFAULT 0, last_polled_at bigint,
  pages bigint NOT NULL DEFAULT 0, pruned_to bigint NOT NULL DEFAULT 0, PRIMARY KEY (source, realm));
CREATE TABLE page (
  source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL, requested_id text, next_id text NOT NULL,
  checksum text NOT NULL, rows integer NOT NULL, bytes bigint NOT NULL, received_at bigint NOT NULL,
  encoding text NOT NULL, state text NOT NULL, wire_bytes bigint NOT NULL, bounds bytea NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (source, realm, seq));
ALTER TABLE page ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE gap (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL,
  kind text NOT NULL, from_id text NOT NULL, to_id text NOT NULL);
CREATE INDEX gap_by_page ON gap (source, realm, seq);
CREATE TABLE quarantine (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL,
  kind text NOT NULL, requested_id text, next_id text NOT NULL, error_tag text NOT NULL, message text NOT NULL,
  bytes_zstd bytea NOT NULL, first_seen bigint NOT NULL, tries integer NOT NULL, replayed boolean NOT NULL DEFAULT false,
  indexer text, place integer);
CREATE TABLE lease (
  source text NOT NULL, realm text NOT NULL, owner text, epoch bigint NOT NULL, expires_at timestamptz NOT NULL,
  PRIMARY KEY (source, realm));
CREATE TABLE reader (
  name text NOT NULL, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (name, source, realm));
CREATE TABLE indexer (
  name text NOT NULL, source text NOT NULL, realm text NOT NULL, seq bigint NOT NULL, listed bigint NOT NULL DEFAULT 0,
  items bigint NOT NULL DEFAULT 0, quarantined bigint NOT NULL DEFAULT 0, PRIMARY KEY (name, source, realm));
CREATE TABLE indexer_version (name text PRIMARY KEY, version integer NOT NULL);
INSERT INTO follower_migration (version, checksum) VALUES (1, 'dd38f5c84ad506ae1dbb9c5f0caa39ca4055f10ed437efcc3515ed231754367d');
