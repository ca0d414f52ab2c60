/**
 * The follower's role: pages of the stash stream and hours of the exchange, from the service into
 * the page log.
 */
import { GameApi } from "@game-data/api-client";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import {
  Follower,
  type Lease,
  type PageSource,
  type RunError,
  type Sink,
  Status,
  type StreamKey,
} from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Context, Effect, Layer, type Redacted, Schedule, type Scope } from "effect";
import type { Log, Realm } from "../openLog.ts";

/** A service, and the client that is registered there. */
export interface Service {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  /** Of a confidential client, which follows for the application. */
  readonly clientSecret: Redacted.Redacted;
  readonly contact: string;
}

/** Builds a client of the data API. Its rate limits are learned from the responses. */
const apiFor = ({ baseUrl, clientId, contact }: Omit<Service, "clientSecret">) =>
  GameApi.layer({
    baseUrl,
    userAgent: { clientId, version: "1.0.0", contact },
  }).pipe(
    // Pages are large and compressed; undici hands them out as they came.
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.build,
    Effect.map(Context.get(GameApi)),
  );

/** Follows both streams of a realm until the scope closes. */
export const follow = Effect.fnUntraced(function* (
  service: Service,
  realm: Realm,
): Effect.fn.Return<void, unknown, Log | Scope.Scope> {
  const { authUrl, clientId, clientSecret, contact } = service;
  const client = yield* OAuthClient.confidentialClient({
    authUrl,
    clientId,
    clientSecret,
    userAgent: { clientId, version: "1.0.0", contact },
  });
  const session = Session.forApplication(client, { scopes: ["service:psapi", "service:cxapi"] });
  const api = (yield* apiFor(service)).as(session);
  yield* Effect.provide(
    followStreams(realm),
    Layer.provide(GameApiSource.layer, Layer.succeed(GameApi, api)),
  );
});

/**
 * Follows both streams of a realm. A response that ends the follower of one stream is requested again
 * every minute: it ends neither the other stream nor the web server. A store that fails ends both,
 * and so does a token that no stream accepts.
 */
export const followStreams = (
  realm: Realm,
): Effect.Effect<void, unknown, PageSource.PageSource | Sink.Sink | Lease.Lease> =>
  Effect.forEach(
    ["stashes", "exchange"] as const,
    (source) =>
      Follower.run({ source, realm }).pipe(
        Effect.tapError((error) =>
          isResponse(error) ? recordFailure({ source, realm }, error) : Effect.void,
        ),
        Effect.retry({ while: isResponse, schedule: Schedule.spaced("1 minute") }),
      ),
    { concurrency: "unbounded", discard: true },
  );

/** Shows the failure in the status until the next request. */
const recordFailure = (key: StreamKey, error: RunError) =>
  Effect.andThen(
    Status.note(key, { ended: undefined }),
    Effect.ignore(Status.track(key, "source")(Effect.fail(error))),
  );

const RESPONSE_ERRORS: ReadonlySet<string> = new Set([
  "ChangeIdRejected",
  "MalformedPage",
  "PageTooLarge",
  "ProtocolViolation",
  "StuckStream",
]);

/** Whether a response ended the follower, and not the store or the token. */
const isResponse = (error: RunError): boolean =>
  error._tag === "PageRefused" ? error.reason === "forbidden" : RESPONSE_ERRORS.has(error._tag);
