/**
 * Following streams into stores, and what becomes of them on Ctrl-C; programs run against a sandbox
 * of their own.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { describeWithService, startNatsServer } from "@game-data/test-support";
import { beforeAll, describe, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

// Few pages, and no limit of requests: each test follows all of them.
const service = useService({
  world: { streamHistoryPages: 8, streamPageSize: 60, exchangeHistoryHours: 110 },
  rates: "off",
});
const prompt = usePrompt();
beforeAll(async () => {
  prompt.env = service.envOf("example-web");
  await service.control("/clock", { freeze: true });
});

/** The flags as scripts give them. */
const flags = () => {
  const env = service.envOf("example-web");
  return [
    ...["--base-url", env["GAME_DATA_BASE_URL"]!, "--auth-url", env["GAME_DATA_AUTH_URL"]!],
    ...["--client-id", "example-web", "--client-secret", env["GAME_DATA_CLIENT_SECRET"]!],
  ];
};

const followTo = (store: string, ...more: ReadonlyArray<string>) => [
  ...["stream", "follow", "--realm", "pc", "--store", store, ...more],
];

describe("stream", () => {
  it("follows until caught up, tells where it stands, and goes on from there", async () => {
    const file = join(prompt.home, "stashes.db");
    const store = `sqlite:${file}`;
    const { code, stderr, stdout } = await prompt.run(
      [...followTo(store, "--until-caught-up", "--json"), ...flags()],
      { env: { GAME_DATA_CLIENT_ID: "", GAME_DATA_BASE_URL: "", GAME_DATA_AUTH_URL: "" } },
    );
    expect(code).toBe(0);
    const done = JSON.parse(stdout);
    expect(done).toMatchObject({ realm: "pc", ended: "caughtUp" });
    expect(stderr).toContain(`${done.pages} pages, ${done.rows} rows; caught up`);

    const status = await prompt.run(["stream", "status", "--store", store]);
    const told = JSON.parse(status.stdout);
    const db = new DatabaseSync(`${file}.index`, { readOnly: true });
    const [counted] = db
      .prepare("SELECT count(*) AS stashes, sum(items) AS items FROM stash WHERE public = 1")
      .all();
    db.close();
    expect(told).toMatchObject({ realm: "pc", pages: done.pages, ...counted, quarantined: 0 });
    expect(told.nextChangeId).toEqual(expect.any(String));
    expect(told.lagSeconds).toBeGreaterThanOrEqual(0);

    const again = await prompt.json(followTo(store, "--until-caught-up"));
    expect(again).toMatchObject({ pages: 0, rows: 0 });
  });

  it("operates a store: checkpoint, quarantine, export, rebuild, prune", async () => {
    const file = join(prompt.home, "operated.db");
    const of = ["--store", `sqlite:${file}`];
    const done = await prompt.json(followTo(of[1]!, "--until-caught-up"));
    const status = JSON.parse((await prompt.run(["stream", "status", ...of])).stdout);
    expect(status.indexers).toMatchObject([{ name: "state", behind: 0, listed: status.stashes }]);
    const checkpoint = JSON.parse((await prompt.run(["stream", "checkpoint", ...of])).stdout);
    expect(checkpoint).toMatchObject({ nextId: status.nextChangeId, seq: done.pages });
    expect(await prompt.json(["stream", "quarantine", "list", ...of])).toEqual([]);
    expect(await prompt.error(["stream", "quarantine", "show", "7", ...of])).toMatchObject({
      exit: 66,
    });
    const log = new DatabaseSync(file);
    log
      .prepare(
        `INSERT INTO quarantine (source, realm, seq, place, kind, next_id, error_tag, message, bytes_zstd, first_seen, tries)
         VALUES ('stashes', 'pc', 1, 0, 'row', 'x', 'MalformedRow', 'odd', ?, 0, 1)`,
      )
      .run(zstdCompressSync("{}"));
    log.exec("UPDATE checkpoint SET quarantined = quarantined + 1");
    log.close();
    const [record] = await prompt.json(["stream", "quarantine", "list", ...of]);
    const drop = ["stream", "quarantine", "drop", record.id, ...of];
    expect(await prompt.error(drop)).toMatchObject({ exit: 64, code: "usage" });
    expect(await prompt.json([...drop, "--yes"])).toEqual({ dropped: record.id, remaining: 0 });
    expect(await prompt.error([...drop, "--yes"])).toMatchObject({ exit: 66 });
    const out = join(prompt.home, "stashes.csv");
    const report = JSON.parse(
      (await prompt.run(["stream", "export", "stashes", ...of, "--format", "csv", "--out", out]))
        .stdout,
    );
    expect(report.rows).toBe(status.stashes);
    expect(readFileSync(out, "utf8").trimEnd().split("\r\n")).toHaveLength(report.rows + 1);
    const items = await prompt.run(["stream", "export", "items", ...of]);
    expect(items.stdout.trimEnd().split("\n")).toHaveLength(status.items);
    const parquet = join(prompt.home, "items.parquet");
    const columns = ["stream", "export", "items", ...of, "--format", "parquet", "--out", parquet];
    expect(JSON.parse((await prompt.run(columns)).stdout)).toMatchObject({ rows: status.items });
    expect(readFileSync(parquet).subarray(0, 4).toString()).toBe("PAR1");
    const rebuilt = JSON.parse((await prompt.run(["stream", "rebuild", ...of])).stdout);
    expect(rebuilt).toMatchObject({ listed: status.stashes, items: status.items });
    const keep = ["stream", "prune", ...of, "--keep-bytes", "0"];
    const dry = JSON.parse((await prompt.run([...keep, "--dry-run"])).stdout);
    expect(dry).toMatchObject({ pages: done.pages, isAheadOfReaders: false, dryRun: true });
    expect(JSON.parse((await prompt.run(keep)).stdout)).toMatchObject({ pages: done.pages });
    expect(await prompt.error(["stream", "rebuild", ...of])).toMatchObject({ exit: 64 });
    expect(await prompt.error(followTo(of[1]!, "--from", "start"))).toMatchObject({ exit: 64 });
    expect(await prompt.error(followTo(of[1]!, "--jump", "x"))).toMatchObject({ exit: 64 });
    expect(await prompt.error(followTo(of[1]!, "--on-rejected", "x"))).toMatchObject({ exit: 64 });

    const show = async () =>
      JSON.parse((await prompt.run(["stream", "checkpoint", "show", ...of])).stdout);
    expect(await show()).toEqual(checkpoint);
    const set = ["stream", "checkpoint", "set", "1-2-3", ...of];
    expect(await prompt.error(set)).toMatchObject({ exit: 64, code: "usage" });
    expect(await show()).toEqual(checkpoint);
    const moved = JSON.parse((await prompt.run([...set, "--yes"])).stdout);
    expect(moved).toMatchObject({ nextId: "1-2-3", seq: done.pages + 1 });
    expect(moved.epoch).toBeGreaterThan(checkpoint.epoch);
    expect(await show()).toEqual(moved);
    const after = JSON.parse((await prompt.run(["stream", "status", ...of])).stdout);
    expect(after).toMatchObject({ gaps: 1, nextChangeId: "1-2-3" });
    const start = ["stream", "checkpoint", "set", "start", ...of, "--yes"];
    expect(await prompt.error(start)).toMatchObject({ exit: 64 });
    // A process that lives holds the stream.
    const db = new DatabaseSync(file);
    db.prepare("UPDATE lease SET owner = 'another', expires_at = ?, pid = 1").run(Date.now() + 6e5);
    db.close();
    expect(await prompt.error([...set.with(3, "4-5-6"), "--yes"])).toMatchObject({
      exit: 75,
      code: "lease-lost",
    });
  });

  it("exports every change to a file that follows, and goes on where it was stopped", async () => {
    const store = `sqlite:${join(prompt.home, "exported.db")}`;
    const done = await prompt.json(followTo(store, "--until-caught-up"));
    const out = join(prompt.home, "changes.ndjson");
    const export_ = ["stream", "export", "stashes", "--store", store, "--follow", "--out", out];
    const lines = () => (existsSync(out) ? readFileSync(out, "utf8").trimEnd().split("\n") : []);
    const running = prompt.start(export_);
    await expect.poll(() => lines().length, { timeout: 10_000 }).toBe(done.rows);
    running.interrupt();
    expect((await running.ended).code).toBe(130);
    writeFileSync(out, readFileSync(out).subarray(0, -100));
    const again = await prompt.json([...export_, "--until-caught-up"]);
    expect(again).toMatchObject({ kind: "stashes", rows: 1, seq: done.pages, out });
    expect(lines()).toHaveLength(done.rows);
    for (const wrong of [
      ["--league", "x"],
      ["--format", "csv"],
      ["--out", "-"],
    ])
      expect(await prompt.error([...export_, ...wrong])).toMatchObject({ exit: 64, code: "usage" });
    expect(await prompt.error(export_.with(2, "items"))).toMatchObject({ exit: 64 });
  });

  it("copies a store and makes one of the copy, which stands where the first one stood", async () => {
    const [file, copy, back] = ["first.db", "copy.db", "back.db"].map((name) =>
      join(prompt.home, name),
    );
    const store = `sqlite:${file}`;
    await prompt.json(followTo(store, "--until-caught-up"));
    const made = JSON.parse(
      (await prompt.run(["stream", "backup", copy!, "--store", store])).stdout,
    );
    expect(made.files.map((one: { file: string }) => one.file)).toEqual([`${copy}.index`, copy]);
    const restore = ["stream", "restore", copy!, "--store", `sqlite:${back}`];
    expect((await prompt.run(restore)).code).toBe(0);
    expect(await prompt.error(restore)).toMatchObject({ exit: 74, code: "store-failed" });
    const statusOf = async (of: string) =>
      JSON.parse((await prompt.run(["stream", "status", "--store", of])).stdout);
    const { lagSeconds: _, ...first } = await statusOf(store);
    expect(await statusOf(`sqlite:${back}`)).toMatchObject(first);
    expect(
      await prompt.error(["stream", "backup", copy!, "--store", "postgres://db.example/pages"]),
    ).toMatchObject({ exit: 64 });
  });

  it("serves its health first, where it is told to, and names the flag that is missing", async () => {
    const host = followTo(`sqlite:${join(prompt.home, "ops.db")}`, "--ops-host", "127.0.0.1");
    expect(await prompt.error(host)).toMatchObject({ exit: 64, code: "usage" });
    const { code, stderr } = await prompt.run([...host, "--ops-port", "0", "--until-caught-up"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Metrics and health: http:\/\/127\.0\.0\.1:\d+/u);
  });

  it("says on its last line what was wrong when it was stopped", async () => {
    const store = `sqlite:${join(prompt.home, "refused.db")}`;
    await prompt.json(followTo(store, "--until-caught-up"));
    await prompt.run(["stream", "checkpoint", "set", "1-2-3-4-5", "--store", store, "--yes"]);
    const running = prompt.start(followTo(store));
    await running.stderr(/rejects the change id/u);
    running.interrupt();
    const { stderr } = await running.ended;
    expect(stderr).toMatch(
      /stopped, all of it is in the store; source retrying: The service rejects/u,
    );
  });

  it("refuses limits that the store does not know, and Parquet on standard output", async () => {
    const nats = followTo("nats://127.0.0.1:1/pages", "--keep-days", "1");
    expect(await prompt.error(nats)).toMatchObject({ exit: 64 });
    const into = (...more: ReadonlyArray<string>) => [
      ...followTo(`sqlite:${join(prompt.home, "refused.db")}`),
      ...more,
    ];
    for (const wrong of [
      ["--keep-bytes", "99999999"],
      ["--keep-days", "-1"],
      ["--ops-port", "70000"],
      ["--from", ""],
    ]) {
      expect([wrong, (await prompt.run(into(...wrong))).code]).toEqual([wrong, 64]);
    }
    const of = ["--store", `sqlite:${join(prompt.home, "operated.db")}`, "--format", "parquet"];
    expect(await prompt.error(["stream", "export", "items", ...of])).toMatchObject({ exit: 64 });
  });

  it("verifies a log, and exits with 1 where a page or the file is damaged", async () => {
    const file = join(prompt.home, "verified.db");
    const of = ["--store", `sqlite:${file}`];
    const done = await prompt.json(followTo(of[1]!, "--until-caught-up", "--keep-days", "3"));
    const verify = ["stream", "verify", ...of, "--deep"];
    const whole = JSON.parse((await prompt.run(verify)).stdout);
    expect(whole).toMatchObject({ whole: true, pages: done.pages, first: 1, last: done.pages });
    const db = new DatabaseSync(file);
    db.exec("UPDATE page SET body = substr(body, 1, 100) WHERE seq = 2");
    db.exec("UPDATE page SET requested_id = 'elsewhere' WHERE seq = 3");
    db.close();
    const { code, stdout } = await prompt.run(verify);
    expect(code).toBe(1);
    const { problems } = JSON.parse(stdout);
    expect(problems[0]).toMatch(/^Page 2 cannot be decompressed/u);
    expect(problems[1]).toBe("Page 3 does not continue page 2.");
    const broken = join(prompt.home, "broken.db");
    writeFileSync(broken, "no database ".repeat(2000));
    const noDatabase = await prompt.run(["stream", "verify", "--store", `sqlite:${broken}`]);
    expect(noDatabase.code).toBe(1);
    expect(JSON.parse(noDatabase.stdout)).toMatchObject({ pages: 0, whole: false });
    expect(JSON.parse(noDatabase.stdout).problems[0]).toMatch(/not a database/u);
  });

  it("verifies a file with an overwritten page of any place: exit 1, and the database's finding", async () => {
    const file = join(prompt.home, "overwritten.db");
    await prompt.json(followTo(`sqlite:${file}`, "--until-caught-up"));
    const db = new DatabaseSync(file);
    const { page_size: size } = db.prepare("PRAGMA page_size").get() as { page_size: number };
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    const whole = readFileSync(file);
    const last = Math.floor(whole.length / size) - 1;
    for (const page of [0, 1, 2, 5, Math.floor(last / 2), last]) {
      const damaged = join(prompt.home, `overwritten-${page}.db`);
      writeFileSync(damaged, Buffer.from(whole).fill(0xa5, page * size, (page + 1) * size));
      const verify = ["stream", "verify", "--store", `sqlite:${damaged}`];
      const { code, stdout } = await prompt.run(verify);
      const report = JSON.parse(stdout);
      expect([page, code, report.whole]).toEqual([page, 1, false]);
      expect(report.problems.length).toBeGreaterThan(0);
    }
  });

  it("ends with 130 on Ctrl-C, with checkpoint and rows in step", async () => {
    const file = join(prompt.home, "interrupted.db");
    // Slow enough that Ctrl-C comes in the middle.
    await service.control("/faults", {
      match: { endpoint: "publicStashTabs" },
      fault: { kind: "delay", milliseconds: 500 },
    });
    const run = prompt.spawn(followTo(`sqlite:${file}`));
    await expect.poll(() => pagesIn(file)).toBeGreaterThan(1);
    run.child.kill("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("all of it is in the store");
    const db = new DatabaseSync(file, { readOnly: true });
    const [{ seq, pages }] = db.prepare("SELECT seq, pages FROM checkpoint").all() as any;
    const [{ last }] = db.prepare("SELECT max(seq) AS last FROM page").all() as any;
    const [{ owner }] = db.prepare("SELECT owner FROM lease").all() as any;
    db.close();
    expect([seq, pages, owner]).toEqual([last, last, null]);
    await service.control("/faults", undefined, "DELETE");
    const rest = await prompt.json(followTo(`sqlite:${file}`, "--until-caught-up"));
    expect(rest.pages).toBeGreaterThan(0);
  });

  it("says what is wrong with a store", async () => {
    const none = join(prompt.home, "none.db");
    expect(await prompt.error(["stream", "status", "--store", `sqlite:${none}`])).toMatchObject({
      exit: 66,
      code: "nothing-followed",
    });
    expect(existsSync(none)).toBe(false);
    const password = "mysql://user:hunter2@host/db";
    const { exit, ...error } = await prompt.error(["stream", "status", "--store", password]);
    expect([exit, error["code"]]).toEqual([78, "setting-invalid"]);
    expect(JSON.stringify(error)).not.toContain("hunter2");
    const folder = `sqlite:${join(prompt.home, "no", "such.db")}`;
    expect(await prompt.error(followTo(folder))).toMatchObject({ exit: 74, code: "store-failed" });
  });
});

const pagesIn = (file: string): number => {
  // Until the follower has made file and tables there is nothing to count.
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    return Number(db.prepare("SELECT sum(pages) AS pages FROM checkpoint").get()?.["pages"] ?? 0);
  } catch {
    return 0;
  }
};

describe("exchange", () => {
  it("follows the history of a realm into the same kind of store", async () => {
    const store = `sqlite:${join(prompt.home, "exchange.db")}`;
    const of = ["--store", store, "--realm", "game2"];
    const done = await prompt.json(["exchange", "follow", ...of, "--until-caught-up"]);
    expect(done.pages).toBeGreaterThan(100);
    const status = await prompt.run(["exchange", "status", ...of]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      realm: "game2",
      pages: done.pages,
      markets: done.rows,
    });
    expect(JSON.parse(status.stdout)).not.toHaveProperty("items");
    const verify = ["exchange", "verify", ...of, "--deep"];
    expect(await prompt.json(verify)).toMatchObject({ pages: done.pages, whole: true });
    const db = new DatabaseSync(join(prompt.home, "exchange.db"));
    db.prepare(
      `INSERT INTO quarantine (source, realm, seq, place, kind, next_id, error_tag, message, bytes_zstd, first_seen, tries)
       VALUES (?, ?, 1, 0, 'row', '3600', 'MalformedRow', 'odd', ?, 0, 1)`,
    ).run("exchange", "game2", zstdCompressSync("{}"));
    db.exec("UPDATE checkpoint SET quarantined = quarantined + 1");
    const quarantine = (...rest: ReadonlyArray<string>) => [
      "exchange",
      "quarantine",
      ...rest,
      ...of,
    ];
    const [record] = await prompt.json(quarantine("list"));
    expect(record).toMatchObject({ realm: "game2", message: "odd" });
    expect((await prompt.run(quarantine("show", record.id))).stdout).toContain("{}");
    // Of its own stream alone.
    const stashes = ["stream", "quarantine", "replay", "--store", store];
    expect(await prompt.error(stashes)).toMatchObject({ exit: 66 });
    expect((await prompt.run(quarantine("replay"))).code).toBe(76);
    expect(await prompt.json(quarantine("drop", record.id, "--yes"))).toMatchObject({
      remaining: 0,
    });
    const prune = ["exchange", "prune", ...of, "--keep-bytes", "0", "--dry-run"];
    expect(await prompt.json(prune)).toMatchObject({ pages: done.pages, dryRun: true });
    db.exec("UPDATE page SET checksum = '0' WHERE seq = (SELECT max(seq) FROM page)");
    db.close();
    const damaged = await prompt.run(verify);
    expect([damaged.code, JSON.parse(damaged.stdout).problems.length]).toEqual([1, 1]);
  });
});

describeWithService("postgres", "in PostgreSQL", (url) => {
  it("follows into a database, and operates it", async () => {
    const of = ["--store", url];
    const done = await prompt.json(followTo(url, "--until-caught-up", "--keep-days", "30"));
    expect(done.ended).toBe("caughtUp");
    const status = JSON.parse((await prompt.run(["stream", "status", ...of])).stdout);
    expect(status).toMatchObject({ realm: "pc", pages: done.pages, oldestSeq: 1 });
    expect(status.logBytes).toBeGreaterThan(0);
    expect(await prompt.json(["stream", "quarantine", "list", ...of])).toEqual([]);
    const replayed = await prompt.run(["stream", "quarantine", "replay", ...of]);
    expect(JSON.parse(replayed.stdout)).toMatchObject({ replayed: 0, remaining: 0 });
    const out = join(prompt.home, "postgres.csv");
    const csv = ["stream", "export", "stashes", ...of, "--format", "csv", "--out", out];
    expect(JSON.parse((await prompt.run(csv)).stdout)).toMatchObject({ rows: status.stashes });
    expect(readFileSync(out, "utf8").trimEnd().split("\r\n")).toHaveLength(status.stashes + 1);
    const items = await prompt.run(["stream", "export", "items", ...of]);
    expect(items.stdout.trimEnd().split("\n")).toHaveLength(status.items);
    const rebuilt = JSON.parse((await prompt.run(["stream", "rebuild", ...of])).stdout);
    expect(rebuilt).toMatchObject({ listed: status.stashes, items: status.items });
    const keep = ["stream", "prune", ...of, "--keep-bytes", "0"];
    const dry = JSON.parse((await prompt.run([...keep, "--dry-run"])).stdout);
    expect(dry).toMatchObject({ pages: done.pages, dryRun: true });
    expect(JSON.parse((await prompt.run(keep)).stdout)).toMatchObject({ pages: done.pages });
    expect(await prompt.error(["stream", "rebuild", ...of])).toMatchObject({ exit: 64 });
    const set = ["stream", "checkpoint", "set", "1-2-3", ...of, "--yes"];
    expect(JSON.parse((await prompt.run(set)).stdout)).toMatchObject({ nextId: "1-2-3" });
  });
});

describeWithService("nats", "in NATS", (program) => {
  it("follows into a broker, tells where it stands, and verifies the log", async () => {
    const server = await startNatsServer(program, prompt.home);
    try {
      const store = `${server.url}/pages`;
      const of = ["--store", store];
      const done = await prompt.json(
        followTo(store, "--until-caught-up", "--keep-bytes", "100000000"),
      );
      expect(done.ended).toBe("caughtUp");
      const status = JSON.parse((await prompt.run(["stream", "status", ...of])).stdout);
      expect(status).toMatchObject({ realm: "pc", pages: done.pages });
      for (const unknown of ["stashes", "items", "polledAt"])
        expect(status).not.toHaveProperty(unknown);
      const verified = JSON.parse((await prompt.run(["stream", "verify", ...of])).stdout);
      expect(verified).toMatchObject({ whole: true, pages: done.pages, first: status.oldestSeq });
      expect(await prompt.json(["stream", "quarantine", "list", ...of])).toEqual([]);
      const replay = ["stream", "quarantine", "replay", ...of];
      expect(await prompt.error(replay)).toMatchObject({ exit: 64, code: "usage" });
    } finally {
      await server.close();
    }
  });
});

describe("sandbox", () => {
  const SCRIPT = "console.log(JSON.stringify(process.env)); process.exitCode = 7";

  it("runs a program with the environment set, passes its exit code on, and leaves nothing", async () => {
    // A child process inherits standard output, so this needs a process of its own.
    const { code, stdout } = await prompt.spawn(
      ["sandbox", "exec", "--", process.execPath, "-e", SCRIPT],
      { env: { GAME_DATA_TOKEN: "of-elsewhere" } },
    ).ended;
    expect(code).toBe(7);
    const env = JSON.parse(stdout);
    for (const name of ["AUTH_URL", "BASE_URL", "CONTROL_URL"])
      expect(env[`GAME_DATA_${name}`]).toMatch(/^http:\/\/127\.0\.0\.1:\d+/u);
    expect(env).toMatchObject({ GAME_DATA_CLIENT_ID: "example-web" });
    expect(env.GAME_DATA_CLIENT_SECRET).toMatch(/.{20,}/u);
    expect(env).not.toHaveProperty("GAME_DATA_TOKEN");
    expect(existsSync(env.GAME_DATA_TOKENS)).toBe(false);
  });

  it("says so when the program or the client is not there", async () => {
    const missing = await prompt.run(["sandbox", "exec", "--", "no-such-program"]);
    expect([missing.code, missing.stderr]).toEqual([
      66,
      expect.stringContaining("no-such-program"),
    ]);
    const client = await prompt.run(["sandbox", "exec", "--client", "nobody", "--", "true"]);
    expect([client.code, client.stderr]).toEqual([78, expect.stringContaining("example-desktop")]);
  });

  it("runs until it is told to end, and prints where it is", async () => {
    const run = prompt.spawn(["sandbox", "run", "--seed", "3"]);
    await run.stderr(/Press Ctrl-C to stop/u);
    run.child.kill("SIGTERM");
    const { code, stdout } = await run.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({
      authUrl: expect.stringMatching(/^http/u),
      clients: expect.arrayContaining([expect.objectContaining({ clientId: "example-desktop" })]),
    });
  });
});

it("ends quietly when the reader goes away, and asks for no page that nobody reads", async () => {
  await service.control("/journal", undefined, "DELETE");
  const run = prompt.spawn(["ladder", "Standard", "--limit", "5000", "--ndjson"]);
  run.child.stdout!.once("data", () => run.child.stdout!.destroy());
  const { code, stderr } = await run.ended;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/error|EPIPE/u);
  // A page is larger than a pipe's buffer; the whole would be ten of them.
  const { entries } = await service.control("/journal?endpoint=leagues.ladder", undefined, "GET");
  expect(entries.length).toBeGreaterThanOrEqual(1);
  expect(entries.length).toBeLessThanOrEqual(2);
});
