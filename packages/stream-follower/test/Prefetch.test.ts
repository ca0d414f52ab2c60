/** Tests of prefetching: the time at which the next page is requested. Bounds: PrefetchWindow.test.ts. */
import { Effect, Exit } from "effect";
import { afterEach, describe, expect, it } from "vitest";
import { Follower } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { answerHistory, type FaultServer, startFaultServer } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { httpSource } from "./support/HttpSource.ts";
import { differences, over } from "./support/Run.ts";

const pages = makeHistory({ pages: 8 });

let server: FaultServer | undefined;
afterEach(() => server?.close());

const followLive = async (
  options: Partial<Follower.StashRun>,
  serverOptions: Partial<Parameters<typeof startFaultServer>[0]>,
) => {
  server = await startFaultServer({ answer: answerHistory(pages), ...serverOptions });
  const memory = SinkMemory.empty();
  const exit = await Effect.runPromiseExit(
    Follower.run({ source: "stashes", until: "caughtUp", ...options }).pipe(
      Effect.provide(over(httpSource(server.url), SinkMemory.make(memory))),
    ),
  );
  return { exit, memory, seen: server.seen };
};

/** Milliseconds between each request and the one before it. */
const gapsOf = (seen: ReadonlyArray<{ readonly at: number }>) =>
  seen.slice(1).map((one, index) => one.at - seen[index]!.at);

describe("look-ahead", () => {
  it("asks for the next page while the body still arrives, and not before its id is visible", async () => {
    const { exit, memory, seen } = await followLive({}, { transferMillis: 200 });
    expect(Exit.isSuccess(exit)).toBe(true);
    expect(differences(memory, pages)).toEqual([]);
    const gaps = gapsOf(seen);
    const early = gaps.filter((gap) => gap < 150).length;
    expect(early).toBeGreaterThanOrEqual(5);
  });

  it("waits for the whole body, or for the consumer, where it is told to", async () => {
    for (const prefetch of ["afterBody", "none"] as const) {
      const { memory, seen } = await followLive({ prefetch }, { transferMillis: 60 });
      expect(differences(memory, pages)).toEqual([]);
      expect(Math.min(...gapsOf(seen))).toBeGreaterThanOrEqual(45);
      await server?.close();
    }
  });
});
