/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of stream-follower export exactly the names of the snapshot", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./Changes: iterate readBatch run shardOf subscribe subscribePages
    ./Export: COLUMNS Digits followFile rows text write
    ./Indexer: applyPage open reset run
    ./Jump: jump
    ./PageLog: PageLog inflatePage pageRows
    ./Sink: Sink
    ./StoreUrl: format indexState layer loadOptional logLayer open parse rebuild statusOf
      statuses
    ./Verify: verify
    ./api-client: GameApiSource
    ./cluster: Placement
    ./csv: HIDDEN csvLine
    ./health: routes serve
    ./nats: consume publish
    ./promise: follow
    ./sql: Backup Indexer StashState decodeId decompress openToRead
    ./testing: makePage sinkLaws
    .: ChainBroken ChangeIdRejected Changes DecompressError DriverMissing Fenced Follower
      HealthServerFailed HistoryExpired Indexer IndexerFailed InvalidStoreUrl Lease LeaseLost
      MalformedPage Metrics PageLog PageRefused PageSource PageTimeout PageTooLarge
      PageUnavailable ProtocolViolation Quarantine Signals Sink SinkError Status StreamInUse
      StreamNotFound StuckStream TruncatedBody Verify hourOf jump makeCommit"
  `);
});
