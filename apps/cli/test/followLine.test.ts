/** The last line of a follower that was stopped. */
import type { Status } from "@game-data/stream-follower";
import { expect, it } from "vitest";
import { stoppedLine } from "../src/output/followLine.ts";

const commit = (facts: Partial<Status.PartStatus>): Status.StreamStatus =>
  ({
    stream: "stashes/pc",
    headSeq: 2n,
    parts: [{ kind: "commit", name: "commit", failures: 0, ...facts }],
  }) as unknown as Status.StreamStatus;
const totals = { pages: 2, rows: 6 };

it("says where the last commit was not answered, and nothing of it where it was", () => {
  const asked = commit({ inFlightSince: 1000, lastSuccessAt: 900 });
  expect(stoppedLine(totals, asked, commit({ lastSuccessAt: 900 }))).toBe(
    "2 pages, 6 rows; stopped, all of it is in the store; " +
      "whether the pages after it are there is unknown, since their commit was not answered: the next start looks for them",
  );
  const well = "2 pages, 6 rows; stopped, all of it is in the store";
  expect(stoppedLine(totals, asked, commit({ lastSuccessAt: 1001 }))).toBe(well);
  expect(stoppedLine(totals, commit({ lastSuccessAt: 900 }), commit({}))).toBe(well);
});
