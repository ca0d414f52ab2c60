/**
 * An index over a sandbox, as `npm run stash-index` composes it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorldOptions } from "@game-data/sandbox";
import { Effect, Exit, Scope } from "effect";
import { openSandbox } from "../../src/openSandbox.ts";
import { runStashIndex } from "../../src/stashIndex.ts";
import type { Webhook } from "../../src/web/webhook.ts";

export interface RunningIndex {
  readonly origin: string;
  readonly controlUrl: string;
  readonly path: string;
  /** A GET of the API, as JSON. */
  get<A = any>(
    path: string,
    parameters?: Readonly<Record<string, string | ReadonlyArray<string>>>,
  ): Promise<A>;
  /** Moves the sandbox's clock. */
  advance(by: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an index over a small world, and waits until all of its history is indexed; one with a
 * rate limit is not asked.
 */
export const startIndex = async (
  options: {
    readonly ratePerSecond?: number;
    readonly world?: WorldOptions;
    readonly webhook?: Webhook;
  } = {},
): Promise<RunningIndex> => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-test-"));
  const path = join(folder, "pages.db");
  const scope = await Effect.runPromise(Scope.make());
  const world = {
    streamStashes: 120,
    streamPageSize: 60,
    streamItems: 8,
    streamHistoryPages: 6,
    streamChangesPerMinute: 40,
    ...options.world,
  };
  const { announced, origin } = await Effect.runPromise(
    Effect.gen(function* () {
      const target = yield* openSandbox(1, world);
      const served = yield* runStashIndex({
        roles: new Set(["follower", "indexer", "web"]),
        store: `sqlite:${path}`,
        index: `${path}.items`,
        realm: "pc",
        port: 0,
        host: "127.0.0.1",
        ratePerSecond: options.ratePerSecond ?? 10_000,
        webhook: options.webhook,
        ...target,
      });
      return { announced: target.announced, origin: served! };
    }).pipe(Effect.provideService(Scope.Scope, scope)),
  );
  const controlUrl = announced!["controlUrl"] as string;
  const get = async <A>(
    to: string,
    parameters: Readonly<Record<string, string | ReadonlyArray<string>>> = {},
  ) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters))
      for (const each of [value].flat()) query.append(name, each);
    const response = await fetch(`${origin}/api/${to}?${query}`);
    return { ...((await response.json()) as object), httpStatus: response.status } as A;
  };
  const index = {
    origin,
    controlUrl,
    path,
    get,
    advance: async (by: string) => {
      const response = await fetch(`${controlUrl}/clock`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ advance: by }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  if (options.ratePerSecond !== undefined) return index;
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { behind, seq } = await get<{ behind: number; seq: number }>("status");
    const { hour = 0 } = await get<{ hour?: number }>("exchange/currencies", {
      league: "Standard",
    });
    // Every hour that is over: rates change with each of them.
    const isFresh = hour >= Math.floor(Date.now() / 3_600_000) * 3600 - 3600;
    if (seq >= (world.streamHistoryPages ?? 1) && behind === 0 && isFresh) return index;
    if (Date.now() > deadline)
      throw new Error(`not indexed: page ${seq}, ${behind} behind, rates of ${hour}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
