/** Views of records for people: the lines, without the colours that a pipe does not get. */
import { describe, expect, it } from "vitest";
import type { Rank } from "@game-data/api-client";
import { render, type View } from "@game-data/terminal/View";
import { formatForPath, ladderTable, ladderWriters } from "../src/output/ladder.ts";
import * as tables from "../src/output/tables.ts";

const text = (view: View) => render(view, { color: false });
const linesOf = (view: View) => text(view).split("\n");

const tab = (id: string, more: object = {}) => ({
  id,
  name: `Tab ${id}`,
  type: "PremiumStash",
  metadata: {},
  ...more,
});

describe("the account", () => {
  it("has characters, a line each", () => {
    const all = [
      { id: "1", name: "Long Name", realm: "pc", class: "Witch", level: 9, experience: 1 },
      { id: "2", name: "B", realm: "pc", class: "Elementalist", level: 100, experience: 2 },
    ];
    expect(linesOf(tables.characters(all))).toEqual([
      "name       class         level  league  realm",
      "Long Name  Witch             9          pc",
      "B          Elementalist    100          pc",
    ]);
    expect(text(tables.characters([]))).toContain("No characters");
  });

  it("has a character with what it wears, and says nothing of what is not there", () => {
    const shown = text(
      tables.character({
        id: "1",
        name: "A",
        realm: "pc",
        class: "Witch",
        level: 1,
        experience: 0,
        inventory: null,
      }),
    );
    expect(shown).toMatch(/inventory +0 items/u);
    expect(shown).not.toContain("jewels");
    expect(shown).toContain("No equipment.");
  });

  it("has tabs with their parents, and tabs with their items", () => {
    const all = [
      tab("a", { metadata: { public: true }, items: null }),
      tab("b", { parent: "a" }),
      tab("c", { folder: "f" }),
    ];
    expect(linesOf(tables.tabs(all))[1]).toMatch(/^a +Tab a +PremiumStash +yes$/u);
    expect(linesOf(tables.tabs(all))[2]).toMatch(/a$/u);
    expect(linesOf(tables.tabs(all))[3]).toMatch(/f$/u);
    expect(text(tables.tabsWithItems(all.slice(0, 1)))).toBe("Tab a (PremiumStash)\nEmpty.");
  });

  it("has filters, with what their validation found, and what is not done yet", () => {
    const filter = {
      id: "f",
      filter_name: "Mine",
      realm: "pc",
      description: "",
      version: "1",
      type: "Normal",
      filter: "Show\nHide\n",
      validation: { valid: false, version: null, validated: null },
    };
    expect(text(tables.filters([{ ...filter, public: true }]))).toMatch(
      /Mine +pc +Normal +1 +yes/u,
    );
    const shown = text(tables.filter(filter));
    expect(shown).toMatch(/^lines +2$/mu);
    expect(shown).toMatch(/^valid +no \(version unknown, no date\)$/mu);
    expect(shown).not.toContain("description");
    const accepted = { status: "accepted" as const, filter, error: { code: 1, message: "Later" } };
    expect(text(tables.filterOutcome(accepted))).toContain(
      "Accepted, but not processed yet: Later",
    );
    expect(text(tables.filterOutcome({ status: "created", filter }))).toBe(shown);
  });
});

describe("the service", () => {
  it("has leagues by day, with their rules", () => {
    const league = {
      id: "Standard",
      startAt: "2013-01-23T21:00:00Z",
      rules: [{ id: "x", name: "Solo" }],
    };
    expect(linesOf(tables.leagues([league]))[1]).toMatch(/^Standard +2013-01-23 +Solo$/u);
    expect(text(tables.league(league))).toMatch(/^begins +2013-01-23T21:00:00Z$/mu);
    expect(text(tables.league({ id: "A" }))).toBe("league  A");
  });

  it("has an hour of markets, with the currencies in the order of their id", () => {
    const market = {
      league: "Standard",
      market_id: "chaos|divine",
      volume_traded: { divine: 2, chaos: 400 },
      lowest_stock: {},
      highest_stock: {},
      lowest_ratio: { chaos: 190, divine: 1 },
      highest_ratio: { chaos: 210 },
    };
    const [title, , row] = linesOf(tables.markets(1_772_366_400, [market]));
    expect(title).toBe("Hour of 2026-03-01T12:00, 1 markets");
    expect(row).toMatch(/chaos \/ divine +400 : 2 +190 : 1 +210 : 0$/u);
    expect(text(tables.markets(undefined, []))).toContain("First hour");
  });

  it("has windows with a bar, several under one route, and fits 80 columns", () => {
    const window = { rule: "ip", periodMillis: 60_000, excessMillis: 0, foreign: 0 };
    const shown = text(
      tables.limits(100, [
        {
          route: "GET /league",
          policy: "league",
          limits: "learned",
          windows: [
            { ...window, max: 10, used: 5 },
            { ...window, max: 20, used: 1 },
          ],
          forecastMillis: 90_000,
        },
        {
          route: "GET /profile",
          policy: "unknown",
          limits: "none",
          windows: [],
          forecastMillis: 0,
        },
      ]),
    );
    expect(Math.max(...linesOf(shown).map((line) => line.length))).toBeLessThanOrEqual(80);
    const [, route, first, second, third] = linesOf(shown);
    expect(route).toMatch(/^GET \/league +1m 30s$/u);
    expect(first).toMatch(/^ {2}ip, league +5 of 10 +1m +█{5}·{5}$/u);
    expect(second).toMatch(/^ {2}ip, league +1 of 20 /u);
    expect(third).toMatch(/^GET \/profile +none +no time$/u);
  });
});

describe("ranks", () => {
  const rank = {
    rank: 1,
    character: { id: "c", name: 'A "B"', class: "Witch", level: 100, experience: 5 },
    account: { name: "Some,one" },
  };
  const event = { rank: 1, private_league: { name: "Club", url: "https://x.example" }, time: 9 };

  const written = (format: keyof typeof ladderWriters, ranks: ReadonlyArray<Rank>) => {
    const { end, rank: write, start } = ladderWriters[format];
    return start(ranks[0]) + ranks.map(write).join("") + end;
  };

  it("are lines of CSV with quotes where they are needed", () => {
    expect(written("csv", [rank])).toBe(
      'rank,character,class,level,experience,depth,account\r\n1,"A ""B""",Witch,100,5,,"Some,one"\r\n',
    );
    expect(written("csv", [event])).toContain("\r\n1,Club,9,https://x.example\r\n");
    expect(written("csv", [])).toMatch(/^rank,character.*\r\n$/u);
  });

  it("are the records themselves as JSON and NDJSON", () => {
    expect(JSON.parse(written("json", [rank, rank]))).toEqual([rank, rank]);
    expect(JSON.parse(written("json", []))).toEqual([]);
    const lines = written("ndjson", [rank, rank]).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([rank, rank]);
  });

  it("take the format from a file's extension", () => {
    const formats = ["a.csv", "a.json", "a.ndjson", "a.txt", "-"].map(formatForPath);
    expect(formats).toEqual(["csv", "json", "ndjson", undefined, undefined]);
  });

  it("hold no formula in CSV, unless they are raw", () => {
    const { account } = rank;
    const formula = {
      ...rank,
      account,
      character: { ...rank.character, name: "=cmd|'/C calc'!A0" },
    };
    expect(written("csv", [formula])).toContain("1,'=cmd|'/C calc'!A0,Witch");
    expect(written("csv-raw", [formula])).toContain("1,=cmd|'/C calc'!A0,Witch");
  });

  it("are a table for people, or say that the ladder is empty", () => {
    expect(text(ladderTable([event]))).toMatch(/^rank +private league +time +url\n/u);
    expect(text(ladderTable([]))).toBe("The ladder is empty.");
  });
});
