/**
 * The follower's role: pages of the stash stream and hours of the exchange, from the service into
 * the page log.
 */
import { GameApi } from "@game-data/api-client";
import { makeWords, type WordsInput } from "@game-data/contract";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import { Follower, Lease, PageLog, Sink } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Context, Effect, Layer, Option, type Redacted } from "effect";

/** A service, and the client that is registered there. */
export interface Service {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  /** Of a confidential client, which follows for the application. */
  readonly clientSecret: Redacted.Redacted;
  readonly contact: string;
  /** The deployment's names of realms. */
  readonly words?: Partial<WordsInput> | undefined;
}

/** The realms whose stashes can be followed. */
export type Realm = Follower.StashRun["realm"] & string;

/** The addresses of a page log. */
export interface LogOptions {
  /** `sqlite:FILE`, `postgres://…` or `nats://…`. */
  readonly store: string;
  /** A JetStream for the pages; leases stay in `store`. */
  readonly nats?: string | undefined;
  readonly keepBytes?: number | undefined;
  /** Names this reader: retention waits for the slowest one. */
  readonly reader: string;
}

/** The log of a store: where the follower writes and the indexers read. */
export const openLog = Effect.fnUntraced(function* ({
  keepBytes,
  nats,
  reader,
  store,
}: LogOptions) {
  const open = (address: string) =>
    Effect.flatMap(StoreUrl.parse(address), (url) =>
      Layer.build(StoreUrl.layer(url, keepBytes === undefined ? {} : { keepBytes })),
    );
  const stored = yield* open(store);
  const pages = nats === undefined ? stored : yield* open(nats);
  const log = Context.getOption(pages, PageLog.PageLog);
  if (Option.isNone(log)) return yield* Effect.die(new Error("the store keeps no page log"));
  const { acknowledge } = log.value;
  return Context.make(PageLog.PageLog, {
    ...log.value,
    acknowledge: (name, key, seq) => acknowledge(`${name}@${reader}`, key, seq),
  }).pipe(
    Context.add(Sink.Sink, Context.get(pages, Sink.Sink)),
    Context.add(Lease.Lease, Context.get(stored, Lease.Lease)),
  );
});

/** Builds a client of the data API. Its rate limits are learned from the responses. */
export const apiFor = ({ baseUrl, clientId, contact, words }: Omit<Service, "clientSecret">) =>
  GameApi.layer({
    baseUrl,
    userAgent: { clientId, version: "1.0.0", contact },
    ...(words !== undefined && { words: makeWords(words) }),
  }).pipe(
    // Pages are large and compressed; undici hands them out as they came.
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.build,
    Effect.map(Context.get(GameApi)),
  );

/** Follows both streams of a realm until the scope closes. */
export const follow = Effect.fnUntraced(function* (service: Service, realm: Realm) {
  const { authUrl, clientId, clientSecret, contact } = service;
  const client = yield* OAuthClient.confidentialClient({
    authUrl,
    clientId,
    clientSecret,
    userAgent: { clientId, version: "1.0.0", contact },
    allowInsecureLoopback: true,
  });
  const session = Session.forApplication(client, { scopes: ["service:psapi", "service:cxapi"] });
  const api = (yield* apiFor(service)).as(session);
  const source = Layer.provide(GameApiSource.layer, Layer.succeed(GameApi, api));
  const streams = [
    { source: "stashes", realm },
    { source: "exchange", realm },
  ] as const;
  yield* Effect.forEach(
    streams,
    // Small batches, so that a reader sees a change soon after it came.
    (stream) => Follower.run({ ...stream, batchPages: 2, prefetch: "afterBody" }),
    { concurrency: "unbounded", discard: true },
  ).pipe(Effect.provide(source));
});
