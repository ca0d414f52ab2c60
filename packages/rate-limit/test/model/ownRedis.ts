/** A real Redis of one's own, to be stopped and killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { freePort } from "@game-data/test-support";
import { Effect } from "effect";
import * as Redis from "effect/persistence/Redis";

export type Send = (command: ReadonlyArray<string>) => Promise<unknown>;

/** A connection for as long as `use` takes. */
export const withRedis = <A>(url: string, use: (send: Send) => Promise<A>): Promise<A> =>
  Effect.gen(function* () {
    const redis = yield* Redis.Redis;
    return yield* Effect.promise(() =>
      use(([command = "", ...args]) => Effect.runPromise(redis.send(command, ...args))),
    );
  }).pipe(Effect.provide(NodeRedis.layer({ url })), Effect.scoped, Effect.runPromise);

/** A Redis that keeps nothing on disk, for killing. */
export const ownRedis = async () => {
  const port = await freePort();
  const start = async () => {
    const args = `--port ${port} --bind 127.0.0.1 --save  --appendonly no`.split(" ");
    const child = spawn("redis-server", args, { stdio: "ignore" });
    for (;;) {
      const socket = connect(port, "127.0.0.1");
      const isUp = await Promise.race([
        once(socket, "connect").then(() => true),
        once(socket, "error").then(() => false),
      ]).catch(() => false);
      socket.destroy();
      if (isUp) return child;
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      await sleep(20);
    }
  };
  let child = await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    restart: async (awayMillis: number): Promise<void> => {
      child.kill("SIGKILL");
      await once(child, "exit");
      await sleep(awayMillis);
      child = await start();
    },
    pause: async (millis: number): Promise<void> => {
      child.kill("SIGSTOP");
      await sleep(millis);
      child.kill("SIGCONT");
    },
    stop: (): void => void child.kill("SIGKILL"),
  };
};
export type OwnRedis = Awaited<ReturnType<typeof ownRedis>>;
