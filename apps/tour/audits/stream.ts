/**
 * A service that follows the stash stream with `stream-follower`, to be audited: it reads until it
 * has caught up, into a store in memory. `packages/sandbox/audits/clients.mjs` runs it.
 */
import { GameApi } from "@game-data/api-client";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import { Follower, PageSource } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect, Layer, Redacted } from "effect";
import { FetchHttpClient } from "effect/http";

const { env } = process;
const clientId = env["GAME_DATA_CLIENT_ID"] ?? "";
const userAgent = { clientId, version: "1.0.0", contact: "audit@example.com" };

const program = Effect.gen(function* () {
  const client = yield* OAuthClient.confidentialClient({
    authUrl: env["GAME_DATA_AUTH_URL"] ?? "",
    clientId,
    clientSecret: Redacted.make(env["GAME_DATA_CLIENT_SECRET"] ?? ""),
    userAgent,
  });
  const credentials = Session.forApplication(client, { scopes: ["service:psapi"] });
  const baseUrl = env["GAME_DATA_BASE_URL"] ?? "";
  yield* Effect.flatMap(GameApi, (api) =>
    Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
      Effect.provide(StoreUrl.layer({ kind: "sqlite", path: ":memory:" })),
      Effect.provideService(PageSource.PageSource, GameApiSource.make(api)),
    ),
  ).pipe(
    Effect.provide(
      Layer.provide(GameApi.layer({ baseUrl, credentials, userAgent }), FetchHttpClient.layer),
    ),
  );
});

await Effect.runPromise(Effect.scoped(program));
