/** The rows of docs/operate.md, each brought about and acted upon through the command line. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeAll, expect, it } from "vitest";
import { type Prompt, usePrompt, useService } from "./support/gamedata.ts";

const service = useService({
  world: { streamHistoryPages: 6, streamPageSize: 20, exchangeHistoryHours: 3 },
  rates: "off",
});
const prompt = usePrompt();
beforeAll(async () => {
  prompt.env = service.env("example-web");
  await service.sandbox.control("POST", "/clock", { freeze: true });
});
const started: Array<ReturnType<Prompt["spawn"]>> = [];
afterEach(async () => {
  await service.sandbox.control("DELETE", "/faults");
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
});

const WAIT = { timeout: 30_000, interval: 100 };
let number = 0;
/** A store of its own for a test, and commands on it. */
const newStore = () => {
  number += 1;
  const file = join(prompt.home, `store${number}.db`);
  const of = ["--store", `sqlite:${file}`];
  return {
    file,
    of,
    follow: ["stream", "follow", "--realm", "pc", ...of],
    once: ["stream", "follow", "--realm", "pc", ...of, "--until-caught-up"],
    status: async () => await prompt.json(["stream", "status", ...of]),
  };
};

/** A follower in a process of its own, with its ops port. */
const serving = async (follow: ReadonlyArray<string>) => {
  const run = prompt.spawn([...follow, "--ops-port", "0"]);
  started.push(run);
  const [, address] = await run.stderr(/Metrics and health: (http:\S+?:\d+)/u);
  const read = async (path: string) => {
    const response = await fetch(`${address}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const ready = async () => (await read("/health/ready")).status;
  const source = async () =>
    JSON.parse((await read("/health")).text).streams[0].parts.find(
      ({ name }: { name: string }) => name === "source",
    );
  return { ...run, read, ready, source };
};

const answering = (fault: object) =>
  service.sandbox.control("POST", "/faults", { match: { endpoint: "publicStashTabs" }, fault });

it("lag grows, not ready: the store does not answer, its part says so, and nothing is dropped", async () => {
  const store = newStore();
  await answering({ kind: "delay", milliseconds: 400 });
  const run = await serving(store.follow);
  await expect.poll(run.ready, WAIT).toBe(200);
  const lock = new DatabaseSync(store.file);
  lock.exec("BEGIN IMMEDIATE");
  await expect.poll(run.ready, WAIT).toBe(503);
  expect((await run.read("/health/ready")).text).toMatch(/commit|lease|store/u);
  lock.exec("ROLLBACK");
  lock.close();
  await service.sandbox.control("DELETE", "/faults");
  await expect.poll(async () => (await run.read("/health/caught-up")).status, WAIT).toBe(200);
  const report = await prompt.json(["stream", "verify", ...store.of]);
  expect(report).toMatchObject({ whole: true, first: 1 });
});

it("lag grows, ready: the part `source` names the service's answer", async () => {
  const run = await serving(newStore().follow);
  await expect.poll(run.ready, WAIT).toBe(200);
  await answering({ kind: "status", status: 503 });
  await expect.poll(async () => (await run.source()).state, WAIT).toBe("retrying");
  expect((await run.source()).failure).toMatchObject({ status: 503 });
  expect(await run.ready()).toBe(200);
  const { text } = await run.read("/metrics");
  expect(text).toMatch(/game_data_follower_retries\S*\{[^}]*status="503"/u);
});

it("`blocked`: a firewall's page is waited out, and the process does not end", async () => {
  await answering({ kind: "firewallPage" });
  const run = await serving(newStore().follow);
  await expect.poll(async () => (await run.source()).failure?.reason, WAIT).toBe("blocked");
  expect(run.child.exitCode).toBe(null);
});

it("exit with ChangeIdRejected: restart goes on, and records a gap", async () => {
  const store = newStore();
  await prompt.json(store.once);
  await prompt.run(["stream", "checkpoint", "set", "1-2-3-4-5", ...store.of, "--yes"]);
  const before = await store.status();
  expect(await prompt.json([...store.once, "--on-rejected", "restart"])).toMatchObject({
    ended: "caughtUp",
  });
  expect((await store.status()).gaps).toBe(before.gaps + 1);
}, 120_000);

it("`HistoryExpired`: pages that a reader needs are pruned; it begins after them", async () => {
  const store = newStore();
  const { pages } = await prompt.json(store.once);
  const out = join(prompt.home, "expired.ndjson");
  const follow = ["stream", "export", "stashes", ...store.of, "--follow", "--until-caught-up"];
  await prompt.json([...follow, "--out", out]);
  const [first] = readFileSync(out, "utf8").split("\n");
  writeFileSync(out, `${first}\n`);
  await prompt.run(["stream", "prune", ...store.of, "--keep-bytes", "0"]);
  const error = await prompt.error([...follow, "--out", out]);
  expect(error).toMatchObject({ exitCode: 76 });
  const anew = ["--out", join(prompt.home, "anew.ndjson"), "--since", String(pages)];
  expect(await prompt.json([...follow, ...anew])).toMatchObject({ rows: 0 });
});

it("`ChainBroken`: a page of the log is another one, which `verify` finds", async () => {
  const store = newStore();
  await prompt.json(store.once);
  const db = new DatabaseSync(store.file);
  db.exec("UPDATE page SET requested_id = 'elsewhere' WHERE seq = 3");
  db.close();
  const out = ["--out", join(prompt.home, "broken.ndjson")];
  const follow = ["stream", "export", "stashes", ...store.of, "--follow", "--until-caught-up"];
  expect(await prompt.error([...follow, ...out])).toMatchObject({ exitCode: 76 });
  expect(await prompt.run(["stream", "verify", ...store.of])).toMatchObject({ code: 1 });
});

it("a follower's process is gone: the one that stands by takes over, and nothing is lost", async () => {
  const store = newStore();
  await answering({ kind: "delay", milliseconds: 300 });
  const first = await serving(store.follow);
  await expect.poll(first.ready, WAIT).toBe(200);
  const second = await serving(store.follow);
  first.child.kill("SIGKILL");
  await first.ended;
  await service.sandbox.control("DELETE", "/faults");
  await expect.poll(async () => (await second.read("/health/caught-up")).status, WAIT).toBe(200);
  const whole = newStore();
  const { pages } = await prompt.json(whole.once);
  const report = await prompt.json(["stream", "verify", ...store.of]);
  expect(report).toMatchObject({ whole: true, first: 1, last: pages });
});

it("derived tables are wrong: `rebuild` makes them again, and the pages are safe", async () => {
  const store = newStore();
  const { pages } = await prompt.json(store.once);
  const of = (sql: string) => {
    const db = new DatabaseSync(`${store.file}.index`);
    db.exec(sql);
    db.close();
  };
  const before = await store.status();
  of("UPDATE stash SET items = 77, doc = NULL");
  const rebuilt = await prompt.run(["stream", "rebuild", ...store.of]);
  expect(JSON.parse(rebuilt.stdout)).toMatchObject({ items: before.items });
  const items = await prompt.run(["stream", "export", "items", ...store.of]);
  expect(items.stdout.trimEnd().split("\n")).toHaveLength(before.items);
  expect((await store.status()).pages).toBe(pages);
});
