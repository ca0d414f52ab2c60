/**
 * Composes the roles in one process: follower, indexers and web server over one SQLite store.
 */
import { PageLog } from "@game-data/stream-follower";
import { Effect } from "effect";
import { apiFor, follow, openLog, type Realm, type Service } from "./follower/follow.ts";
import { openIndexers, runIndexers } from "./indexer/runIndexers.ts";
import { serve } from "./web/server.ts";
import type { SignInClient } from "./web/signIn.ts";

/** Options of an index. */
export interface StashIndexOptions {
  /** The file of the page log; the index stands in `PATH.items`. */
  readonly path: string;
  readonly realm: Realm;
  readonly port: number;
  readonly host: string;
  readonly ratePerSecond: number;
  readonly keepBytes?: number | undefined;
  /** The service to follow; left out, only what is stored is served. */
  readonly service?: Service | undefined;
  /** The client that users sign in with, at the origin of this server. */
  readonly signIn?: ((origin: string) => Promise<SignInClient>) | undefined;
}

/** Runs the index until the scope closes; gives the origin of its server once data can be read. */
export const runStashIndex = Effect.fnUntraced(function* (options: StashIndexOptions) {
  const { keepBytes, path, realm, service } = options;
  const log = yield* openLog(path, keepBytes);
  const indexers = yield* openIndexers(indexPath(path));
  if (service !== undefined)
    yield* Effect.forkScoped(Effect.provideContext(follow(service, realm), log));
  yield* Effect.forkScoped(
    runIndexers(indexers, realm, "forever").pipe(
      Effect.tapCause((cause) => Effect.logError("The indexer stopped", cause)),
      Effect.provideContext(log),
    ),
  );
  const { positions } = yield* Effect.provideContext(PageLog.PageLog, log);
  const own =
    options.signIn === undefined || service === undefined
      ? undefined
      : { api: yield* apiFor(service), client: options.signIn };
  return yield* serve({
    ...options,
    path: indexPath(path),
    logSeq: positions.pipe(
      Effect.map((all) => all.find(({ key }) => key.source === "stashes" && key.realm === realm)),
      Effect.map((found) => Number(found?.seq ?? 0)),
      Effect.orElseSucceed(() => 0),
    ),
    ...(own === undefined ? {} : { own }),
  });
});

/** The file of the index that belongs to a log. */
const indexPath = (path: string): string => `${path}.items`;
