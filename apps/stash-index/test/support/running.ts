/**
 * An index over a sandbox, as `npm run stash-index` composes it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorldOptions } from "@game-data/sandbox";
import { Effect, Exit, Scope } from "effect";
import { openSandbox } from "../../src/openSandbox.ts";
import { runStashIndex } from "../../src/stashIndex.ts";
import { untilIndexed } from "./processes.ts";

export interface RunningIndex {
  readonly origin: string;
  readonly opsUrl: string;
  readonly controlUrl: string;
  readonly path: string;
  /** A GET of the API, as JSON. */
  get<A = any>(
    path: string,
    parameters?: Readonly<Record<string, string | ReadonlyArray<string>>>,
  ): Promise<A>;
  /** Posts to the sandbox's control plane. */
  control<A = unknown>(path: string, body: object): Promise<A>;
  /** Moves the sandbox's clock. */
  advance(by: string): Promise<void>;
  /** Stops the sandbox's clock, and waits until all that the stream shows is indexed. */
  settle(): Promise<void>;
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
    readonly queryMillis?: number;
    readonly withoutSignIn?: boolean;
  } = {},
): Promise<RunningIndex> => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-test-"));
  const path = join(folder, "pages.db");
  const scope = await Effect.runPromise(Scope.make());
  const world = {
    streamStashes: 120,
    streamPageSize: 60,
    streamItems: 32,
    streamHistoryPages: 6,
    streamChangesPerMinute: 40,
    exchangeHistoryHours: 72,
    ...options.world,
  };
  const { announced, baseUrl, opsUrl, origin } = await Effect.runPromise(
    Effect.gen(function* () {
      const target = yield* openSandbox(1, world);
      const served = yield* runStashIndex({
        roles: new Set(["follower", "indexer", "web"]),
        store: `sqlite:${path}`,
        index: `${path}.items`,
        realm: "pc",
        port: 0,
        host: "127.0.0.1",
        opsPort: 0,
        ratePerSecond: options.ratePerSecond ?? 10_000,
        // A deadline would be a race on a machine that runs other tests; one test sets its own.
        queryMillis: options.queryMillis ?? 30_000,
        ...target,
        ...(options.withoutSignIn && { signIn: undefined }),
      });
      return {
        announced: target.announced,
        baseUrl: target.service.baseUrl,
        ...served,
        origin: served.origin!,
      };
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
  const control = async <A>(to: string, body: object): Promise<A> => {
    const response = await fetch(`${controlUrl}/${to}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as A;
  };
  /** Whether the stream shows nothing beyond the log's last page. */
  const isAtEnd = async (token: string): Promise<boolean> => {
    const db = new DatabaseSync(path, { readOnly: true });
    const at = db.prepare("SELECT next_id AS id FROM checkpoint WHERE source = 'stashes'").get();
    db.close();
    const response = await fetch(`${baseUrl}/public-stash-tabs?id=${at?.["id"]}`, {
      headers: { authorization: `Bearer ${token}`, "user-agent": "OAuth test/1.0.0 (contact: t)" },
    });
    const page = (await response.json()) as { stashes?: ReadonlyArray<unknown> };
    return response.ok && page.stashes?.length === 0;
  };
  const index = {
    origin,
    opsUrl: opsUrl!,
    controlUrl,
    path,
    get,
    control,
    advance: async (by: string) => void (await control("clock", { advance: by })),
    settle: async () => {
      await control("clock", { freeze: true });
      const { access_token } = await control<{ access_token: string }>("tokens", {
        clientId: "example-service",
        scopes: ["service:psapi"],
      });
      while (!(await isAtEnd(access_token))) await sleep(250);
      while ((await get<{ behind: number }>("status")).behind > 0) await sleep(50);
    },
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  if (options.ratePerSecond === undefined)
    await untilIndexed(`${origin}/`, world.streamHistoryPages ?? 1);
  return index;
};
