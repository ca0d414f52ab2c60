/** An index over a sandbox, as `npm run stash-index` composes it, and a web server by itself. */
import type { WorldOptions } from "@game-data/sandbox";
import { PageLog } from "@game-data/stream-follower";
import { type Duration, Effect, Exit, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openSandbox } from "../../src/openSandbox.ts";
import { runStashIndex } from "../../src/stashIndex.ts";
import { serve } from "../../src/web/server.ts";
import { memoryLog, type TestIndex } from "./testIndex.ts";

/** Runs an effect, and returns its value with what closes its scope. */
const start = async <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => {
  const scope = Scope.makeUnsafe();
  const value = await Effect.runPromise(Scope.provide(effect, scope));
  return [value, () => Effect.runPromise(Scope.close(scope, Exit.void))] as const;
};

/** A deadline would be a race on a busy machine, so it is long unless a test is about it. */
interface Timing {
  readonly queryTimeout?: Duration.Input;
  readonly ratePerSecond?: number;
}

const common = { host: "127.0.0.1", port: 0, realm: "pc", ratePerSecond: 10_000 } as const;

/** Starts a web server over an index, without a follower. Closes both. */
export const serveIndex = async (index: TestIndex, timing: Timing = {}) => {
  const options = { ...common, file: index.file, queryTimeout: "30 seconds", ...timing } as const;
  const [origin, end] = await start(
    Effect.provideService(serve(options), PageLog.PageLog, memoryLog()),
  );
  return { origin, close: () => end().then(index.close) };
};

/** Starts an index over a small world, and waits until its history is indexed. */
export const startIndex = async (
  { queryTimeout = "30 seconds" }: Timing = {},
  more: WorldOptions = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  const path = join(folder, "pages.db");
  const world = {
    ...{ streamStashes: 120, streamPageSize: 60, streamItems: 32, streamHistoryPages: 6 },
    ...{ streamChangesPerMinute: 40, exchangeHistoryHours: 24, ...more },
  };
  const [{ controlUrl, opsUrl, origin }, end] = await start(
    Effect.gen(function* () {
      const sandbox = yield* openSandbox(1, world);
      const running = yield* runStashIndex({
        ...{ ...common, ...sandbox, queryTimeout, store: `sqlite:${path}`, index: path },
        ...{ roles: new Set(["follower", "indexer", "web"]), ops: { port: 0 } },
      });
      return { ...sandbox, ...running };
    }),
  );
  /** Requests a path of the API, and returns the body and the status. */
  const get = async (to: string, query: Readonly<Record<string, string>> = {}, init = {}) => {
    const response = await fetch(`${origin}/api/${to}?${new URLSearchParams(query)}`, init);
    return { httpStatus: response.status, ...(await response.json()) } as any;
  };
  const json = (body: object): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  while ((await get("status")).seq < 6) await sleep(50);
  const lastHour = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
  const rates = () => get("exchange/currencies", { league: "Standard" });
  while (!((await rates()).hour >= lastHour)) await sleep(50);
  return {
    ...{ origin: origin!, opsUrl: opsUrl!, path, get },
    post: (to: string, body: object) => get(to, {}, json(body)),
    /** Moves the sandbox's clock. */
    advance: (by: string) => fetch(`${controlUrl}/clock`, json({ advance: by })),
    close: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
export type RunningIndex = Awaited<ReturnType<typeof startIndex>>;
