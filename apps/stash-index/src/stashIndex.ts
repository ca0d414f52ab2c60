/**
 * Composes the roles: follower, indexer and web server, in one process or in several.
 *
 * Processes share the page log. Each node has a search index of its own, in a SQLite file beside its
 * web server, so reads scale with the nodes. Of several followers one follows, and the others stand
 * by.
 */
import { Status } from "@game-data/stream-follower";
import * as Health from "@game-data/stream-follower/health";
import { Cause, Effect } from "effect";
import { hostname } from "node:os";
import { follow, type Service } from "./follow.ts";
import { indexFile, openIndex, runIndexer } from "./index/searchIndex.ts";
import { openLog, STREAMS } from "./openLog.ts";
import { serve, type ServerOptions } from "./web/server.ts";

/** The roles of a process. */
export const ROLES = ["follower", "indexer", "web"] as const;

/** The streams are followed by another process. */
const ELSEWHERE = { holder: { who: "another", until: Infinity } } as const;

/** Options of one process, which has one or more roles. */
export interface StashIndexOptions extends Omit<ServerOptions, "file"> {
  readonly roles: ReadonlySet<(typeof ROLES)[number]>;
  /** Address of the page log. */
  readonly store: string;
  /** Path of the search index, without `.index`. */
  readonly index: string;
  /** Where `/health` and `/metrics` report every part, for operators. */
  readonly ops?: { readonly host?: string; readonly port: number } | undefined;
  /** The service that the role `follower` follows. */
  readonly service?: Service | undefined;
}

/** Runs the roles until the scope closes. Returns the origins of the web and health servers. */
export const runStashIndex = Effect.fnUntraced(function* (options: StashIndexOptions) {
  const { index, ops, realm, roles, service, store } = options;
  // First, so that a store that cannot be opened is reported as well.
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

/** Runs a role beside the others. A role that fails ends the process, to be started again. */
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
