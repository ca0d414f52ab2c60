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
import { hourPage, item, market, memoryLog, openTestIndex, stash, stashPage } from "./testIndex.ts";

/** Runs an effect, and returns its value with what closes its scope. */
export const start = async <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => {
  const scope = Scope.makeUnsafe();
  const value = await Effect.runPromise(Scope.provide(effect, scope));
  return [value, () => Effect.runPromise(Scope.close(scope, Exit.void))] as const;
};

/** Starts a web server over an index of one listing, without a follower. */
export const startServer = async (ratePerSecond = 10_000) => {
  const index = await openTestIndex();
  const ring = item(1, { note: "~price 1 gilt-orb" });
  const markets = [market("Standard", "gilt-orb|tide-shard", 4)];
  await index.apply([stashPage(1, [stash([ring])]), hourPage(3600, markets)]);
  const [origin, end] = await start(
    serve({
      ...{ file: index.file, realm: "pc", host: "127.0.0.1", port: 0, ratePerSecond },
      queryTimeout: "30 seconds",
    }).pipe(Effect.provideService(PageLog.PageLog, memoryLog())),
  );
  const close = async () => {
    await end();
    await index.close();
  };
  return { origin, close };
};

interface StartOptions {
  readonly world?: WorldOptions;
  /** A deadline would be a race on a busy machine, so it is long unless a test is about it. */
  readonly queryTimeout?: Duration.Input;
}

/** Starts an index over a small world, and waits until its history is indexed. */
export const startIndex = async ({ queryTimeout = "30 seconds", world }: StartOptions = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  const path = join(folder, "pages.db");
  const small = {
    ...{ streamStashes: 120, streamPageSize: 60, streamItems: 32, streamHistoryPages: 6 },
    ...{ streamChangesPerMinute: 40, exchangeHistoryHours: 24, ...world },
  };
  const [{ controlUrl, served }, end] = await start(
    Effect.gen(function* () {
      const sandbox = yield* openSandbox(1, small);
      const running = yield* runStashIndex({
        ...{ roles: new Set(["follower", "indexer", "web"]), realm: "pc" },
        ...{ store: `sqlite:${path}`, index: path, port: 0, host: "127.0.0.1" },
        ...{ ops: { port: 0 }, ratePerSecond: 10_000, queryTimeout, service: sandbox.service },
      });
      return { controlUrl: sandbox.controlUrl, served: running };
    }),
  );
  const origin = served.origin!;
  /** Requests a path of the API, and returns the body and the status. */
  const get = async (to: string, query: Readonly<Record<string, string>> = {}, init = {}) => {
    const response = await fetch(`${origin}/api/${to}?${new URLSearchParams(query)}`, init);
    return { httpStatus: response.status, ...(await response.json()) } as any;
  };
  const post = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  /** Posts to the sandbox's control plane. */
  const control = async (to: string, body: object) => {
    const response = await fetch(`${controlUrl}/${to}`, post(body));
    if (!response.ok) throw new Error(await response.text());
  };
  while ((await get("status")).seq < (small.streamHistoryPages ?? 0)) await sleep(50);
  const lastHour = Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
  const rates = () => get("exchange/currencies", { league: "Standard" });
  while (!((await rates()).hour >= lastHour)) await sleep(50);
  return {
    ...{ origin, opsUrl: served.opsUrl!, controlUrl, path, get, control },
    post: (to: string, body: unknown) => get(to, {}, post(body)),
    /** Moves the sandbox's clock. */
    advance: (by: string) => control("clock", { advance: by }),
    close: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
export type RunningIndex = Awaited<ReturnType<typeof startIndex>>;
