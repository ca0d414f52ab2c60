/**
 * Runs the roles follower, indexer and web server, in one process or in several.
 *
 * Processes share the page log. Each node has its own search index, in a SQLite file beside its web
 * server, so nodes can be added for more queries. Only one follower is active; others are on
 * standby.
 */
import { Status } from "@game-data/stream-follower";
import * as Health from "@game-data/stream-follower/health";
import { Cause, Effect } from "effect";
import { hostname } from "node:os";
import { follow, type Service } from "./follow.ts";
import { indexFile, openIndex, runIndexer } from "./index/searchIndex.ts";
import { openLog, STREAMS } from "./openLog.ts";
import { serve, type ServerOptions } from "./web/server.ts";

export const ROLES = ["follower", "indexer", "web"] as const;

/** Status of the streams in a process without a follower: another process follows them. */
const ELSEWHERE = { holder: { who: "another", until: Infinity } } as const;

/** Options of one process, which has one or more roles. */
export interface StashIndexOptions extends Omit<ServerOptions, "file"> {
  readonly roles: ReadonlySet<(typeof ROLES)[number]>;
  /** Address of the page log, `sqlite:FILE` or `postgres://…`. */
  readonly store: string;
  /** Path of the search index, without the extension `.index`. */
  readonly index: string;
  /** Address at which `/health` and `/metrics` report every part, for operators. */
  readonly ops?: { readonly host?: string; readonly port: number } | undefined;
  /** The service to follow. Only the role `follower` needs it. */
  readonly service?: Service | undefined;
}

/** Runs the roles until the scope closes. Returns the origins of the web and health servers. */
export const runStashIndex = Effect.fnUntraced(function* (options: StashIndexOptions) {
  const { index, ops, realm, roles, service, store } = options;
  // Starts before the log is opened, so that health reports a store that cannot be opened.
  const opsUrl = ops && (yield* Health.serve(ops));
  const log = yield* openLog(store, `${hostname()}:${index}`);
  const origin = yield* Effect.gen(function* () {
    if (roles.has("follower")) yield* inBackground("The follower", follow(service!, realm));
    else yield* Effect.forEach(STREAMS, (source) => Status.note({ source, realm }, ELSEWHERE));
    if (!roles.has("indexer") && !roles.has("web")) return undefined;
    const indexer = yield* openIndex(index);
    if (roles.has("indexer")) yield* inBackground("The indexer", runIndexer(indexer, realm));
    return roles.has("web") ? yield* serve({ ...options, file: indexFile(index) }) : undefined;
  }).pipe(Effect.provideContext(log));
  return { origin, opsUrl };
});

/** Runs a role in the background. If the role fails, ends the process, so that it is restarted. */
const inBackground = <E, R>(name: string, role: Effect.Effect<unknown, E, R>) =>
  Effect.forkScoped(
    Effect.onError(role, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.andThen(
            Effect.logFatal(`${name} stopped`, cause),
            Effect.sync(() => process.kill(process.pid, "SIGTERM")),
          ),
    ),
  );
