/**
 * Places followers and indexers on several processes: each task runs on one process, and moves to
 * another process when that one ends. Singletons of `effect/cluster` over PostgreSQL.
 *
 * Optional peer dependencies: `@effect/platform-node` and `@effect/sql-pg`. The cluster decides
 * which process works, and the fence in the store protects the data, so a task that writes runs
 * with `Lease.next`. After SIGKILL or a freeze another process begins within ten seconds, after
 * SIGTERM within two. Before the list of tasks changes, stop all processes.
 */
export * as Placement from "./Placement.ts";
