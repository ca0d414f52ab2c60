/** The users of `deploy/nats.conf`, on a cluster that runs with it. */
import { describeWithService, freePort, isListening } from "@game-data/test-support";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Effect, Exit, Stream } from "effect";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Changes, PageLog, type Batch } from "../src/index.ts";
import { LeaseNats, SinkNats } from "../src/nats/index.ts";
import { batchOf, commitOf, makePage } from "../src/testing/index.ts";
import { useCleanups } from "./support/hooks.ts";
import { KEY, run } from "./support/Run.ts";

const CONFIG = readFileSync(join(import.meta.dirname, "../deploy/nats.conf"), "utf8");

const firstPage = (): Batch => batchOf(commitOf(makePage({ seq: 1n })));

/** Three servers with the configuration of the deployment, and one that has no password. */
const startServers = async (program: string, folder: string) => {
  const children: Array<ChildProcess> = [];
  const start = (name: string, port: number, config: string) => {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "nats.conf"), config);
    const paths = ["-sd", join(home, "data"), "-c", join(home, "nats.conf")];
    const child = spawn(program, ["-a", "127.0.0.1", "-p", String(port), "-js", ...paths], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { HOSTNAME: name },
    });
    children.push(child);
    let told = "";
    child.stderr!.setEncoding("utf8").on("data", (text) => (told += text));
    return () => told;
  };
  const ports: Array<number> = [];
  for (let count = 0; count < 8; count += 1) ports.push(await freePort());
  const [clients, routes] = [ports.slice(0, 4), ports.slice(4)];
  const urls = routes.slice(0, 3).map((port) => `"nats://route:ghi3@127.0.0.1:${port}"`);
  const passwords = [
    'NATS_FOLLOWER_PASSWORD: "abc1"',
    'NATS_CONSUMER_PASSWORD: "def2"',
    'NATS_ROUTE_PASSWORD: "ghi3"',
    `NATS_ROUTES: [${urls.join(", ")}]`,
  ];
  for (const [index, port] of clients.slice(0, 3).entries()) {
    mkdirSync(join(folder, `n${index}`));
    writeFileSync(join(folder, `n${index}`, "passwords.conf"), passwords.join("\n"));
    start(`n${index}`, port, CONFIG.replace("0.0.0.0:6222", `127.0.0.1:${routes[index]}`));
  }
  const cluster = `name: game_data, listen: "127.0.0.1:${routes[3]}", routes: ["nats://127.0.0.1:${routes[0]}"]`;
  const stranger = start("stranger", clients[3]!, `server_name: stranger, cluster { ${cluster} }`);
  const close = () =>
    Promise.all(
      children.map(async (child) => {
        const exited = once(child, "exit");
        if (child.kill("SIGKILL")) await exited;
      }),
    );
  const hosts = clients.slice(0, 3).map((port) => `127.0.0.1:${port}`);
  return { close, hosts, port: clients[0]!, stranger };
};

const { cleanups, scoped } = useCleanups();
/** The ids of the pages that somebody reads. */
const idsOf = async (log: PageLog.PageLogService) => {
  const all = Stream.runCollect(Changes.subscribe({ key: KEY, until: "caughtUp" }));
  return (await run(Effect.provideService(all, PageLog.PageLog, log))).map(({ nextId }) => nextId);
};

describeWithService("nats", "the users of nats.conf", (program) => {
  it("let the follower write and a consumer read, and refuse all else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nats-users-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const { close, hosts, port, stranger } = await startServers(program, folder);
    cleanups.push(close);
    await expect.poll(() => isListening(port), { timeout: 30_000 }).toBe(true);
    await expect.poll(stranger, { timeout: 30_000 }).toContain("Authorization Violation");
    writeFileSync(join(folder, "abc1"), "abc1\n");
    writeFileSync(join(folder, "def2"), "def2");
    const urlOf = (login: string) => {
      const [user = "", password = ""] = login.split(":");
      return `nats://${user}@${hosts.join(",")}/game_data?passwordFile=${join(folder, password)}`;
    };
    // A cluster keeps nothing before its servers have met.
    const elected = async () => {
      const nc = await connect({ servers: hosts, user: "follower", pass: "abc1" });
      const manager = await jetstreamManager(nc, { timeout: 2000 }).catch(() => undefined);
      await nc.close();
      return manager !== undefined;
    };
    await expect.poll(elected, { timeout: 60_000 }).toBe(true);
    const absent = SinkNats.make({ url: urlOf("follower:none"), keepBytes: 2e8 });
    await expect(scoped(absent)).rejects.toThrow(/passwordFile/u);
    const written = await scoped(SinkNats.make({ url: urlOf("follower:abc1"), keepBytes: 2e8 }));
    await scoped(LeaseNats.make({ url: urlOf("follower:abc1") }));
    await run(written.claim(KEY, 1));
    await run(written.commit(firstPage(), 1));

    const read = await scoped(SinkNats.make({ url: urlOf("consumer:def2"), keepBytes: 2e8 }));
    expect(await idsOf(read)).toEqual(["1"]);
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
    consumer.publish("$JS.API.CONSUMER.DURABLE.CREATE.game_data_stashes_pc.other");
    consumer.publish("$JS.ACK.game_data_stashes_pc.other.1.1.1.1.0");
    await consumer.flush();
    await consumer.close();
    await listening;
    expect(errors.filter((type) => type.includes("error")).length).toBe(4);
    expect(await idsOf(written)).toEqual(["1"]);
  }, 180_000);
});
