/**
 * Opens the place of the tour: starts the sandbox, or looks whether the deployment answers, and gets the clients ready.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { type Credentials, GameApi } from "@game-data/api-client";
import type { Scope as GrantedScope } from "@game-data/contract";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import type { ClientCredentials } from "@game-data/sandbox";
import { Context, Effect, Layer, Redacted } from "effect";
import { bodiesWith, type Captured, readCaptured } from "./Captured.ts";
import type { Deployment, Place } from "./Options.ts";
import { type Speaker, type Tour, TourFailure } from "./Tour.ts";

/** Pages of the stash stream: what the sandbox is born with, and what is taken of a deployment's. */
const SANDBOX_PAGES = 60;
const DEPLOYMENT_PAGES = 5;

const USER_SCOPES = [
  "account:profile",
  "account:characters",
  "account:stashes",
  "account:item_filter",
  "oauth:revoke",
] as const;

const APPLICATION_SCOPES = [
  "service:leagues",
  "service:leagues:ladder",
  "service:psapi",
  "service:cxapi",
] as const;

/** Opens the place; what is opened closes with the scope. */
export const open = Effect.fnUntraced(function* (place: Place) {
  const folder = yield* attempt(() => mkdtempSync(join(tmpdir(), "game-data-tour-")));
  // Also where a reader has seen enough and the process ends at once.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, "followed.db");
  return place.kind === "deployment"
    ? yield* openDeployment(place, store)
    : yield* openSandbox(place.kind === "replay" ? place.folder : undefined, store);
});

const openSandbox = Effect.fnUntraced(function* (replay: string | undefined, store: string) {
  const captured = replay === undefined ? undefined : yield* attempt(() => readCaptured(replay));
  const sandbox = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { startSandbox } = await import("@game-data/sandbox");
        return startSandbox({ world: { streamHistoryPages: SANDBOX_PAGES }, replay });
      },
      catch: failure("The sandbox does not start"),
    }),
    (running) => Effect.promise(() => running.close()),
  );
  const { authUrl, baseUrl } = sandbox;
  const desktop = clientOf(sandbox.clients, "example-desktop");
  const service = clientOf(sandbox.clients, "example-service");
  const tour: Tour = {
    authUrl,
    baseUrl,
    sandbox,
    deployment: undefined,
    captured,
    store,
    streamPages: captured === undefined ? SANDBOX_PAGES : pagesIn(captured),
    user: yield* userSpeaker({
      authUrl,
      baseUrl,
      scopes: USER_SCOPES,
      clientId: desktop.clientId,
      redirectUri: desktop.redirectUris[0] ?? "",
    }),
    application: yield* applicationSpeaker({
      authUrl,
      baseUrl,
      scopes: APPLICATION_SCOPES,
      clientId: service.clientId,
      clientSecret: Redacted.make(service.clientSecret ?? ""),
    }),
  };
  return tour;
});

const openDeployment = Effect.fnUntraced(function* (deployment: Deployment, store: string) {
  const { authUrl, baseUrl, clientSecret } = deployment;
  // Before anybody is sent to a page that is not there.
  yield* Effect.forEach([authUrl, baseUrl], reach, { discard: true });
  const tour: Tour = {
    authUrl,
    baseUrl,
    sandbox: undefined,
    deployment,
    captured: undefined,
    store,
    streamPages: DEPLOYMENT_PAGES,
    user: clientSecret === undefined ? yield* userSpeaker(deployment) : undefined,
    application:
      clientSecret === undefined
        ? undefined
        : yield* applicationSpeaker({ ...deployment, clientSecret }),
  };
  return tour;
});

const clientOf = (clients: ReadonlyArray<ClientCredentials>, id: string) =>
  clients.find(({ clientId }) => clientId === id)!;

/** Files of the stream with one id are parts of one page. */
const pagesIn = (captured: Captured): number =>
  new Set(
    bodiesWith(captured, "next_change_id").flatMap((body) =>
      "stashes" in body ? [body["next_change_id"]] : [],
    ),
  ).size;

/** Any answer will do: it tells that somebody is there. */
const reach = (url: string) =>
  Effect.tryPromise({
    try: () => fetch(url, { redirect: "manual", signal: AbortSignal.timeout(10_000) }),
    catch: failure(`${url} does not answer`),
  });

/** What a speaker is made of. */
interface Identity {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly scopes: ReadonlyArray<GrantedScope>;
  readonly contact?: string;
  readonly words?: Deployment["words"];
}

const userSpeaker = Effect.fnUntraced(function* (
  identity: Identity & { readonly redirectUri: string },
) {
  const { authUrl, clientId, redirectUri } = identity;
  const client = yield* OAuthClient.publicClient({
    authUrl,
    clientId,
    redirectUri,
    allowInsecureLoopback: true,
  });
  return yield* speaker(identity, client, Session.forUser(client));
});

const applicationSpeaker = Effect.fnUntraced(function* (
  identity: Identity & { readonly clientSecret: Redacted.Redacted },
) {
  const { authUrl, clientId, clientSecret, scopes } = identity;
  const client = yield* OAuthClient.confidentialClient({
    authUrl,
    clientId,
    clientSecret,
    allowInsecureLoopback: true,
  });
  return yield* speaker(identity, client, Session.forApplication(client, { scopes }));
});

const speaker = Effect.fnUntraced(function* <Client extends OAuthClient.OAuthClient>(
  identity: Identity,
  client: Client,
  session: Session.Session,
) {
  const api = (credentials: Credentials) =>
    Effect.map(Layer.build(layer(identity, credentials)), apiOf);
  const result: Speaker<Client> = {
    client,
    scopes: identity.scopes,
    session,
    api: yield* api(session),
    withToken: api,
  };
  return result;
});

const apiOf = (context: Context.Context<GameApi>) => Context.get(context, GameApi);

const layer = (identity: Identity, credentials: Credentials) =>
  GameApi.layer({
    baseUrl: identity.baseUrl,
    words: identity.words,
    credentials,
    userAgent: {
      clientId: identity.clientId,
      version: "1.0.0",
      contact: identity.contact ?? "tour@example.com",
    },
  }).pipe(Layer.provide(NodeHttpClient.layerUndici));

const attempt = <A>(run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => (cause instanceof TourFailure ? cause : failure("Cannot begin")(cause)),
  });

const failure = (what: string) => (cause: unknown) =>
  new TourFailure({ message: `${what}: ${wordsOf(cause)}` });

/** `fetch` hides the reason in its cause. */
const wordsOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause;
  if (inner instanceof AggregateError) return wordsOf(inner.errors[0]);
  return inner instanceof Error ? inner.message : cause.message;
};
