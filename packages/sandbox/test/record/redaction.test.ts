/** What redaction leaves of records: the table of paths, and hostile bodies. */
import { bodies } from "@game-data/contract/results";
import type { RouteName } from "@game-data/contract/routes";
import { describe, expect, it } from "vitest";
import type { Shaped } from "../../src/internal/mapShape.ts";
import { Redaction } from "../../src/record/Redaction.ts";
import { stringTable } from "../../src/record/stringTable.ts";

const redaction = new Redaction();
const redacted = (endpoint: RouteName, value: unknown): any => {
  const found = redaction.body(endpoint, value);
  if ("reason" in found) throw new Error(found.reason);
  return found.value;
};

/** The paths of all strings of the records that answers hold. */
const stringPaths = (): ReadonlySet<string> => {
  const seen = new Set<Shaped>();
  const paths = new Set<string>();
  const visit = (path: string, shape: any): void => {
    if (typeof shape === "string") return /[sa]/u.test(shape) ? void paths.add(path) : undefined;
    if (typeof shape === "function") return visitRecord(shape());
    if (!Array.isArray(shape))
      return Object.entries(shape).forEach(([name, member]) =>
        visit(`${path}.${name.replace(/\?$/u, "")}`, member),
      );
    const [tag, ...parts] = shape;
    if (tag === "@") return visitRecord(parts[0]);
    if (tag === "=")
      return parts.some((one) => typeof one === "string") ? void paths.add(path) : undefined;
    const inner = tag === "?" ? Object.values(parts[2]) : tag === "(" ? parts.slice(1) : parts;
    return inner.forEach((one) => visit(path, one));
  };
  const visitRecord = (record: Shaped): void => {
    if (seen.has(record)) return;
    seen.add(record);
    visit(record.name, record.shape);
  };
  for (const [name, record] of Object.entries(bodies))
    if (!/^(?:FilterCreate|FilterUpdate|FilterAccepted)$/u.test(name))
      visitRecord(record as Shaped);
  return paths;
};

describe("redaction", () => {
  it("knows no string that the records do not have, and empties those that it does not know", () => {
    const paths = stringPaths();
    expect(paths.size).toBeGreaterThan(150);
    expect([...stringTable.keys()].filter((path) => !paths.has(path))).toEqual([]);
    for (const path of ["League.description", "League.goal", "Item.flavourTextNote"])
      expect([path, stringTable.has(path)]).toEqual([path, false]);
    const { league } = redacted("leagues.get", {
      league: { id: "Standard", description: "Ours, says Somebody", goal: "for Somebody" },
    });
    expect(league).toEqual({ id: "Standard", description: "", goal: "" });
  });

  it("keeps words of the game and prices, and leaves nothing of what nobody knows", () => {
    const items = [
      { typeLine: "Sword", name: "Doom", note: "~price 3 chaos", id: "a1B2" },
      { typeLine: "Axe", note: "ask Somebody", tomorrow: { Somebody: 1 }, other: 12_345, w: "2" },
    ];
    const { stash } = redacted("stashes.get", { stash: { name: "Somebody", items } });
    expect(stash).toEqual({
      name: redaction.person("Somebody"),
      items: [
        { typeLine: "Sword", name: "Doom", note: "~price 3 chaos", id: redaction.id("a1B2") },
        { typeLine: "Axe", note: "", w: "" },
      ],
    });
    expect(redaction.id("a1B2")).toMatch(/^[a-f]\d[A-F]\d$/u);
    const uuid = "11111111-1111-4111-8111-111111111111";
    expect(redaction.id(uuid)).toMatch(/^\d{8}-\d{4}-4\d{3}-8\d{3}-\d{12}$/u);
    expect(redaction.id(uuid)).not.toBe(uuid);
  });

  it("leaves no name in the key of a dictionary or of a member that nobody knows", () => {
    const volume_traded = { Zorblax: 1, "ember-shard": 2 };
    const markets = [{ league: "Standard", market_id: "a|b", volume_traded }];
    const page = { next_change_id: 3600, markets, Zorblax: 1 };
    const text = JSON.stringify(redacted("currencyExchange.page", page));
    expect(text).toContain("ember-shard");
    expect(text).not.toContain("Zorblax");
  });

  it("hides a private league, a name in a URL, and the same name in parameters", () => {
    const league = { id: "Somebody's (PL1234)", name: "Somebody's (PL1234)", url: "/Somebody" };
    const after = redacted("leagues.get", { league }).league;
    expect(after.id).toMatch(/^Private league \(PL\d{4}\)$/u);
    expect(after).toEqual({ id: after.id, name: after.id, url: "" });
    expect(redaction.parameters({ league: league.id, name: "Emberlyn", stash_id: "ab" })).toEqual({
      league: after.id,
      name: redaction.person("Emberlyn"),
      stash_id: redaction.id("ab"),
    });
    expect(redacted("leagues.get", { league: { id: "Standard", realm: "pc" } })).toEqual({
      league: { id: "Standard", realm: "pc" },
    });
  });

  it("gives one person one pseudonym, which no other one has, and another one in another recording", () => {
    const person = (value: string, key = 1) =>
      new Redaction(new Uint8Array(32).fill(key)).person(value);
    expect(person("Emberlyn#4071")).toMatch(/^P[a-z]{7}#(?!4071)\d{4}$/u);
    expect(person("Emberlyn#4071")).toBe(person("Emberlyn#4071"));
    expect(person("Emberlyn#4071", 2)).not.toBe(person("Emberlyn#4071"));
    expect(person("\ud801")).not.toBe(person("\ud800"));
    const names = Array.from({ length: 1000 }, (_, i) => (i % 4 === 0 ? `A#${i}` : i.toString(36)));
    const pseudonyms = names.map((name) => redaction.person(name));
    expect(new Set(pseudonyms).size).toBe(names.length);
    expect(names.map((name) => redaction.person(name))).toEqual(pseudonyms);
  });

  it("leaves a body out with a name of an earlier answer in a member that is kept", () => {
    const session = new Redaction();
    session.body("profile.get", { uuid: "a", name: "Zorblax of Old#9876", realm: "pc" });
    const tab = (typeLine: string) =>
      session.body("stashes.get", { stash: { name: "A", items: [{ typeLine }] } });
    expect(tab("Card of Zorblax of Old#9876")).toHaveProperty("reason");
    expect(tab("Card of Zorblax")).toHaveProperty("value");
  });

  it("leaves a body out whose name stands in a member that is kept", () => {
    const items = [{ typeLine: "Axe of Somebody" }];
    const stash = {
      id: "b".repeat(64),
      public: true,
      accountName: "Somebody",
      stashType: "A",
      items,
    };
    const page = { next_change_id: "1-1", stashes: [stash] };
    expect(redaction.body("publicStashTabs.page", page)).toHaveProperty("reason");
  });
});
