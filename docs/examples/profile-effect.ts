import { GameApi } from "@game-data/api-client";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import { startSandbox } from "@game-data/sandbox";
import { Effect, Layer } from "effect";
import { FetchHttpClient } from "effect/http";

const sandbox = await startSandbox();
const service = sandbox.clients.find(({ clientId }) => clientId === "example-service");

const userAgent = { clientId: "example-service", version: "1.0.0", contact: "me@example.com" };

// A client that acts for itself: it needs no user.
const program = Effect.gen(function* () {
  const client = yield* OAuthClient.confidentialClient({
    authUrl: sandbox.authUrl,
    clientId: "example-service",
    clientSecret: service?.clientSecret ?? "",
    userAgent,
  });
  const live = GameApi.layer({
    baseUrl: sandbox.baseUrl,
    credentials: Session.forApplication(client, { scopes: ["service:leagues"] }),
    userAgent,
  }).pipe(Layer.provide(FetchHttpClient.layer));

  yield* Effect.gen(function* () {
    const api = yield* GameApi;
    const leagues = yield* api.leagues.list({ realm: "pc" });
    console.log(leagues.map(({ name }) => name));
  }).pipe(Effect.provide(live));
});

await Effect.runPromise(program);
await sandbox.close();
