import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSandboxHandler } from "@game-data/sandbox";
import { openData } from "./harness.ts";

const folder = mkdtempSync(join(tmpdir(), "replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, value: unknown): string => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  const text = JSON.stringify(value);
  writeFileSync(join(folder, path), text);
  return text;
};

const id = (digit: string) => digit.repeat(64);
const unlisted = (digit: string) => ({
  id: id(digit),
  public: false,
  items: [],
  stashType: "PremiumStash",
});
const first = write("public-stash/page-1.json", {
  next_change_id: "1-1",
  stashes: [unlisted("1")],
  captured: true,
});
const second = write("public-stash/page-2.json", {
  next_change_id: "2-2",
  stashes: [unlisted("2")],
});
write("public-stash/console_a/page.json", { next_change_id: "9-9", stashes: [unlisted("9")] });
write("exchange/pc-3600.json", { next_change_id: 7200, markets: [] });
const later = write("exchange/pc-later.json", {
  next_change_id: 14_400,
  markets: [{ league: "Captured" }],
});
write("character/one.json", { character: { name: "Captured", level: 3 } });
write("character/list.json", { characters: [{ name: "Captured" }] });
write("league/list.json", { leagues: [{ id: "Old" }, { id: "Race", event: true }] });
write("ladder/ladder.json", {
  league: { total: 3, entries: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] },
});
write("stash/tab.json", { stash: { id: "00000000aa", name: "Captured", items: [] } });
write("broken.json", "nothing of ours");
writeFileSync(join(folder, "torn.json"), "{");

const sandbox = await openData({ replay: folder });
const { get } = sandbox;

describe("replaying a folder", () => {
  it("serves pages of the stash stream as they were captured, chained by their own ids", async () => {
    expect((await get("/public-stash-tabs")).text).toBe(first);
    expect((await get("/public-stash-tabs?id=1-1")).text).toBe(second);
    expect((await get("/public-stash-tabs?id=2-2")).body).toEqual({
      next_change_id: "2-2",
      stashes: [],
    });
    expect((await get("/public-stash-tabs?id=3-3")).status).toBe(400);
  });

  it("keeps the realms apart, and generates those that were not captured", async () => {
    expect((await get("/public-stash-tabs/console_a")).body.stashes[0].id).toBe(id("9"));
    expect((await get("/public-stash-tabs/console_b")).body.stashes).toHaveLength(150);
  });

  it("serves exchange hours, and leads over those that were not captured", async () => {
    expect((await get("/currency-exchange")).body.next_change_id).toBe(7200);
    expect((await get("/currency-exchange/7200")).text).toBe(later);
    expect((await get("/currency-exchange/14400")).body).toEqual({
      next_change_id: 14_400,
      markets: [],
    });
    expect((await get("/currency-exchange/7201")).status).toBe(400);
  });

  it("looks records up, and cuts lists, as generated ones would be", async () => {
    expect((await get("/character/Captured")).body.character.level).toBe(3);
    expect((await get("/character/Nobody")).body).toEqual({ character: null });
    expect((await get("/character")).body.characters).toEqual([{ name: "Captured" }]);
    expect((await get("/league")).body.leagues).toEqual([{ id: "Old" }]);
    expect((await get("/league?type=event")).body.leagues).toEqual([{ id: "Race", event: true }]);
    expect((await get("/league/Old")).body.league).toEqual({ id: "Old" });
    expect((await get("/league/None")).body.league).toBeNull();
    const { league } = (await get("/league/Old/ladder?offset=1&limit=1")).body;
    expect(league).toEqual({ total: 3, entries: [{ rank: 2 }] });
    expect((await get("/stash/Any/00000000aa")).body.stash.name).toBe("Captured");
  });

  it("generates the kinds that were not captured", async () => {
    expect((await get("/profile")).body.uuid).toBe(sandbox.accounts[0]!.uuid);
    expect((await get("/stash/Standard")).body.stashes.length).toBeGreaterThan(3);
    expect((await get("/item-filter")).body.filters).toHaveLength(2);
  });

  it("asks for the same token and scope as ever, and refuses the same requests", async () => {
    expect((await sandbox.request("/public-stash-tabs", undefined)).status).toBe(401);
    expect((await sandbox.get("/public-stash-tabs", sandbox.user)).status).toBe(403);
    expect((await get("/league/Old/ladder?limit=501")).status).toBe(400);
  });

  it("puts files of one id together: they are parts of a page", async () => {
    const parts = mkdtempSync(join(tmpdir(), "replay-parts-"));
    for (const digit of ["1", "2"]) {
      writeFileSync(
        join(parts, `${digit}.json`),
        JSON.stringify({ next_change_id: "5-5", stashes: [unlisted(digit)] }),
      );
    }
    writeFileSync(
      join(parts, "manifest.json"),
      JSON.stringify([{ file: "2.json" }, { file: "1.json" }, { file: "no.json" }]),
    );
    const other = await openData({ replay: parts });
    const { body } = await other.get("/public-stash-tabs");
    expect(body.stashes.map((one: any) => one.id)).toEqual([id("2"), id("1")]);
    expect((await other.get("/public-stash-tabs?id=5-5")).body.stashes).toEqual([]);
    rmSync(parts, { recursive: true, force: true });
  });

  it("keeps two answers apart that lead to one id and have a stash in common", async () => {
    const folder2 = mkdtempSync(join(tmpdir(), "replay-apart-"));
    const bodies = ["1", "2"].map((digit) => ({
      next_change_id: "5-5",
      stashes: [unlisted("1"), unlisted(`${digit}`)].slice(digit === "1" ? 1 : 0),
    }));
    bodies.forEach((body, index) =>
      writeFileSync(join(folder2, `${index}.json`), JSON.stringify(body)),
    );
    const other = await openData({ replay: folder2 });
    expect((await other.get("/public-stash-tabs")).body).toEqual(bodies[0]);
    expect((await other.get("/public-stash-tabs")).body).toEqual(bodies[1]);
    expect((await other.get("/public-stash-tabs")).body).toEqual(bodies[1]);
    rmSync(folder2, { recursive: true, force: true });
  });

  it("serves a page for the id by which it was asked, whatever id it leads to", async () => {
    const folder2 = mkdtempSync(join(tmpdir(), "replay-asked-"));
    const entries = [null, "1-1", "2-2"].map((asked, index) => {
      const file = `${index}.json`;
      writeFileSync(
        join(folder2, file),
        JSON.stringify({ next_change_id: "9-9", stashes: [unlisted(String(index))] }),
      );
      return { file, asked };
    });
    writeFileSync(join(folder2, "manifest.json"), JSON.stringify(entries));
    const other = await openData({ replay: folder2 });
    for (const [index, { asked }] of entries.entries()) {
      const path = `/public-stash-tabs${asked === null ? "" : `?id=${asked}`}`;
      expect((await other.get(path)).body.stashes[0].id).toBe(id(String(index)));
    }
    expect((await other.get("/public-stash-tabs?id=9-9")).body.stashes).toEqual([]);
    rmSync(folder2, { recursive: true, force: true });
  });

  it("does not start over a folder that cannot be read", async () => {
    await expect(createSandboxHandler({ replay: join(folder, "nowhere") })).rejects.toThrow(
      /folder to replay cannot be read/u,
    );
  });
});
