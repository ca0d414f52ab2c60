/**
 * Composes the roles: follower, indexers and web server, in one process or in several.
 *
 * Processes share the page log. Each node has a search index of its own, in a SQLite file beside
 * its web server: it is derived from the log, so that a lost one is made again, and reads scale
 * with the nodes. Of several followers one follows, and the others stand by.
 */
import { PageLog, Status } from "@game-data/stream-follower";
import * as Health from "@game-data/stream-follower/health";
import { Cause, Effect } from "effect";
import { hostname } from "node:os";
import { follow, type Service } from "./follower/follow.ts";
import { openIndexers, runIndexers, runOnThread } from "./indexer/runIndexers.ts";
import { openLog, type Realm } from "./openLog.ts";
import { serve } from "./web/server.ts";

/** The roles of a process. */
export const ROLES = ["follower", "indexer", "web"] as const;

/** Options of a process. */
export interface StashIndexOptions {
  readonly roles: ReadonlySet<(typeof ROLES)[number]>;
  /** Address of the page log. */
  readonly store: string;
  /** The file of the search index. */
  readonly index: string;
  readonly realm: Realm;
  readonly port: number;
  readonly host: string;
  readonly ratePerSecond: number;
  /** Where `/health` and `/metrics` tell all, for those who run it. */
  readonly opsPort?: number | undefined;
  readonly opsHost?: string | undefined;
  readonly service: Service;
  readonly queryMillis?: number | undefined;
}

/** Where a process is served: the origins of the web server and of the health server. */
interface Served {
  readonly origin?: string;
  readonly opsUrl?: string;
}

/** Runs the roles until the scope closes. */
export const runStashIndex = Effect.fnUntraced(function* (options: StashIndexOptions) {
  const { index, realm, roles, service } = options;
  const reader = `${hostname()}:${index}`;
  // First: a store that cannot be opened is told of, too.
  const { opsHost, opsPort } = options;
  const ops =
    opsPort === undefined
      ? {}
      : { opsUrl: yield* Health.serve({ port: opsPort, ...(opsHost && { host: opsHost }) }) };
  const log = yield* openLog({ ...options, reader });
  // Without this role, another process holds the stream.
  if (!roles.has("follower"))
    for (const source of ["stashes", "exchange"] as const)
      yield* Status.note({ source, realm }, { holder: { who: "another", until: Infinity } });
  if (roles.has("follower"))
    yield* inBackground("The follower", Effect.provideContext(follow(service, realm), log));
  // The web server reads what an indexer makes; opened here, the tables are there for both.
  const indexers =
    roles.has("indexer") || roles.has("web") ? yield* openIndexers(index) : undefined;
  if (roles.has("indexer") && indexers !== undefined) {
    const indexing: Effect.Effect<unknown, unknown> = roles.has("web")
      ? runOnThread({ ...options, reader })
      : Effect.provideContext(runIndexers(indexers, realm, { until: "forever" }), log);
    yield* inBackground("The indexer", indexing);
  }
  if (!roles.has("web")) return ops satisfies Served as Served;
  const { positions } = yield* Effect.provideContext(PageLog.PageLog, log);
  const logSeq = positions.pipe(
    Effect.map((all) => all.find(({ key }) => key.source === "stashes" && key.realm === realm)),
    Effect.map((found) => Number(found?.seq ?? 0)),
    Effect.orElseSucceed(() => 0),
  );
  const origin = yield* serve({ ...options, path: index, logSeq });
  return { origin, ...ops } satisfies Served as Served;
});

/**
 * Runs a role beside the others. One that fails ends the process: it is started again from outside.
 */
const inBackground = <E, R>(what: string, role: Effect.Effect<unknown, E, R>) =>
  Effect.forkScoped(
    Effect.onError(role, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.andThen(
            Effect.logFatal(`${what} stopped`, cause),
            Effect.sync(() => process.kill(process.pid, "SIGTERM")),
          ),
    ),
  );
