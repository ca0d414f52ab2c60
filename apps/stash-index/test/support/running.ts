/** An index over a sandbox, as `npm run stash-index` composes it. */
import type { RunningSandbox, WorldOptions } from "@game-data/sandbox";
import { Effect, Exit, Scope } from "effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openSandbox } from "../../src/openSandbox.ts";
import { ROLES, runStashIndex, type StashIndexOptions } from "../../src/stashIndex.ts";

interface IndexOptions extends Partial<Omit<StashIndexOptions, "service" | "store">> {
  readonly world?: WorldOptions;
  /** Path of the page log and of the index. Default: in a folder of its own. */
  readonly path?: string;
  readonly fault?: Parameters<RunningSandbox["fault"]>[0];
}

const json = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** The last hour that the exchange has, in seconds since 1970. */
export const lastHour = () => Math.floor(Date.now() / 3_600_000) * 3600 - 3600;

/** Starts an index over a small world. */
export const startIndex = async (options: IndexOptions = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-"));
  const { fault, path = join(folder, "pages.db"), world, ...more } = options;
  const scope = Scope.makeUnsafe();
  const start = Effect.gen(function* () {
    const sandbox = yield* openSandbox(`${path}.sandbox`, {
      ...{ streamStashes: 120, streamPageSize: 60, streamItems: 32, streamHistoryPages: 6 },
      ...{ streamChangesPerMinute: 40, exchangeHistoryHours: 24, ...world },
    });
    if (fault) yield* Effect.promise(() => fetch(`${sandbox.controlUrl}/faults`, json(fault)));
    const running = yield* runStashIndex({
      ...{ host: "127.0.0.1", port: 0, realm: "pc", ratePerSecond: 10_000 },
      // A deadline would be a race on a busy machine, so it is long unless a test is about it.
      ...{ queryTimeout: "30 seconds", roles: new Set(ROLES), ops: { port: 0 }, ...more },
      ...{ store: `sqlite:${path}`, index: path, service: sandbox.service },
    });
    return { ...sandbox, ...running };
  });
  const { controlUrl, opsUrl, origin } = await Effect.runPromise(Scope.provide(start, scope));
  /** Requests a path of the API, and returns the body and the status. */
  const get = async (to: string, query: Readonly<Record<string, string>> = {}, init = {}) => {
    const response = await fetch(`${origin}/api/${to}?${new URLSearchParams(query)}`, init);
    return { httpStatus: response.status, ...(await response.json()) } as any;
  };
  /** Waits until the history of both streams is indexed. */
  const untilIndexed = async () => {
    while (!((await get("status")).seq >= 6)) await sleep(50);
    const rates = () => get("exchange/currencies", { league: "Standard" });
    while (!((await rates()).hour >= lastHour())) await sleep(50);
  };
  return {
    ...{ origin: origin!, opsUrl: opsUrl!, path, get, untilIndexed },
    post: (to: string, body: object) => get(to, {}, json(body)),
    /** Moves the sandbox's clock. */
    advance: (by: string) => fetch(`${controlUrl}/clock`, json({ advance: by })),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
export type RunningIndex = Awaited<ReturnType<typeof startIndex>>;
