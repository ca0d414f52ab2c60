/**
 * Following a stream into a store, for `gamedata stream` and `gamedata exchange`: SQLite or PostgreSQL by address, progress on
 * stderr, and an end on Ctrl-C that leaves rows and checkpoint in step.
 */
import { existsSync } from "node:fs";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import {
  Follower,
  GameApiSource,
  Health,
  type Lease,
  LeasePostgres,
  LeaseSqlite,
  Sink,
  SinkPostgres,
  SinkSqlite,
  type StreamKey,
} from "@game-data/stream-follower";
import { Clock, Deferred, Effect, Fiber, Layer } from "effect";
import { connect } from "@game-data/cli-kit/Connection";
import { failure } from "@game-data/cli-kit/Failure";
import { Json, line, Ndjson, note, progress } from "@game-data/cli-kit/Output";
import { settings } from "@game-data/cli-kit/Settings";

/** What to follow, and into what. */
export interface FollowRequest {
  readonly key: StreamKey;
  readonly store: string;
  readonly untilCaughtUp: boolean;
}

/** Follows until caught up, or until interrupted. */
export const follow = Effect.fnUntraced(function* ({ key, store, untilCaughtUp }: FollowRequest) {
  const address = yield* addressOf(store);
  const scope = key.source === "stashes" ? "service:psapi" : "service:cxapi";
  const from = yield* settings;
  // Pages are large and come packed: undici hands them out as they are.
  const services = yield* connect(from, [scope], NodeHttpClient.layerUndici);
  const totals = { pages: 0, rows: 0 };
  yield* announce(address);
  const stores = yield* Layer.build(storesOf(address));
  const stop = yield* Deferred.make<void>();
  const until = untilCaughtUp ? ("caughtUp" as const) : ("forever" as const);
  const behaviour = { until, stopWhen: Deferred.await(stop) };
  const options =
    key.source === "stashes"
      ? { ...behaviour, source: key.source, realm: key.realm as "pc" }
      : { ...behaviour, source: key.source, realm: key.realm };
  const bar = progress();
  const watch = Effect.forever(
    Effect.flatMap(Effect.sleep("100 millis"), () =>
      Effect.map(Health.report, ({ streams }) =>
        bar.show(`${told(totals)} (${STATES[streams[0]?.state ?? "requesting"]})`),
      ),
    ),
  );
  yield* Effect.forkScoped(watch);
  // On a fiber of its own, so that Ctrl-C asks it to end instead of cutting it short.
  const run = yield* Follower.run(options).pipe(
    Effect.provide(GameApiSource.layer),
    Effect.updateService(Sink.Sink, (sink) => counted(sink, totals)),
    Effect.provideContext(stores),
    Effect.provideContext(services),
    Effect.forkDetach,
  );
  const summary = yield* Fiber.join(run).pipe(
    Effect.onInterrupt(() =>
      Effect.gen(function* () {
        yield* Deferred.succeed(stop, undefined);
        yield* Fiber.await(run);
        bar.done(`${told(totals)}; stopped, and all of it is in the store`);
      }),
    ),
  );
  bar.done(`${told(totals)}; caught up`);
  if ((yield* Json) || (yield* Ndjson))
    yield* line(JSON.stringify({ realm: key.realm, ...summary }));
});

/** The follower's states, for people. */
const STATES: Readonly<Record<Health.StreamHealth["state"], string>> = {
  requesting: "reading",
  delivering: "reading",
  tail: "at the end, waiting for more",
  backingOff: "a fault on the way, trying again",
  probing: "an odd answer, trying again",
  paused: "the service broke its rules, waiting",
  halted: "halted",
  stopped: "stopped",
  standby: "another process follows this stream, standing by",
};

const told = ({ pages, rows }: { pages: number; rows: number }) => `${pages} pages, ${rows} rows`;

/** A sink that keeps count of what is durable. */
const counted = (
  sink: Sink.SinkService,
  totals: { pages: number; rows: number },
): Sink.SinkService => ({
  ...sink,
  commit: (batch, epoch) =>
    Effect.tap(sink.commit(batch, epoch), () =>
      Effect.sync(() => {
        totals.pages += batch.pages.length;
        for (const page of batch.pages) totals.rows += page.stashes.length + page.markets.length;
      }),
    ),
});

type Address =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** `sqlite:FILE` or `postgres://…`. */
export const addressOf = (store: string) => {
  const path = store.startsWith("sqlite:") ? store.slice("sqlite:".length) : "";
  if (path !== "") return Effect.succeed<Address>({ kind: "sqlite", path });
  if (/^postgres(ql)?:\/\//u.test(store))
    return Effect.succeed<Address>({ kind: "postgres", url: store });
  // The address is not repeated: it may hold a password.
  return Effect.fail(
    failure("setting-invalid", "The store is neither sqlite:FILE nor postgres://…", {
      next: "give --store sqlite:FILE or --store postgres://user:password@host/database",
      details: { setting: "store" },
    }),
  );
};

/** A database that does not answer is tried for half a minute. */
const announce = ({ kind }: Address) =>
  kind === "postgres" ? note("Opening the database …") : Effect.void;

const storesOf = (
  address: Address,
): Layer.Layer<Sink.Sink | Sink.Store | Lease.Lease, SinkFailure> =>
  address.kind === "sqlite"
    ? Layer.merge(SinkSqlite.layer(address), LeaseSqlite.layer(address))
    : Layer.merge(SinkPostgres.layer(address), LeasePostgres.layer(address));

type SinkFailure = Layer.Error<ReturnType<typeof SinkSqlite.layer>>;

/** Where a stream stands in a store. */
export const statusOf = Effect.fnUntraced(function* (key: StreamKey, store: string) {
  const address = yield* addressOf(store);
  // Looking must not make a store.
  if (address.kind === "sqlite" && !existsSync(address.path))
    return yield* failure("nothing-followed", `There is no file ${address.path}.`);
  yield* announce(address);
  const status = yield* Effect.scoped(
    Effect.gen(function* () {
      const layer =
        address.kind === "sqlite" ? SinkSqlite.layer(address) : SinkPostgres.layer(address);
      const services = yield* Layer.build(layer);
      return yield* Effect.provideContext(
        Effect.flatMap(Sink.Store, ({ status: all }) => all),
        services,
      );
    }),
  );
  const found = status.find(
    (each) => each.key.source === key.source && each.key.realm === key.realm,
  );
  if (found === undefined)
    return yield* failure(
      "nothing-followed",
      `The store holds nothing of ${key.source}/${key.realm}.`,
    );
  const heardAt = Math.max(found.receivedAt, found.polledAt ?? 0);
  const lag = ((yield* Clock.currentTimeMillis) - heardAt) / 1000;
  return {
    realm: key.realm,
    nextChangeId: found.nextId,
    pages: found.pages,
    [key.source === "stashes" ? "stashes" : "markets"]: found.rows,
    items: found.items,
    /** Since the service was last heard: a page, or a poll at the end of the stream. */
    lagSeconds: Math.max(0, Math.round(lag * 1000) / 1000),
    quarantined: found.quarantined,
    gaps: found.gaps,
    epoch: found.epoch,
    receivedAt: new Date(found.receivedAt).toISOString(),
    polledAt: found.polledAt === undefined ? null : new Date(found.polledAt).toISOString(),
  };
});
