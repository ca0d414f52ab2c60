/** The story on captured answers: captured here, from a sandbox, so that every figure is known. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSandboxHandler } from "@game-data/sandbox";
import { encode } from "@game-data/tree-link";
import { afterEach, beforeEach, expect, it } from "vitest";
import { comparisonsIn, runTour } from "./support/runTour.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "game-data-tour-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = async (path: string, value: unknown) => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), JSON.stringify(value));
};

const SERVICE = [
  "service:leagues",
  "service:leagues:ladder",
  "service:psapi",
  "service:cxapi",
] as const;
const ACCOUNT = ["account:profile", "account:characters", "account:stashes"] as const;

/** Answers of another world than the one that the tour would generate. */
const capture = async (endpoints: Readonly<Record<string, string>>) => {
  const sandbox = await createSandboxHandler({ seed: 7, world: { streamHistoryPages: 3 } });
  try {
    for (const [path, url] of Object.entries(endpoints)) {
      const isService = /league|public|exchange/u.test(url);
      const token = await sandbox.token({ scopes: isService ? SERVICE : ACCOUNT });
      const response = await sandbox.fetch(
        new Request(`${sandbox.baseUrl}${url}`, { headers: { authorization: `Bearer ${token}` } }),
      );
      expect(response.status).toBe(200);
      await put(path, await response.json());
    }
  } finally {
    await sandbox.close();
  }
};

const LINK = {
  payload: encode({ version: 5, class: 2, ascendancy: 1, hashes: [7, 9], extendedHashes: [] }),
  version: 5,
  status: "exact",
  expected: { class: 2, ascendancy: 1, hashes: [7, 9], extended: [], masteries: [] },
};

const CHARACTER = {
  id: "0".repeat(64),
  name: "Alone",
  realm: "pc",
  class: "Witch",
  league: "Standard",
  level: 1,
  experience: 0,
};

it("ends with the counts of the files", async () => {
  await capture({
    "profile.json": "/profile",
    "characters.json": "/character",
    "stashes.json": "/stash/Standard",
    "leagues.json": "/league",
    "ladder.json": "/league/Standard/ladder?limit=40",
    "stream/1.json": "/public-stash-tabs",
    "exchange/1.json": "/currency-exchange",
  });
  const malformed = { payload: "AAAABgAA", version: 6, status: "malformed" };
  await put("tree-links.json", [LINK, malformed]);
  const passives = { hashes: [7, 9], hashes_ex: [], mastery_effects: { "9": 47_642 } };
  await put("passives.json", { kind: "Character.passives", records: [passives] });

  const { err, exit, out } = await runTour(["--replay", folder, "--pages", "3"]);
  expect(err).toBe("");
  expect(exit).toBe(0);
  expect(out).not.toContain("skipped:");
  expect(out).toContain("14 steps passed");
  const counts = comparisonsIn(out);
  for (const [tour, files] of Object.values(counts)) expect(tour).toBe(files);
  expect(counts).toMatchObject({
    changes: [150, 150],
    "entries of the ladder": [40, 40],
    hours: [1, 1],
    leagues: [10, 10],
    "links read exactly": [1, 1],
    "links rejected": [1, 1],
  });
  expect(counts["stashes listed"]?.[0]).toBeGreaterThan(20);
  expect(counts["characters listed"]?.[0]).toBeGreaterThan(5);
});

it("says what is not captured, and takes the generated world for it", async () => {
  await put("tree-links.json", [LINK]);
  const { exit, out } = await runTour(["--replay", folder, "--pages", "3"]);
  expect(out).toContain("Not captured, so generated: changes, stashes listed, items in stashes.");
  expect(out).toContain("Not captured, so generated: characters listed,");
  expect(exit).toBe(0);
});

it("takes what is captured alone: a tab, a character, more leagues than one page has", async () => {
  const tab = { id: "00000000aa", name: "A", type: "NormalStash", metadata: {}, items: [] };
  await put("tab.json", { stash: tab });
  await put("character.json", { character: { ...CHARACTER, equipment: [] } });
  await put("leagues.json", { leagues: Array.from({ length: 60 }, (_, id) => ({ id: `L${id}` })) });
  const { err, exit, out } = await runTour(["--replay", folder, "--pages", "3"]);
  expect(err).toBe("");
  expect(exit).toBe(0);
  expect(comparisonsIn(out)).toEqual({
    "items of single characters": [0, 0],
    "tabs with items": [1, 1],
    "items in tabs": [0, 0],
  });
  expect(out).toContain("50 leagues");
});

it("goes on without refused records, names them by file and pointer, and ends with 1", async () => {
  await capture({
    "profile.json": "/profile",
    "characters.json": "/character",
    "leagues.json": "/league",
    "stream/1.json": "/public-stash-tabs",
  });
  const spoil = async (path: string, edit: (body: any) => void) => {
    const body = JSON.parse(await readFile(join(folder, path), "utf8")) as unknown;
    edit(body);
    await put(path, body);
  };
  await spoil("characters.json", ({ characters }) => (characters[1].level = "high"));
  await spoil("stream/1.json", ({ stashes }) => {
    stashes[0].public = true;
    stashes[0].items = [{ id: 7 }];
  });
  await put("character.json", { character: { ...CHARACTER, experience: null } });

  const { err, exit, out } = await runTour(["--replay", folder, "--pages", "3"]);
  expect(exit).toBe(1);
  expect(out).toContain("12 steps passed, 2 skipped");
  expect(out).toMatch(/refused +2 records/u);
  const counts = comparisonsIn(out);
  for (const [tour, files] of Object.values(counts)) expect(tour).toBe(files);
  expect(counts).toMatchObject({ changes: [150, 150], leagues: [10, 10] });
  expect(out).toMatch(/character\.json +\/character\/experience/u);
  expect(out).toMatch(/characters\.json +\/characters\/1\/level/u);
  expect(err).toContain("2 captured records were refused");

  const machine = await runTour(["--replay", folder, "--pages", "3", "--json"]);
  expect(machine.exit).toBe(1);
  const steps = JSON.parse(machine.out) as ReadonlyArray<{
    readonly refused?: ReadonlyArray<object>;
  }>;
  expect(steps.flatMap(({ refused = [] }) => refused)).toContainEqual(
    expect.objectContaining({ file: "characters.json", pointer: "/characters/1/level" }),
  );
  const last = machine.err.trimEnd().split("\n").at(-1)!;
  expect(JSON.parse(last).error).toMatchObject({ code: "RecordsRefused", exitCode: 1 });
});

it("replays a recording, with its hour that is not complete, and counts what is not served", async () => {
  const item = (file: string, endpoint: string, parameters = {}) => ({
    file,
    endpoint,
    parameters,
  });
  const next = 1_790_474_400;
  await put("1.json", { leagues: [{ id: "Standard" }] });
  await put("2.json", { leagues: [{ id: "Standard" }, { id: "Mine (PL1)" }] });
  await put("3.json", { next_change_id: next, markets: [] });
  await put("4.json", { next_change_id: next, markets: [] });
  await put("5.json", { match: null });
  await put("manifest.json", {
    version: 2,
    answers: [
      item("1.json", "leagues.list"),
      item("2.json", "accountLeagues.list"),
      item("3.json", "currencyExchange.page", { id: next - 3600 }),
      item("4.json", "currencyExchange.page", { id: next }),
      item("5.json", "pvpMatches.get", { match: "x" }),
    ],
  });
  const { err, exit, out } = await runTour(["--replay", folder, "--pages", "3"]);
  expect([err, exit]).toEqual(["", 0]);
  expect(out).toMatch(/not served +2 files: a response to a request that the tour does not send/u);
  expect(comparisonsIn(out)).toMatchObject({ leagues: [1, 1], hours: [1, 1] });
});

it("ends with 1 when a figure differs", async () => {
  await put("tree-links.json", [{ ...LINK, expected: { ...LINK.expected, class: 3 } }]);
  const { err, exit, out } = await runTour(["--replay", folder, "--pages", "3"]);
  expect(err).toContain("counts differ from the files: links read exactly");
  expect(out).not.toContain("steps passed");
  expect(exit).toBe(1);
});

it("ends with 1 when the folder holds something else", async () => {
  await writeFile(join(folder, "profile.json"), "no JSON");
  const { err, exit } = await runTour(["--replay", folder, "--pages", "3"]);
  expect(err).toContain("profile.json");
  expect(exit).toBe(1);
});
