/** What people see of records: the lines, without the colours that a pipe does not get. */
import { describe, expect, it } from "vitest";
import { formatOf, render } from "../src/output/ladderFormats.ts";
import * as Views from "../src/output/tables.ts";

const lines = (text: string) => text.split("\n");

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
    expect(lines(Views.characters(all))).toEqual([
      "name       class         level  league  realm",
      "Long Name  Witch             9          pc",
      "B          Elementalist    100          pc",
    ]);
    expect(Views.characters([])).toContain("no characters");
  });

  it("has a character with what it wears, and says nothing of what is not there", () => {
    const shown = Views.character({
      id: "1",
      name: "A",
      realm: "pc",
      class: "Witch",
      level: 1,
      experience: 0,
      inventory: null,
    });
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
    expect(lines(Views.tabs(all))[1]).toMatch(/^a +Tab a +PremiumStash +yes$/u);
    expect(lines(Views.tabs(all))[2]).toMatch(/a$/u);
    expect(lines(Views.tabs(all))[3]).toMatch(/f$/u);
    expect(Views.tabsWithItems(all.slice(0, 1))).toBe("Tab a (PremiumStash)\nEmpty.");
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
    expect(Views.filters([{ ...filter, public: true }])).toMatch(/Mine +pc +Normal +1 +yes/u);
    const shown = Views.filter(filter);
    expect(shown).toMatch(/^lines +2$/mu);
    expect(shown).toMatch(/^valid +no \(version unknown, no date\)$/mu);
    expect(shown).not.toContain("description");
    const accepted = { status: "accepted" as const, filter, error: { code: 1, message: "Later" } };
    expect(Views.filterOutcome(accepted)).toContain("Accepted, and not done yet: Later");
    expect(Views.filterOutcome({ status: "created", filter })).toBe(shown);
  });
});

describe("the service", () => {
  it("has leagues by day, with their rules", () => {
    const league = {
      id: "Standard",
      startAt: "2013-01-23T21:00:00Z",
      rules: [{ id: "x", name: "Solo" }],
    };
    expect(lines(Views.leagues([league]))[1]).toMatch(/^Standard +2013-01-23 +Solo$/u);
    expect(Views.league(league)).toMatch(/^begins +2013-01-23T21:00:00Z$/mu);
    expect(Views.league({ id: "A" })).toBe("league  A");
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
    const [title, , row] = lines(Views.markets(1_772_366_400, [market]));
    expect(title).toBe("Hour of 2026-03-01T12:00, 1 markets");
    expect(row).toMatch(/chaos \/ divine +400 : 2 +190 : 1 +210 : 0$/u);
    expect(Views.markets(undefined, [])).toContain("Hour of the beginning");
  });

  it("has windows with a bar, several under one route", () => {
    const window = { rule: "ip", periodMillis: 60_000, excessMillis: 0 };
    const shown = Views.limits(100, [
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
    ]);
    const [, first, second, third] = lines(shown);
    expect(first).toContain("█".repeat(10) + "·".repeat(10));
    expect(first).toMatch(/1m 30s$/u);
    expect(second).toMatch(/^ +ip +1 +20/u);
    expect(third).toMatch(/\(none\).*no time$/u);
  });
});

describe("ranks", () => {
  const rank = {
    rank: 1,
    character: { id: "c", name: 'A "B"', class: "Witch", level: 100, experience: 5 },
    account: { name: "Some,one" },
  };
  const event = { rank: 1, private_league: { name: "Club", url: "https://x.example" }, time: 9 };

  it("are lines of CSV with quotes where they are needed", () => {
    expect(render([rank], "csv").join("")).toBe(
      'rank,character,class,level,experience,depth,account\r\n1,"A ""B""",Witch,100,5,,"Some,one"\r\n',
    );
    expect(render([event], "csv")[1]).toBe("1,Club,9,https://x.example\r\n");
    expect(render([], "csv")).toHaveLength(1);
  });

  it("are the records themselves as JSON and NDJSON", () => {
    expect(JSON.parse(render([rank, rank], "json").join(""))).toEqual([rank, rank]);
    expect(render([rank, rank], "ndjson").map((line) => JSON.parse(line))).toEqual([rank, rank]);
  });

  it("are a table for people, or say that nobody is there", () => {
    expect(render([event], "table").join("")).toMatch(/^rank +private league +time +url\n/u);
    expect(render([], "table").join("")).toBe("Nobody is on this ladder.\n");
  });

  it("take the form that a file's name asks for", () => {
    expect(["a.csv", "a.json", "a.ndjson", "a.txt", "-"].map(formatOf)).toEqual([
      "csv",
      "json",
      "ndjson",
      undefined,
      undefined,
    ]);
  });
});
