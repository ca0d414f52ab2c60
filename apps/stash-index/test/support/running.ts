/**
 * An index over a sandbox, as `npm run stash-index` composes it, and a web server by itself.
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
import { serve } from "../../src/web/server.ts";
import {
  applyPages,
  hourPage,
  itemOf,
  marketOf,
  openIndex,
  stashOf,
  streamPage,
} from "./changes.ts";
import { untilIndexed } from "./processes.ts";

export type RunningIndex = Awaited<ReturnType<typeof startIndex>>;

/** A request with JSON. */
const posted = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Starts what has to run in a scope, and what ends it. */
const started = async <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => {
  const scope = Scope.makeUnsafe();
  const value = await Effect.runPromise(Scope.provide(effect, scope));
  return [value, () => Effect.runPromise(Scope.close(scope, Exit.void))] as const;
};

/** Starts a web server over an index of one listing, which nobody follows. */
export const startServer = async (ratePerSecond = 10_000) => {
  const index = await openIndex();
  const item = itemOf(1, { note: "~price 1 gilt-orb" });
  applyPages(index.items, [streamPage(1, [stashOf([item])])]);
  applyPages(index.markets, [hourPage(3600, [marketOf("Standard", "gilt-orb|tide-shard", 4)])]);
  const [origin, end] = await started(
    serve({
      ...{ path: index.path, realm: "pc", logSeq: Effect.succeed(1), host: "127.0.0.1", port: 0 },
      ...{ ratePerSecond, queryMillis: 30_000 },
    }),
  );
  const close = async () => {
    await end();
    await index.close();
  };
  return { origin, close };
};

/** Starts an index over a small world, and waits until all of its history is indexed. */
export const startIndex = async (
  options: { readonly world?: WorldOptions; readonly queryMillis?: number } = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), "stash-index-test-"));
  const path = join(folder, "pages.db");
  const world = {
    streamStashes: 120,
    streamPageSize: 60,
    streamItems: 32,
    streamHistoryPages: 6,
    streamChangesPerMinute: 40,
    exchangeHistoryHours: 72,
    ...options.world,
  };
  const [{ announced, baseUrl, served }, end] = await started(
    Effect.gen(function* () {
      const target = yield* openSandbox(1, world);
      const running = yield* runStashIndex({
        roles: new Set(["follower", "indexer", "web"]),
        store: `sqlite:${path}`,
        index: `${path}.items`,
        realm: "pc",
        port: 0,
        host: "127.0.0.1",
        opsPort: 0,
        ratePerSecond: 10_000,
        // A deadline would be a race on a machine that runs other tests; one test sets its own.
        queryMillis: options.queryMillis ?? 30_000,
        ...target,
      });
      return { announced: target.announced, baseUrl: target.service.baseUrl, served: running };
    }),
  );
  const origin = served.origin!;
  const controlUrl = announced!["controlUrl"] as string;
  /** A request of the API, as JSON. */
  const ask = async <A>(to: string, init?: RequestInit): Promise<A> => {
    const response = await fetch(`${origin}/api/${to}`, init);
    return { ...((await response.json()) as object), httpStatus: response.status } as A;
  };
  const get = <A = any>(to: string, parameters: Readonly<Record<string, string>> = {}) =>
    ask<A>(`${to}?${new URLSearchParams(parameters)}`);
  /** Posts to the sandbox's control plane. */
  const control = async <A>(to: string, body: object): Promise<A> => {
    const response = await fetch(`${controlUrl}/${to}`, posted(body));
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as A;
  };
  /** Whether the stream shows nothing beyond the log's last page. */
  const isAtEnd = async (token: string): Promise<boolean> => {
    const db = new DatabaseSync(path, { readOnly: true });
    const at = db.prepare("SELECT next_id AS id FROM stream WHERE source = 'stashes'").get();
    db.close();
    const response = await fetch(`${baseUrl}/public-stash-tabs?id=${at?.["id"]}`, {
      headers: { authorization: `Bearer ${token}`, "user-agent": "OAuth test/1.0.0 (contact: t)" },
    });
    const page = (await response.json()) as { stashes?: ReadonlyArray<unknown> };
    return response.ok && page.stashes?.length === 0;
  };
  await untilIndexed(`${origin}/`, world.streamHistoryPages ?? 1);
  return {
    ...{ origin, opsUrl: served.opsUrl!, controlUrl, path, get, control },
    post: (to: string, body: unknown) => ask<any>(to, posted(body)),
    /** Moves the sandbox's clock. */
    advance: async (by: string) => void (await control("clock", { advance: by })),
    /** Stops the sandbox's clock, and waits until all that the stream shows is indexed. */
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
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
