/**
 * The service of the tour: a sandbox on real ports, and two sessions with API clients, for a user
 * and for the application.
 */
import { type Credentials, GameApi } from "@game-data/api-client";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { Context, Effect, Layer, Redacted } from "effect";
import { FetchHttpClient } from "effect/http";

/** The service that every step receives. */
export type Service = Effect.Success<typeof openSandbox>;

/** Scopes of the application's token. */
export const SERVICE_SCOPES = [
  "service:leagues",
  "service:leagues:ladder",
  "service:psapi",
  "service:cxapi",
] as const;

/** Number of pages that the stash stream has when the sandbox starts. */
const STREAM_PAGES = 20;

/** Starts the sandbox and makes the sessions. The sandbox stops with the scope. */
export const openSandbox = Effect.gen(function* () {
  const sandbox = yield* Effect.acquireRelease(
    Effect.promise(() => startSandbox({ world: { streamHistoryPages: STREAM_PAGES } })),
    (running) => Effect.promise(() => running.close()),
  );
  const { authUrl, baseUrl } = sandbox;

  const desktop = registered(sandbox, "example-desktop");
  const client = yield* OAuthClient.publicClient({
    authUrl,
    clientId: desktop.clientId,
    redirectUri: desktop.redirectUris[0]!,
    userAgent: userAgent(desktop.clientId),
  });
  const user = Session.forUser(client);

  const service = registered(sandbox, "example-service");
  const applicationClient = yield* OAuthClient.confidentialClient({
    authUrl,
    clientId: service.clientId,
    clientSecret: Redacted.make(service.clientSecret!),
    userAgent: userAgent(service.clientId),
  });
  const application = Session.forApplication(applicationClient, { scopes: SERVICE_SCOPES });

  /** Builds an API client. It learns the rate limits from the responses. */
  const apiFor = (clientId: string, credentials: Credentials) =>
    GameApi.layer({ baseUrl, credentials, userAgent: userAgent(clientId) }).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.build,
      Effect.map(Context.get(GameApi)),
    );
  return {
    sandbox,
    client,
    user,
    userApi: yield* apiFor(client.clientId, user),
    application,
    applicationApi: yield* apiFor(service.clientId, application),
    /** Makes an API client with only this token, which cannot be renewed. */
    apiWithToken: (token: Redacted.Redacted) => apiFor(client.clientId, token),
  };
});

/** Returns a client that every sandbox has registered. */
const registered = ({ clients }: RunningSandbox, id: string) =>
  clients.find(({ clientId }) => clientId === id)!;

/** Returns the User-Agent of the tour for the OAuth server and the data API. */
const userAgent = (clientId: string) => ({
  clientId,
  version: "1.0.0",
  contact: "tour@example.com",
});
