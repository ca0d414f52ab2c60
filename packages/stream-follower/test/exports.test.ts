/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./Changes: iterate run shardOf subscribe
    ./Export: COLUMNS Digits followFile rows text write
    ./Indexer: run supervised
    ./Jump: jump
    ./PageLog: PageLog changes jsonOf markets
    ./Sink: Sink Store
    ./StoreUrl: format indexState layer loadOptional logLayer open parse rebuild statusOf
      statuses
    ./Verify: verify
    ./api-client: GameApiSource
    ./cluster: Placement
    ./csv: HIDDEN csvLine
    ./health: HealthServer
    ./nats: LeaseNats SinkNats
    ./postgres: LeasePostgres PostgresIndexer PostgresState SinkPostgres
    ./promise: follow
    ./sqlite: LeaseSqlite SinkSqlite SqliteBackup SqliteIndexer SqliteState
    ./testing: batchOf commitOf makePage sinkLaws
    .: ChainBroken ChangeIdRejected Changes Decode DecompressError DriverMissing Fenced
      Follower HealthServerFailed HistoryExpired HistoryGap Indexer IndexerFailed
      IndexerThread InvalidStoreUrl Lease LeaseLost MalformedPage Metrics PageLog PageRefused
      PageSource PageTimeout PageTooLarge PageUnavailable Parts ProtocolViolation Quarantine
      Signals Sink SinkError Status StreamInUse StreamNotFound StuckStream Supervisor
      TruncatedBody Verify jump"
  `);
});
