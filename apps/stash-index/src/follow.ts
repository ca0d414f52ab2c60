/** The role follower: reads both streams of a realm from the service into the page log. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { GameApi } from "@game-data/api-client";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import { Follower, type Lease, type RunError, type Sink, Status } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { Effect, Layer, type Redacted, Schedule, type Scope } from "effect";
import { type Realm, STREAMS } from "./openLog.ts";

/** A deployment of the service, and the confidential client that requests the streams. */
export interface Service {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: Redacted.Redacted;
  readonly contact: string;
}

/** Follows both streams of a realm until the scope closes. */
export const follow = Effect.fnUntraced(function* (
  service: Service,
  realm: Realm,
): Effect.fn.Return<void, unknown, Sink.Sink | Lease.Lease | Scope.Scope> {
  const { authUrl, baseUrl, clientId, clientSecret, contact } = service;
  const userAgent = { clientId, version: "1.0.0", contact };
  const options = { authUrl, clientId, clientSecret, userAgent };
  const client = yield* OAuthClient.confidentialClient(options);
  const credentials = Session.forApplication(client, {
    scopes: ["service:psapi", "service:cxapi"],
  });
  const pages = GameApiSource.layer.pipe(
    Layer.provide(GameApi.layer({ baseUrl, credentials, userAgent })),
    // Pages are large. Undici returns their compressed bytes, and `fetch` would decompress them.
    Layer.provide(NodeHttpClient.layerUndici),
  );
  yield* Effect.forEach(STREAMS, (source) => followStream({ source, realm }), {
    concurrency: "unbounded",
    discard: true,
  }).pipe(Effect.provide(pages));
});

/**
 * Follows a stream. If a response ends the follower, a new follower starts every minute, and the
 * other stream and the web server continue. A failed store or a refused token ends everything.
 */
const followStream = (key: {
  readonly source: (typeof STREAMS)[number];
  readonly realm: Realm;
}) => {
  // Shows the failure in the status until the next request.
  const show = (error: RunError) =>
    Effect.andThen(
      Status.note(key, { ended: undefined }),
      Effect.ignore(Status.track(key, "source")(Effect.fail(error))),
    );
  return Follower.run(key).pipe(
    Effect.tapError((error) => (isResponse(error) ? show(error) : Effect.void)),
    Effect.retry({ while: isResponse, schedule: Schedule.spaced("1 minute") }),
  );
};

const STORE_ERRORS: ReadonlySet<string> = new Set(["SinkError", "Fenced", "LeaseLost"]);

const isResponse = (error: RunError): boolean =>
  error._tag === "PageRefused" ? error.reason === "forbidden" : !STORE_ERRORS.has(error._tag);
