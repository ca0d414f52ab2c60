/**
 * Following streams into stores, operating them, and what becomes of them on Ctrl-C: the rows of
 * docs/operate.md at a prompt.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { describeWithService } from "@game-data/test-support";
import { beforeAll, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

// Few pages, and no limit of requests: each test follows all of them.
const service = useService({
  world: { streamHistoryPages: 8, streamPageSize: 60, exchangeHistoryHours: 110 },
  rates: "off",
});
const prompt = usePrompt();
const path = (name: string) => join(prompt.home, name);

const followTo = (store: string, ...more: ReadonlyArray<string>) => [
  ...["stream", "follow", "--realm", "pc", "--store", store, ...more],
];

/** Commands on a store of the test's folder, or of an address. */
const storeAt = (name: string, source = "stashes") => {
  const file = path(name);
  const store = name.includes("://") ? name : `sqlite:${file}`;
  const line = (words: string) => [
    ...["stream", ...words.split(" "), "--store", store, "--source", source],
  ];
  return {
    file,
    store,
    run: (words: string) => prompt.run(line(words)),
    json: (words: string) => prompt.json(line(words)),
    error: (words: string) => prompt.error(line(words)),
    /** Follows until caught up. */
    filled: (...more: ReadonlyArray<string>) =>
      prompt.json(followTo(store, "--until-caught-up", ...more)),
    /** Runs SQL on the file, or on the derived tables beside it. */
    sql: (statement: string, part = "") => {
      using db = new DatabaseSync(file + part);
      return db.prepare(statement).all();
    },
  };
};
type Store = ReturnType<typeof storeAt>;

let pages = 0;
beforeAll(async () => {
  prompt.env = service.env("example-web");
  await service.sandbox.control("POST", "/clock", { freeze: true });
  ({ pages } = await storeAt("original.db").filled());
});

/** Copies a store that has followed all pages. */
const copied = (name: string) => {
  for (const part of ["", ".index"]) copyFileSync(path(`original.db${part}`), path(name + part));
  return storeAt(name);
};

const REFUSED = { code: "Usage", exitCode: 64 };
const linesIn = (text: string) => text.trimEnd().split(/\r?\n/u);

/** Not JSON, not UTF-8, and a sequence that clears a terminal. */
const BAD_BYTES = Buffer.concat([Buffer.from("{ é\u001b[2J"), Buffer.of(0xff), Buffer.from("}")]);

/** Sets a page aside, as a follower does with a page that it cannot read. */
const quarantined = (source: string, realm: string) =>
  `INSERT INTO quarantine (source, realm, seq, next_id, error_tag, message, bytes_zstd, first_seen, tries)
   VALUES ('${source}', '${realm}', 1, '3600', 'MalformedPage', 'odd', x'${zstdCompressSync(BAD_BYTES).toString("hex")}', 0, 1)`;

/** Exports, rebuilds and prunes what was followed, and leaves an empty log. */
const operates = async (of: Store) => {
  const { items, stashes } = await of.json("status");
  expect(await of.json("quarantine list")).toEqual([]);
  const out = path("stashes.csv");
  const exported = await of.json(`export stashes --format csv --out ${out}`);
  expect(exported).toMatchObject({ rows: stashes, seq: pages });
  expect(linesIn(readFileSync(out, "utf8"))).toHaveLength(stashes + 1);
  expect(linesIn((await of.run("export items")).stdout)).toHaveLength(items);
  expect(await of.json("rebuild")).toMatchObject({ listed: stashes, items });
  const dry = await of.json("prune --keep-bytes 0 --dry-run");
  expect(dry).toMatchObject({ pages, isAheadOfReaders: false, dryRun: true });
  for (const wrong of ["prune --keep-bytes 0", "prune --yes"])
    expect(await of.error(wrong)).toMatchObject(REFUSED);
  expect(await of.json("prune --keep-bytes 0 --yes")).toMatchObject({ pages });
  expect(await of.error("rebuild")).toMatchObject(REFUSED);
};

it("stream follow stops when caught up, and continues from the checkpoint", async () => {
  const of = storeAt("stashes.db");
  const { stderr, stdout } = await prompt.run(followTo(of.store, "--until-caught-up", "--json"));
  const done = JSON.parse(stdout);
  expect(done).toMatchObject({ realm: "pc", ended: "caughtUp", pages });
  expect(stderr).toContain(`${done.pages} pages, ${done.rows} rows; caught up`);

  // Without --json: scripts read it as it is.
  const status = JSON.parse((await of.run("status")).stdout);
  const [counted] = of.sql(
    "SELECT count(*) AS stashes, sum(items) AS items FROM stash WHERE public = 1",
    ".index",
  );
  expect(status).toMatchObject({ realm: "pc", pages, ...counted, quarantined: 0 });
  expect(status).toMatchObject({ state: "stopped", holder: null });
  expect(status.nextChangeId).toEqual(expect.any(String));
  expect(status.lagSeconds).toBeGreaterThanOrEqual(0);
  expect(status.indexers).toMatchObject([{ name: "state", behind: 0 }]);
  expect(await of.filled()).toMatchObject({ pages: 0, rows: 0 });
  expect(await prompt.error(followTo(of.store, "--from", "start"))).toMatchObject(REFUSED);
  const later = storeAt("later.db");
  expect(await later.filled("--from", status.nextChangeId)).toMatchObject({ pages: 0 });
});

it("stream quarantine replay keeps and names the records of other indexers, and exits with 76", async () => {
  const of = copied("rejected.db");
  of.sql(
    `INSERT INTO skipped SELECT 1, 'mine', 'stashes', 'pc', 1, 0, NULL, '2', 'Rejected', 'odd', 0, 1,
       x'${zstdCompressSync("{}").toString("hex")}'`,
    ".index",
  );
  const error = await of.error("quarantine replay");
  expect(error).toMatchObject({ code: "StillQuarantined", exitCode: 76 });
  expect(error.message).toContain("mine");
  expect(await of.json("quarantine list")).toMatchObject([{ id: "mine-1" }]);
});

it("stream export, rebuild and prune work on a SQLite store", async () => {
  const of = copied("operated.db");
  const { items } = await of.json("status");
  const parquet = path("items.parquet");
  const exported = await of.json(`export items --format parquet --out ${parquet}`);
  expect(exported).toMatchObject({ rows: items });
  expect(readFileSync(parquet).subarray(0, 4).toString()).toBe("PAR1");
  expect(await of.error("export items --format parquet")).toMatchObject(REFUSED);
  await operates(of);
});

it("stream quarantine show prints the bytes unchanged, and escaped on a terminal", async () => {
  const of = copied("quarantined.db");
  of.sql(quarantined("stashes", "pc"));
  const [{ id }] = await of.json("quarantine list");
  const show = ["stream", "quarantine", "show", String(id), "--store", of.store];
  expect((await prompt.run(show, { columns: 80 })).stdout).toBe("{ é\\u{1b}[2J\ufffd}\n");
  const raw = prompt.spawn(show);
  raw.child.stdout!.setEncoding("latin1");
  expect(Buffer.from((await raw.ended).stdout, "latin1")).toEqual(BAD_BYTES);
  expect(await of.error(`quarantine drop ${id}`)).toMatchObject(REFUSED);
  expect(await of.json(`quarantine drop ${id} --yes`)).toEqual({ dropped: id, remaining: 0 });
  expect(await of.error(`quarantine drop ${id} --yes`)).toMatchObject({ exitCode: 66 });
});

it("stream checkpoint shows and moves the checkpoint, unless a process follows", async () => {
  const of = copied("checkpoint.db");
  const checkpoint = await of.json("checkpoint show");
  const { nextChangeId } = await of.json("status");
  expect(checkpoint).toMatchObject({ nextId: nextChangeId, seq: pages });
  for (const wrong of ["1-2-3-4-5", "start --yes"])
    expect(await of.error(`checkpoint set ${wrong}`)).toMatchObject(REFUSED);
  expect(await of.json("checkpoint show")).toEqual(checkpoint);
  const moved = await of.json("checkpoint set 1-2-3-4-5 --yes");
  expect(moved).toMatchObject({ nextId: "1-2-3-4-5", seq: pages + 1 });
  expect(moved.epoch).toBeGreaterThan(checkpoint.epoch);
  expect(await of.json("status")).toMatchObject({ gaps: 1, nextChangeId: "1-2-3-4-5" });
  // The service rejects that id.
  expect(await of.filled("--on-rejected", "restart")).toMatchObject({ ended: "caughtUp" });
  expect(await of.json("status")).toMatchObject({ gaps: 2 });
  const until = Date.now() + 600_000;
  of.sql(`UPDATE stream SET owner = 'another', expires_at = ${until}`);
  const { holder } = await of.json("status");
  expect(holder).toEqual({ owner: "another", until: new Date(until).toISOString() });
  expect(await of.error("checkpoint set 4-5-6 --yes")).toMatchObject({ exitCode: 75 });
});

it("stream export --follow appends every change to a file, from the last complete line", async () => {
  const of = copied("exported.db");
  const out = path("changes.ndjson");
  const following = `export stashes --follow --out ${out}`;
  await of.json(`${following} --until-caught-up`);
  const whole = readFileSync(out, "utf8");
  writeFileSync(out, whole.slice(0, -100));
  const again = await of.json(`${following} --until-caught-up`);
  expect(again).toMatchObject({ kind: "stashes", rows: 1, seq: pages, out });
  expect(readFileSync(out, "utf8")).toBe(whole);
  for (const wrong of ["--league x", "--format csv", "--out -"])
    expect(await of.error(`${following} ${wrong}`)).toMatchObject(REFUSED);
  expect(await of.error(following.replace("stashes", "items"))).toMatchObject(REFUSED);

  // Without the pages that come next, the file cannot continue; a new one begins after them.
  writeFileSync(out, `${linesIn(whole)[0]}\n`);
  await of.run("prune --keep-bytes 0 --yes");
  const expired = await of.error(`${following} --until-caught-up`);
  expect(expired).toMatchObject({ code: "HistoryExpired", exitCode: 76 });
  const after = `${following.replace("changes", "after")} --until-caught-up --since ${pages}`;
  expect(await of.json(after)).toMatchObject({ rows: 0 });
});

it("stream backup copies a store, and stream restore brings it back with the same status", async () => {
  const [first, back] = [copied("first.db"), storeAt("back.db")];
  const { files } = await first.json(`backup ${path("copy.db")}`);
  expect(files).toMatchObject([{ file: path("copy.db.index") }, { file: path("copy.db") }]);
  expect((await back.run(`restore ${path("copy.db")}`)).code).toBe(0);
  const error = await back.error(`restore ${path("copy.db")}`);
  expect(error).toMatchObject({ code: "SinkError", next: expect.stringContaining("not exist") });
  const { lagSeconds: _, ...status } = await first.json("status");
  expect(await back.json("status")).toMatchObject(status);
});

it("stream export and verify report derived tables that are behind, of another log, or missing", async () => {
  const of = copied("derived.db");
  const exported = `export stashes --out ${path("derived.ndjson")}`;
  of.sql("UPDATE indexer SET seq = 2 WHERE seq > 0", ".index");
  const { stderr } = await of.run(exported);
  expect(stderr).toContain(`the derived tables are at page 2, and the log is at page ${pages}`);
  const reason = "page 2 of the log is not the page that it has applied";
  const { code, stdout } = await of.run("verify");
  const problems = [expect.stringContaining(reason)];
  expect([code, JSON.parse(stdout).problems]).toEqual([1, problems]);
  expect((await of.json("status")).indexers[0].reason).toContain(reason);
  const next = expect.stringContaining("gamedata stream rebuild");
  const broken = await prompt.error(followTo(of.store, "--until-caught-up"));
  expect(broken).toMatchObject({ code: "ChainBroken", next });
  await of.json("rebuild");
  expect((await of.run("verify")).code).toBe(0);
  rmSync(`${of.file}.index`);
  expect(await of.error(exported)).toMatchObject({ code: "Usage", next });
});

it("stream follow serves health on --ops-port", async () => {
  const line = followTo(`sqlite:${path("ops.db")}`, "--ops-port", "0", "--until-caught-up");
  const { code, stderr } = await prompt.run(line);
  expect(code).toBe(0);
  expect(stderr).toMatch(/Metrics and health: http:\/\/127\.0\.0\.1:\d+/u);
});

it.each([
  ["Usage", "follow --store sqlite:refused.db --ops-host 127.0.0.1"],
  ["Usage", "follow --store sqlite:refused.db --ops-port 70000"],
  ["Usage", "follow --store sqlite:refused.db --keep-bytes 99999999"],
  ["Usage", "follow --store sqlite:refused.db --keep-days -1"],
  ["Usage", "follow --store sqlite:refused.db --synchronous off"],
  ["Usage", "follow --store sqlite:refused.db --on-rejected x"],
  ["Usage", "follow --store sqlite:refused.db --from="],
  ["Usage", "follow --store sqlite:refused.db --realm game2"],
  ["Usage", "backup copy.db --store postgres://db.example/pages"],
  ["StreamNotFound", "status --store sqlite:refused.db"],
  ["StreamNotFound", "verify --store sqlite:refused.db"],
  ["StreamNotFound", "rebuild --store sqlite:refused.db"],
  ["StreamNotFound", "export stashes --store sqlite:refused.db"],
  ["StreamNotFound", "prune --store sqlite:refused.db --keep-days 1 --yes"],
  ["StreamNotFound", "quarantine list --store sqlite:refused.db"],
  ["StreamNotFound", "quarantine replay --store sqlite:refused.db"],
  ["StreamNotFound", "checkpoint set 1-2-3 --store sqlite:refused.db --yes"],
  ["InvalidStoreUrl", "status --store mysql://user:hunter2@host/db"],
  ["SinkError", "follow --store sqlite:no/such.db"],
])("fails with %s and makes no file: gamedata stream %s", async (code, line) => {
  const error = await prompt.error(`stream ${line}`);
  expect(error).toMatchObject({ code });
  expect(JSON.stringify(error)).not.toContain("hunter2");
  expect(existsSync("refused.db")).toBe(false);
});

it("stream verify exits with 1 if a page of the log or the file is damaged", async () => {
  const of = storeAt("verified.db");
  await of.filled("--keep-days", "3", "--synchronous", "full");
  const whole = await of.json("verify --deep");
  expect(whole).toMatchObject({ whole: true, pages, first: 1, last: pages });
  of.sql("UPDATE page SET requested_id = 'elsewhere' WHERE seq = 3");
  const out = path("damaged.ndjson");
  const broken = await of.error(`export stashes --follow --until-caught-up --out ${out}`);
  expect(broken).toMatchObject({ code: "ChainBroken", exitCode: 76 });
  of.sql("UPDATE page SET body = substr(body, 1, 100) WHERE seq = 2");
  const { code, stdout } = await of.run("verify --deep");
  expect(code).toBe(1);
  expect(JSON.parse(stdout).problems).toMatchObject([
    expect.stringMatching(/^Page 2 cannot be inflated/u),
    "Page 3 does not continue page 2.",
  ]);
  expect(await of.error("rebuild")).toMatchObject({ exitCode: 70 });
  writeFileSync(path("broken.db"), "no database ".repeat(2000));
  const noDatabase = await storeAt("broken.db").run("verify");
  expect(noDatabase.code).toBe(1);
  expect(JSON.parse(noDatabase.stdout)).toMatchObject({ pages: 0, whole: false });
  expect(noDatabase.stdout).toMatch(/not a database/u);
});

it("stream commands follow the exchange of a realm and operate its store", async () => {
  const of = storeAt("exchange.db", "exchange");
  const done = await of.json("follow --realm game2 --until-caught-up");
  expect(done.pages).toBeGreaterThan(100);
  const status = await of.json("status --realm game2");
  expect(status).toMatchObject({ realm: "game2", pages: done.pages, markets: done.rows });
  expect(status).not.toHaveProperty("items");
  const verified = await of.json("verify --realm game2 --deep");
  expect(verified).toMatchObject({ pages: done.pages, whole: true });
  of.sql(quarantined("exchange", "game2"));
  const quarantine = (words: string) => `quarantine ${words} --realm game2`;
  const [record] = await of.json(quarantine("list"));
  expect(record).toMatchObject({ realm: "game2", message: "odd" });
  expect((await of.run(quarantine(`show ${record.id}`))).stdout).toContain("{ é");
  // Of its own stream alone.
  expect(await storeAt("exchange.db").error("quarantine replay")).toMatchObject({ exitCode: 66 });
  const { code, stdout } = await of.run(quarantine("replay"));
  expect([code, JSON.parse(stdout)]).toMatchObject([76, { remaining: 1 }]);
  const dropped = await of.json(quarantine(`drop ${record.id} --yes`));
  expect(dropped).toMatchObject({ remaining: 0 });
});

describeWithService("postgres", "in PostgreSQL", (url) => {
  it("stream commands follow into PostgreSQL and operate the store", async () => {
    const of = storeAt(url);
    expect(await of.filled("--keep-days", "30")).toMatchObject({ ended: "caughtUp", pages });
    const status = await of.json("status");
    expect(status).toMatchObject({ realm: "pc", pages, oldestSeq: 1 });
    expect(status.logBytes).toBeGreaterThan(0);
    expect(await of.json("quarantine replay")).toMatchObject({ replayed: 0, remaining: 0 });
    await operates(of);
    expect(await of.json("checkpoint set 1-2-3 --yes")).toMatchObject({ nextId: "1-2-3" });
  });
});

it("stream follow exits with 130 on Ctrl-C, and its checkpoint fits the stored rows", async () => {
  const of = storeAt("interrupted.db");
  // Slow enough that Ctrl-C comes in the middle.
  const fault = { kind: "delay", milliseconds: 500 } as const;
  await service.sandbox.fault({ match: { endpoint: "publicStashTabs" }, fault });
  const run = prompt.spawn(followTo(of.store));
  const stored = async () => (await of.json("status")).pages;
  // A busy machine takes seconds to start a process.
  await expect.poll(stored, { timeout: 60_000, interval: 100 }).toBeGreaterThan(1);
  run.child.kill("SIGINT");
  const { code, stderr } = await run.ended;
  expect(code).toBe(130);
  expect(stderr).toContain("all of it is in the store");
  const [stream] = of.sql("SELECT seq, pages, owner FROM stream");
  const [{ last }] = of.sql("SELECT max(seq) AS last FROM page") as any;
  expect(stream).toEqual({ seq: last, pages: last, owner: null });
  await service.sandbox.control("DELETE", "/faults");
  expect((await of.filled()).pages).toBeGreaterThan(0);
});

it("ladder export ends without an error and further requests if the reader closes the pipe", async () => {
  await service.sandbox.control("DELETE", "/journal");
  const run = prompt.spawn("ladder export Standard --limit 5000");
  run.child.stdout!.once("data", () => run.child.stdout!.destroy());
  const { code, stderr } = await run.ended;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/error|EPIPE/u);
  // A page is larger than a pipe's buffer; the whole would be ten of them.
  const journal = await service.sandbox.control("GET", "/journal?endpoint=leagues.ladder");
  const { length } = (journal as { readonly entries: ReadonlyArray<unknown> }).entries;
  expect(length).toBeGreaterThanOrEqual(1);
  expect(length).toBeLessThanOrEqual(2);
});
