/** The users of `deploy/nats.conf`, on a server that runs with it. */
import { describeWithService, freePort, isListening } from "@game-data/test-support";
import { connect } from "@nats-io/transport-node";
import { Effect, Exit, Scope, Stream } from "effect";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Changes, PageLog, type Batch } from "../src/index.ts";
import { LeaseNats, SinkNats } from "../src/nats/index.ts";
import { commitOf, makePage } from "../src/testing/index.ts";

const KEY = { source: "stashes", realm: "pc" } as const;
const CONFIG = join(import.meta.dirname, "../deploy/nats.conf");

const firstPage = (): Batch => {
  const one = commitOf(makePage({ seq: 1n, rows: [], nextId: "1" }));
  const { checksum, receivedAt } = one.page;
  const checkpoint = { nextId: "1", seq: 1n, epoch: 1, checksum, receivedAt };
  return { key: KEY, previousSeq: 0n, pages: [one], checkpoint };
};

describeWithService("nats", "the users of nats.conf", (program) => {
  it("let the follower write and a consumer read, and refuse all else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nats-users-"));
    const port = await freePort();
    const scope = Effect.runSync(Scope.make());
    const scoped = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
      Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope));
    const args = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder, "-c", CONFIG];
    const server = spawn(program, args, {
      stdio: "ignore",
      env: { HOSTNAME: "one", NATS_FOLLOWER_PASSWORD: "abc1", NATS_CONSUMER_PASSWORD: "def2" },
    });
    try {
      await expect.poll(() => isListening(port)).toBe(true);
      const urlOf = (login: string) => `nats://${login}@127.0.0.1:${port}/game_data`;
      const written = await scoped(SinkNats.make({ url: urlOf("follower:abc1"), maxBytes: 2e8 }));
      await scoped(LeaseNats.make({ url: urlOf("follower:abc1") }));
      await Effect.runPromise(written.claim(KEY, 1));
      await Effect.runPromise(written.commit(firstPage(), 1));

      const read = await scoped(SinkNats.make({ url: urlOf("consumer:def2"), maxBytes: 2e8 }));
      const batches = await Effect.runPromise(
        Changes.subscribe({ key: KEY, until: "caughtUp" }).pipe(
          Stream.runCollect,
          Effect.provideService(PageLog.PageLog, read),
        ),
      );
      expect(batches.map(({ nextId }) => nextId)).toEqual(["1"]);
      const refused = await Effect.runPromiseExit(
        Effect.timeout(read.claim(KEY, 9), "5 seconds").pipe(
          Effect.andThen(Effect.timeout(read.commit(firstPage(), 9), "5 seconds")),
        ),
      );
      expect(Exit.isFailure(refused)).toBe(true);

      const servers = `127.0.0.1:${port}`;
      await expect(connect({ servers, reconnect: false })).rejects.toThrow(/[Aa]uthorization/u);
      const consumer = await connect({ servers, user: "consumer", pass: "def2" });
      const errors: Array<string> = [];
      const listening = (async () => {
        for await (const status of consumer.status()) errors.push(JSON.stringify(status.type));
      })();
      consumer.publish("game_data.stashes.pc", "forged");
      consumer.publish("$JS.API.STREAM.DELETE.game_data_stashes_pc");
      await consumer.flush();
      await consumer.close();
      await listening;
      expect(errors.filter((type) => type.includes("error")).length).toBe(2);
      const kept = await Effect.runPromise(
        Changes.subscribe({ key: KEY, until: "caughtUp" }).pipe(
          Stream.runCollect,
          Effect.provideService(PageLog.PageLog, written),
        ),
      );
      expect(kept.length).toBe(1);
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void));
      const exited = new Promise((resolve) => server.once("exit", resolve));
      server.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
