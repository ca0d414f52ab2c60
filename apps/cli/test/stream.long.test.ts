/**
 * Following streams into stores, operating them, and what becomes of them on Ctrl-C: the rows of
 * docs/operate.md at a prompt.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { describeWithService } from "@game-data/test-support";
import { beforeAll, describe, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

// Few pages, and no limit of requests: each test follows all of them.
const service = useService({
  world: { streamHistoryPages: 8, streamPageSize: 60, exchangeHistoryHours: 110 },
  rates: "off",
});
const prompt = usePrompt();
beforeAll(async () => {
  prompt.env = service.env("example-web");
  await service.sandbox.control("POST", "/clock", { freeze: true });
});

/** A busy machine takes seconds to start a process. */
const WAIT = { timeout: 60_000, interval: 100 };

const followTo = (store: string, ...more: ReadonlyArray<string>) => [
  ...["stream", "follow", "--realm", "pc", "--store", store, ...more],
];

/** Commands on a store of the test's folder, or of an address. */
const storeAt = (name: string, source = "stashes") => {
  const file = join(prompt.home, name);
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
    /** Runs SQL on the file. */
    sql: (...statements: ReadonlyArray<string>) => {
      using db = new DatabaseSync(file);
      for (const statement of statements) db.exec(statement);
    },
  };
};
type Store = ReturnType<typeof storeAt>;

const REFUSED = { code: "Usage" };
const linesIn = (text: string) => text.trimEnd().split(/\r?\n/u);

/** Not JSON, not UTF-8, and a sequence that clears a terminal. */
const BAD_BYTES = Buffer.concat([Buffer.from("{ é\u001b[2J"), Buffer.of(0xff), Buffer.from("}")]);

/** Sets a page aside, as a follower does with a page that it cannot read. */
const quarantined = (source: string, realm: string) =>
  `INSERT INTO quarantine (source, realm, seq, next_id, error_tag, message, bytes_zstd, first_seen, tries)
   VALUES ('${source}', '${realm}', 1, '3600', 'MalformedPage', 'odd', x'${zstdCompressSync(BAD_BYTES).toString("hex")}', 0, 1)`;

/** Exports, builds anew and prunes what was followed, and leaves an empty log. */
const operates = async (of: Store, pages: number) => {
  const { items, stashes } = await of.json("status");
  expect(await of.json("quarantine list")).toEqual([]);
  const out = join(prompt.home, "stashes.csv");
  expect(await of.json(`export stashes --format csv --out ${out}`)).toMatchObject({
    rows: stashes,
    seq: pages,
  });
  expect(linesIn(readFileSync(out, "utf8"))).toHaveLength(stashes + 1);
  expect(linesIn((await of.run("export items")).stdout)).toHaveLength(items);
  expect(await of.json("rebuild")).toMatchObject({ listed: stashes, items });
  const dry = await of.json("prune --keep-bytes 0 --dry-run");
  expect(dry).toMatchObject({ pages, isAheadOfReaders: false, dryRun: true });
  expect(await of.error("prune --keep-bytes 0")).toMatchObject(REFUSED);
  expect(await of.json("prune --keep-bytes 0 --yes")).toMatchObject({ pages });
  expect(await of.error("rebuild")).toMatchObject(REFUSED);
};

describe("stream", () => {
  it("follows until caught up, prints the status, and continues from the checkpoint", async () => {
    const of = storeAt("stashes.db");
    // With flags instead of the environment, as scripts give them.
    const env = Object.entries(service.env("example-web"));
    const flags = env.flatMap(([name, value]) => [
      name.replace("GAME_DATA", "-").toLowerCase().replaceAll("_", "-"),
      value,
    ]);
    const none = Object.fromEntries(env.map(([name]) => [name, ""]));
    const line = [...followTo(of.store, "--until-caught-up", "--json"), ...flags];
    const { code, stderr, stdout } = await prompt.run(line, { env: none });
    expect(code).toBe(0);
    const done = JSON.parse(stdout);
    expect(done).toMatchObject({ realm: "pc", ended: "caughtUp" });
    expect(stderr).toContain(`${done.pages} pages, ${done.rows} rows; caught up`);

    // Without --json: scripts read it as it is.
    const told = JSON.parse((await of.run("status")).stdout);
    using db = new DatabaseSync(`${of.file}.index`, { readOnly: true });
    const [counted] = db
      .prepare("SELECT count(*) AS stashes, sum(items) AS items FROM stash WHERE public = 1")
      .all();
    expect(told).toMatchObject({ realm: "pc", pages: done.pages, ...counted, quarantined: 0 });
    expect(told).toMatchObject({ state: "stopped", holder: null });
    expect(told.nextChangeId).toEqual(expect.any(String));
    expect(told.lagSeconds).toBeGreaterThanOrEqual(0);
    expect(told.indexers).toMatchObject([{ name: "state", behind: 0 }]);
    expect(await of.filled()).toMatchObject({ pages: 0, rows: 0 });
  });

  it("lists the quarantine of a store, exports, rebuilds and prunes it", async () => {
    const of = storeAt("operated.db");
    const { pages } = await of.filled();
    expect(await of.error("quarantine show 7")).toMatchObject({ exitCode: 66 });
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
    const { items } = await of.json("status");
    const parquet = join(prompt.home, "items.parquet");
    expect(await of.json(`export items --format parquet --out ${parquet}`)).toMatchObject({
      rows: items,
    });
    expect(readFileSync(parquet).subarray(0, 4).toString()).toBe("PAR1");
    await operates(of, pages);
    const again = followTo(of.store, "--from", "start");
    expect(await prompt.error(again)).toMatchObject({ exitCode: 64 });
  });

  it("shows the checkpoint, and moves it on request, unless a process follows", async () => {
    const of = storeAt("checkpoint.db");
    const { pages } = await of.filled();
    const checkpoint = await of.json("checkpoint show");
    const { nextChangeId } = await of.json("status");
    expect(checkpoint).toMatchObject({ nextId: nextChangeId, seq: pages });
    expect(await of.error("checkpoint set 1-2-3-4-5")).toMatchObject(REFUSED);
    expect(await of.json("checkpoint show")).toEqual(checkpoint);
    const moved = await of.json("checkpoint set 1-2-3-4-5 --yes");
    expect(moved).toMatchObject({ nextId: "1-2-3-4-5", seq: pages + 1 });
    expect(moved.epoch).toBeGreaterThan(checkpoint.epoch);
    expect(await of.json("checkpoint show")).toEqual(moved);
    expect(await of.json("status")).toMatchObject({ gaps: 1, nextChangeId: "1-2-3-4-5" });
    expect(await of.error("checkpoint set start --yes")).toMatchObject({ exitCode: 64 });
    // The service rejects that id.
    expect(await of.filled("--on-rejected", "restart")).toMatchObject({ ended: "caughtUp" });
    expect(await of.json("status")).toMatchObject({ gaps: 2 });
    const until = Date.now() + 600_000;
    of.sql(`UPDATE stream SET owner = 'another', expires_at = ${until}`);
    expect((await of.json("status")).holder).toEqual({
      owner: "another",
      until: new Date(until).toISOString(),
    });
    const held = await of.error("checkpoint set 4-5-6 --yes");
    expect(held).toMatchObject({ exitCode: 75 });
  });

  it("appends every change to a file, from where the file ends", async () => {
    const of = storeAt("exported.db");
    const done = await of.filled();
    const out = join(prompt.home, "changes.ndjson");
    const following = `export stashes --follow --out ${out}`;
    await of.json(`${following} --until-caught-up`);
    const whole = readFileSync(out, "utf8");
    writeFileSync(out, whole.slice(0, -100));
    const again = await of.json(`${following} --until-caught-up`);
    expect(again).toMatchObject({ kind: "stashes", rows: 1, seq: done.pages, out });
    expect(readFileSync(out, "utf8")).toBe(whole);
    for (const wrong of ["--league x", "--format csv", "--out -"])
      expect(await of.error(`${following} ${wrong}`)).toMatchObject(REFUSED);
    expect(await of.error(following.replace("stashes", "items"))).toMatchObject({ exitCode: 64 });
  });

  it("backs a store up, and restores it with the same status", async () => {
    const [first, back] = [storeAt("first.db"), storeAt("back.db")];
    const copy = join(prompt.home, "copy.db");
    await first.filled();
    const { files } = await first.json(`backup ${copy}`);
    expect(files).toMatchObject([{ file: `${copy}.index` }, { file: copy }]);
    expect((await back.run(`restore ${copy}`)).code).toBe(0);
    const error = await back.error(`restore ${copy}`);
    expect(error).toMatchObject({ code: "SinkError", next: expect.stringContaining("not exist") });
    const { lagSeconds: _, ...status } = await first.json("status");
    expect(await back.json("status")).toMatchObject(status);
    const elsewhere = storeAt("postgres://db.example/pages");
    expect(await elsewhere.error(`backup ${copy}`)).toMatchObject({ exitCode: 64 });
  });

  it("ends with 76 if pages that a reader needs are pruned, and continues after them", async () => {
    const of = storeAt("pruned.db");
    const { pages } = await of.filled();
    const out = join(prompt.home, "pruned.ndjson");
    const follow = `export stashes --follow --until-caught-up --out ${out}`;
    await of.json(follow);
    writeFileSync(out, `${linesIn(readFileSync(out, "utf8"))[0]}\n`);
    await of.run("prune --keep-bytes 0 --yes");
    expect(await of.error(follow)).toMatchObject({ code: "HistoryExpired", exitCode: 76 });
    const after = follow.replace("pruned.ndjson", "after.ndjson");
    expect(await of.json(`${after} --since ${pages}`)).toMatchObject({ rows: 0 });
  });

  it("reports derived tables that are missing, behind, or of another log", async () => {
    const of = storeAt("derived.db");
    const { pages } = await of.filled();
    const index = (statement: string) => {
      using db = new DatabaseSync(`${of.file}.index`);
      db.exec(statement);
    };
    const exported = `export stashes --out ${join(prompt.home, "derived.ndjson")}`;
    index("UPDATE indexer SET seq = 2 WHERE seq > 0");
    const { stderr } = await of.run(exported);
    expect(stderr).toContain(`the derived tables are at page 2, and the log is at page ${pages}`);
    const { problems } = JSON.parse((await of.run("verify")).stdout);
    const reason = "page 2 of the log is not the page that it has applied";
    expect(problems).toEqual([expect.stringContaining(reason)]);
    expect((await of.json("status")).indexers[0].reason).toContain(reason);
    expect(await prompt.error(followTo(of.store, "--until-caught-up"))).toMatchObject({
      code: "ChainBroken",
      next: expect.stringContaining("gamedata stream rebuild"),
    });
    const copy = join(prompt.home, "derived-copy.db");
    await of.json(`backup ${copy}`);
    const restored = storeAt("derived-restored.db");
    expect((await restored.error(`restore ${copy}`)).message).toContain(reason);
    await of.json("rebuild");
    expect((await of.run("verify")).code).toBe(0);
    rmSync(`${of.file}.index`);
    expect((await of.error(exported)).next).toContain("gamedata stream rebuild");
  });

  it("serves health on --ops-port, and refuses --ops-host without it", async () => {
    const host = followTo(`sqlite:${join(prompt.home, "ops.db")}`, "--ops-host", "127.0.0.1");
    expect(await prompt.error(host)).toMatchObject({ code: "Usage" });
    const { code, stderr } = await prompt.run([...host, "--ops-port", "0", "--until-caught-up"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Metrics and health: http:\/\/127\.0\.0\.1:\d+/u);
  });

  it.each([
    ["--keep-bytes", "99999999"],
    ["--keep-days", "-1"],
    ["--ops-port", "70000"],
    ["--synchronous", "off"],
    ["--on-rejected", "x"],
    ["--from", ""],
  ])("ends with 64 for an invalid flag of follow: %s %s", async (...flag) => {
    expect((await prompt.run(followTo("sqlite:refused.db", ...flag))).code).toBe(64);
  });

  it("verifies a log, and exits with 1 if a page or the file is damaged", async () => {
    const of = storeAt("verified.db");
    const { pages } = await of.filled("--keep-days", "3", "--synchronous", "full");
    const whole = await of.json("verify --deep");
    expect(whole).toMatchObject({ whole: true, pages, first: 1, last: pages });
    of.sql("UPDATE page SET requested_id = 'elsewhere' WHERE seq = 3");
    const out = join(prompt.home, "damaged.ndjson");
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
    const none = storeAt("broken.db");
    writeFileSync(none.file, "no database ".repeat(2000));
    const noDatabase = await none.run("verify");
    expect(noDatabase.code).toBe(1);
    expect(JSON.parse(noDatabase.stdout)).toMatchObject({ pages: 0, whole: false });
    expect(noDatabase.stdout).toMatch(/not a database/u);
  });

  it("ends with 130 on Ctrl-C, with checkpoint and rows in step", async () => {
    const file = join(prompt.home, "interrupted.db");
    // Slow enough that Ctrl-C comes in the middle.
    await service.sandbox.fault({
      match: { endpoint: "publicStashTabs" },
      fault: { kind: "delay", milliseconds: 500 },
    });
    const run = prompt.spawn(followTo(`sqlite:${file}`));
    await expect.poll(() => pagesIn(file), WAIT).toBeGreaterThan(1);
    run.child.kill("SIGINT");
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("all of it is in the store");
    const db = new DatabaseSync(file, { readOnly: true });
    const [{ owner, pages, seq }] = db.prepare("SELECT * FROM stream").all() as any;
    const [{ last }] = db.prepare("SELECT max(seq) AS last FROM page").all() as any;
    db.close();
    expect([seq, pages, owner]).toEqual([last, last, null]);
    await service.sandbox.control("DELETE", "/faults");
    const rest = await prompt.json(followTo(`sqlite:${file}`, "--until-caught-up"));
    expect(rest.pages).toBeGreaterThan(0);
  });

  it("names what is wrong with the address of a store", async () => {
    const none = storeAt("none.db");
    expect(await none.error("status")).toMatchObject({ code: "StreamNotFound" });
    expect(existsSync(none.file)).toBe(false);
    const error = await storeAt("mysql://user:hunter2@host/db").error("status");
    expect(error).toMatchObject({ code: "InvalidStoreUrl" });
    expect(JSON.stringify(error)).not.toContain("hunter2");
    const nowhere = followTo(storeAt("no/such.db").store);
    expect(await prompt.error(nowhere)).toMatchObject({ code: "SinkError" });
  });
});

const pagesIn = (file: string): number => {
  // Until the follower has made file and tables there is nothing to count.
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    return Number(db.prepare("SELECT sum(pages) AS pages FROM stream").get()?.["pages"] ?? 0);
  } catch {
    return 0;
  }
};

it("follows the exchange of a realm, and operates its store", async () => {
  const of = storeAt("exchange.db", "exchange");
  const done = await of.json("follow --realm game2 --until-caught-up");
  expect(done.pages).toBeGreaterThan(100);
  const status = await of.json("status --realm game2");
  expect(status).toMatchObject({ realm: "game2", pages: done.pages, markets: done.rows });
  expect(status).not.toHaveProperty("items");
  expect(await of.json("verify --realm game2 --deep")).toMatchObject({
    pages: done.pages,
    whole: true,
  });
  of.sql(quarantined("exchange", "game2"));
  const quarantine = (words: string) => `quarantine ${words} --realm game2`;
  const [record] = await of.json(quarantine("list"));
  expect(record).toMatchObject({ realm: "game2", message: "odd" });
  expect((await of.run(quarantine(`show ${record.id}`))).stdout).toContain("{ é");
  // Of its own stream alone.
  expect(await storeAt("exchange.db").error("quarantine replay")).toMatchObject({ exitCode: 66 });
  expect((await of.run(quarantine("replay"))).code).toBe(76);
  const dropped = await of.json(quarantine(`drop ${record.id} --yes`));
  expect(dropped).toMatchObject({ remaining: 0 });
});

describeWithService("postgres", "in PostgreSQL", (url) => {
  it("follows into PostgreSQL, and operates the store", async () => {
    const of = storeAt(url);
    const { ended, pages } = await of.filled("--keep-days", "30");
    expect(ended).toBe("caughtUp");
    const status = await of.json("status");
    expect(status).toMatchObject({ realm: "pc", pages, oldestSeq: 1 });
    expect(status.logBytes).toBeGreaterThan(0);
    expect(await of.json("quarantine replay")).toMatchObject({ replayed: 0, remaining: 0 });
    await operates(of, pages);
    expect(await of.json("checkpoint set 1-2-3 --yes")).toMatchObject({ nextId: "1-2-3" });
  });
});

it("ends without an error if the reader of a pipe closes it, and requests no further pages", async () => {
  await service.sandbox.control("DELETE", "/journal");
  const run = prompt.spawn("ladder export Standard --limit 5000");
  run.child.stdout!.once("data", () => run.child.stdout!.destroy());
  const { code, stderr } = await run.ended;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/error|EPIPE/u);
  // A page is larger than a pipe's buffer; the whole would be ten of them.
  const { entries } = (await service.sandbox.control(
    "GET",
    "/journal?endpoint=leagues.ladder",
  )) as { readonly entries: ReadonlyArray<unknown> };
  expect(entries.length).toBeGreaterThanOrEqual(1);
  expect(entries.length).toBeLessThanOrEqual(2);
});
