/** A follower that is stopped in the middle of anything leaves its successor free to work. */
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Fiber, Scope } from "effect";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startPostgres } from "../chaos/Postgres.ts";
import { SinkPostgres } from "../src/postgres/index.ts";
import { connect } from "../src/postgres/schema.ts";
import { useSchemas } from "./support/hooks.ts";

const KEY = { source: "stashes", realm: "pc" } as const;
const STOPS = 12;

describeWithService("postgres", "PostgreSQL", (database) => {
  const nextUrl = useSchemas(database);

  it("is closed without waiting for the driver, which drains a query of a server that hangs", async () => {
    const postgres = (await startPostgres())!;
    const ended: Array<string> = [];
    const scope = Effect.runSync(Scope.make());
    const opened = Effect.provideService(connect({ url: postgres.url }), Scope.Scope, scope);
    const sql = await Effect.runPromise(opened);
    postgres.signal("SIGSTOP");
    const query = Effect.runFork(sql`SELECT 1`);
    await sleep(100);
    const drained = Effect.runPromise(Fiber.interrupt(query)).then(() => ended.push("drained"));
    await Effect.runPromise(Scope.close(scope, Exit.void)).then(() => ended.push("closed"));
    await drained;
    expect(ended).toEqual(["closed", "drained"]);
    postgres.signal("SIGCONT");
    await postgres.close();
  }, 60_000);

  it("lets a successor claim at once, whenever its owner was stopped", async () => {
    const url = nextUrl();
    const script = new URL("./support/committing.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [script, url], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(child.stdout, "data");
      await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const sink = yield* SinkPostgres.make({ url });
            const sql = yield* connect({ url, maxConnections: 1 });
            const waits: Array<number> = [];
            for (let stop = 0; stop < STOPS; stop += 1) {
              yield* Effect.promise(() => sleep(20 + ((stop * 37) % 60)));
              child.kill("SIGSTOP");
              const begun = performance.now();
              // The owner's own epoch: it goes on after the stop.
              yield* sink.claim(KEY, 1);
              waits.push(performance.now() - begun);
              const held = yield* sql`SELECT 1 FROM pg_stat_activity
                WHERE state LIKE 'idle in transaction%' AND application_name LIKE 'game-data%'`;
              expect(held).toEqual([]);
              child.kill("SIGCONT");
            }
            // Two seconds are promised; a claim that waits for a stopped process takes five and more.
            expect(Math.max(...waits)).toBeLessThan(2000);
          }),
        ),
      );
    } finally {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
  }, 60_000);
});
