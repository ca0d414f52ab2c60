/**
 * A service that follows the stash stream with `stream-follower`, to be audited: it reads until it
 * has caught up, into a store in memory. `packages/sandbox/audits/clients.mjs` runs it.
 */
import { Follower, Lease, PageSource } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { SinkSqlite } from "@game-data/stream-follower/sqlite";
import { Effect, Redacted } from "effect";
import { applicationSession } from "../src/sessions.ts";

const { env } = process;

const program = Effect.gen(function* () {
  const { api } = yield* applicationSession(
    {
      authUrl: env["GAME_DATA_AUTH_URL"] ?? "",
      baseUrl: env["GAME_DATA_BASE_URL"] ?? "",
      clientId: env["GAME_DATA_CLIENT_ID"] ?? "",
      clientSecret: Redacted.make(env["GAME_DATA_CLIENT_SECRET"] ?? ""),
      contact: "audit@example.com",
    },
    ["service:psapi"],
  );
  yield* Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
    Effect.provide(SinkSqlite.layer({ path: ":memory:" })),
    Effect.provideService(PageSource.PageSource, GameApiSource.make(api)),
    Effect.provide(Lease.none),
  );
});

await Effect.runPromise(Effect.scoped(program));
