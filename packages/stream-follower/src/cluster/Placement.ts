/**
 * Configures singletons of a cluster for followers, so that each process runs the same number of
 * tasks, or one task more.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket";
import { PgClient } from "@effect/sql-pg";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import * as Schedule from "effect/Schedule";
import * as EntityId from "effect/cluster/EntityId";
import * as RunnerAddress from "effect/cluster/RunnerAddress";
import * as Sharding from "effect/cluster/Sharding";
import { SinkError } from "../Errors.ts";

/** The tasks of a cluster, the database that it uses, and the address of this process. */
export interface PlacementOptions<R> {
  /**
   * The PostgreSQL database by which the processes agree. Do not put a transaction pooler before
   * it, because its locks belong to a session.
   */
  readonly url: string | Redacted.Redacted;
  /** Host and port at which other processes reach this process. */
  readonly host: string;
  readonly port: number;
  /**
   * Tasks by name. Each task runs on one process, and every process has the same names. A task that
   * fails or ends is started again on its process.
   */
  readonly tasks: Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>;
}

/** Takes part in the cluster until the layer is released. */
export const layer = <R = never>(
  options: PlacementOptions<R>,
): Layer.Layer<never, SinkError, R> => {
  const cluster = NodeClusterSocket.layer({
    storage: "sql",
    // States every value, because the environment would override an absent value, and a process
    // with another number of shards takes no part.
    shardingConfig: {
      runnerAddress: Option.some(RunnerAddress.make(options.host, options.port)),
      // One shard per task, because the cluster spreads shards evenly, but not the names of tasks.
      shardsPerGroup: Math.max(1, Object.keys(options.tasks).length),
      shardLockExpiration: "6 seconds",
      shardLockRefreshInterval: "2 seconds",
      refreshAssignmentsInterval: "1 second",
      runnerHealthCheckInterval: "2 seconds",
    },
  });
  const database = PgClient.layer({
    url: typeof options.url === "string" ? Redacted.make(options.url) : options.url,
    maxConnections: 4,
    applicationName: "game-data stream-follower placement",
  });
  return Layer.effectDiscard(register(options)).pipe(
    Layer.provide(cluster),
    Layer.provide(database),
    Layer.catchCause((cause) => Layer.unwrap(Effect.fail(placementError(cause)))),
  ) as Layer.Layer<never, SinkError, R>;
};

const placementError = (cause: Cause.Cause<unknown>) =>
  new SinkError({ operation: "placement", reason: "unavailable", cause: Cause.squash(cause) });

/** Registers each task as a singleton with its own shard. */
const register = Effect.fnUntraced(function* <R>({ tasks }: PlacementOptions<R>) {
  const sharding = yield* Sharding.Sharding;
  const names = Object.keys(tasks).toSorted();
  for (const [index, task] of names.entries()) {
    let suffix = 0;
    const name = () => (suffix === 0 ? task : `${task} ${suffix}`);
    // The cluster derives the shard from the name, so look for a name that belongs to this shard.
    while (sharding.getShardId(EntityId.make(name()), GROUP).id !== index + 1) suffix += 1;
    yield* sharding.registerSingleton(name(), runForever(task, tasks[task]!));
  }
});

const GROUP = "default";

/** Repeats a task, because the cluster does not restart a singleton that has ended. */
const runForever = <R>(
  name: string,
  task: Effect.Effect<unknown, unknown, R>,
): Effect.Effect<void, never, R> =>
  task.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.logError(`${name} failed and is started again`, cause),
    ),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.asVoid,
  );
