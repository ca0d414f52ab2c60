/** A follower of PostgreSQL that is stopped in the middle of anything lets its successor work. */
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Fiber, Redacted, Schedule, Scope } from "effect";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { inSchema, startPostgres } from "../chaos/Postgres.ts";
import { connect } from "../src/sql/Database.ts";
import { useCleanups } from "./support/hooks.ts";
import { KEY, run } from "./support/Run.ts";
import { openStore } from "./support/Stores.ts";

const { cleanups, scoped } = useCleanups();
const STARTING = { times: 100, schedule: Schedule.spaced(100) };
const postgresAt = (url: string) => ({ kind: "postgres", url: Redacted.make(url) }) as const;

describeWithService("postgres", "PostgreSQL", (database) => {
  it("a PostgreSQL store closes without waiting for a driver that drains a query of a hanging server", async () => {
    const postgres = (await startPostgres())!;
    cleanups.push(() => postgres.close());
    const ended: Array<string> = [];
    const scope = Effect.runSync(Scope.make());
    const sql = await run(
      connect(postgresAt(postgres.url), "log").pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.retry(STARTING),
      ),
    );
    postgres.signal("SIGSTOP");
    cleanups.push(() => postgres.signal("SIGCONT"));
    const query = Effect.runFork(sql`SELECT 1`);
    await run(Effect.sleep(100));
    const drained = run(Fiber.interrupt(query)).then(() => ended.push("drained"));
    await run(Scope.close(scope, Exit.void)).then(() => ended.push("closed"));
    await drained;
    expect(ended).toEqual(["closed", "drained"]);
  }, 60_000);

  it("PostgreSQL frees the rows of a process that was stopped in a transaction after five seconds", async () => {
    const schema = `test_${crypto.randomUUID().slice(0, 8)}`;
    const url = inSchema(database, schema);
    const { sink } = await scoped(openStore(postgresAt(url)));
    const sql = await scoped(connect(postgresAt(url), "log"));
    cleanups.push(() => run(sql.unsafe(`DROP SCHEMA ${schema} CASCADE`)));
    const script = new URL("./support/committing.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [script, url], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    cleanups.push(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    await once(child.stdout, "data");
    const waits: Array<number> = [];
    for (let stop = 0; stop < 4; stop += 1) {
      await run(Effect.sleep(20 + ((stop * 37) % 60)));
      child.kill("SIGSTOP");
      const begun = performance.now();
      // The epoch of the stopped process, so that it can go on.
      await run(sink.claim(KEY, 1));
      waits.push(performance.now() - begun);
      child.kill("SIGCONT");
    }
    // The process has gone on after each stop.
    expect(child.exitCode).toBeNull();
    // A claim waits for `idle_in_transaction_session_timeout` at most, and a lease for its life of ten.
    expect(Math.max(...waits)).toBeLessThan(9000);
  }, 90_000);
});
