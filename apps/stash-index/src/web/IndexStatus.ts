/** Reads the position of the index, and emits it after each applied page. */
import { PageLog, Status as FollowerStatus } from "@game-data/stream-follower";
import { Context, Effect, Layer, Schedule, Stream } from "effect";
import type { Realm } from "../openLog.ts";
import { Reader, sql } from "../search/Reader.ts";
import type { Status } from "./records.ts";

/** The status of the index, and a stream of its positions. */
export class IndexStatus extends Context.Service<
  IndexStatus,
  Effect.Success<ReturnType<typeof make>>
>()("stash-index/IndexStatus") {
  static readonly layer = (file: string, realm: Realm) =>
    Layer.effect(IndexStatus, make(file, realm));
}

const make = Effect.fnUntraced(function* (file: string, realm: Realm) {
  const log = yield* PageLog.PageLog;
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => new Reader(file)),
    (open) => Effect.sync(() => open.close()),
  );
  const seq = Effect.sync(
    () =>
      reader.get<{ readonly seq: number }>(sql`SELECT seq FROM indexer
        WHERE name = 'search' AND source = 'stashes' AND realm = ${realm}`)?.seq ?? 0,
  );
  const status = Effect.gen(function* () {
    const applied = yield* seq;
    const positions = yield* Effect.orElseSucceed(log.positions, () => []);
    const logged = positions.find(({ key }) => key.source === "stashes" && key.realm === realm);
    const leagues = reader.all<Status["leagues"][number]>(sql`
      SELECT name, listed FROM league WHERE name <> '' AND listed > 0 ORDER BY listed DESC, name`);
    const items = leagues.reduce((sum, { listed }) => sum + listed, 0);
    return {
      seq: applied,
      behind: Math.max(0, Number(logged?.seq ?? 0) - applied),
      isFollowing: yield* isFollowing(realm),
      items,
      leagues,
    };
  });
  // Emits the number of the last applied page, and each later one. Polls the index, because the
  // indexer may run in another process.
  const pages = yield* Stream.fromEffectSchedule(seq, Schedule.spaced("500 millis")).pipe(
    Stream.changes,
    Stream.broadcast({ capacity: 1, strategy: "sliding", replay: 1 }),
  );
  return { pages, status };
});

const FOLLOWING: ReadonlySet<FollowerStatus.StreamState> = new Set([
  "caughtUp",
  "following",
  "standby",
]);

const isFollowing = (realm: Realm) =>
  Effect.map(FollowerStatus.report, ({ streams }) =>
    streams.some(({ state, stream }) => stream === `stashes/${realm}` && FOLLOWING.has(state)),
  );
