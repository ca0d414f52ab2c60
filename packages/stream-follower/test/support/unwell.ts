/** A stream whose records give a sample of every computed gauge. */
import type { Status } from "../../src/index.ts";

const part = { limitMillis: 15_000, attempts: 1, failures: 1, startedAt: 0 };
const lastError = { tag: "SinkError", kind: "unavailable", message: "down", at: 0 };

/** Its commits fail and its indexer is behind. */
export const unwell: Status.StreamRecord = {
  stream: "stashes/pc",
  startedAt: 0,
  pendingPages: 1,
  headSeq: 2n,
  quarantined: 1,
  parts: [
    { ...part, kind: "commit", name: "commit", lastError },
    { ...part, kind: "indexer", name: "state", seq: 1n },
  ],
};
