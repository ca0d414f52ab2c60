import {
  identityWords,
  makeWords,
  ParameterInvalid,
  parametersOf,
  requestTarget,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import { describe, expect, it } from "vitest";
import { requestFromWire, responseToWire, urlFromWire } from "../../src/data/serverWords.ts";

const realmWords = { console_a: "box", console_b: "station", game2: "second" };
const words = makeWords({ ...realmWords, livestream: "tv" });

describe("the URL of a request", () => {
  const target = requestTarget as (name: string, request: object, words?: object) => string;
  const names = Object.keys(routes) as ReadonlyArray<RouteName>;
  const NAMES = ["Standard", "pc", "console_a", "box", "a/b", "%2F", "..", "ü&", "日本", "ladder"];

  it.each(names)("of %s is that of the same request in neutral words", (name) => {
    const parameters = parametersOf(name);
    const realms = parameters.find(({ name: key }) => key === "realm")?.words ?? [];
    let compared = 0;
    for (const realm of [undefined, ...realms])
      for (const text of NAMES) {
        const path = parameters.filter((one) => one.in === "path" && one.name !== "realm");
        const given = path.map((one) => [one.name, one.kind === "uint" ? 3600 : text]);
        const request = { ...Object.fromEntries(given), ...(realm === undefined ? {} : { realm }) };
        try {
          const neutral = target(name, request);
          expect(urlFromWire(target(name, request, words), words)).toBe(neutral);
          compared++;
        } catch (error) {
          expect(error).toBeInstanceOf(ParameterInvalid);
        }
      }
    expect(compared).toBeGreaterThan(0);
  });

  it("is left alone with the specification's words, and when it belongs to no operation", () => {
    for (const url of ["/character/console_a?x=1", "/league?realm=%", "/league/%"])
      expect(urlFromWire(url, identityWords)).toBe(url);
    for (const url of [
      "/nothing?realm=box",
      "/league/%",
      "/stash/pc/console_a/s",
      "/league?season=a?b",
    ])
      expect(urlFromWire(url, words)).toBe(url);
    const odd = ["%&type=main", "a+b"].map((text) => urlFromWire(`/league?realm=${text}`, words));
    expect(odd).toEqual(["/league?realm=%25&type=main", "/league?realm=a%20b"]);
  });

  it("has realms that a deployment has swapped", () => {
    const swapped = makeWords({ console_a: "console_b", console_b: "console_a" });
    expect(urlFromWire("/character/console_b/x", swapped)).toBe("/character/console_a/x");
  });
});

describe("small bodies", () => {
  const account = { realm: "console_b", livestream: { name: "N" } };
  const wireAccount = { realm: "station", tv: { name: "N" } };

  it.each<[RouteName, neutral: unknown, wire: unknown]>([
    ["profile.get", { uuid: "u", livestream: 1 }, { uuid: "u", tv: 1 }],
    ["profile.get", { uuid: "u", livestream: 1, tv: 2 }, { uuid: "u", tv: 1, livestream: 2 }],
    ["itemFilters.list", { filters: [{ realm: "console_a" }] }, { filters: [{ realm: "box" }] }],
    ["leagues.get", { league: null }, { league: null }],
    [
      "leagues.ladder",
      { league: { total: 1, entries: [{ account }] } },
      { league: { total: 1, entries: [{ account: wireAccount }] } },
    ],
    [
      "characters.get",
      { character: { realm: "game2", equipment: [{ socketedItems: [{ realm: "game2" }] }] } },
      { character: { realm: "second", equipment: [{ socketedItems: [{ realm: "second" }] }] } },
    ],
  ])("of %s are sent in the deployment's words", (name, neutral, wire) => {
    expect(responseToWire(name, neutral, words)).toEqual(wire);
    expect(responseToWire(name, neutral, identityWords)).toBe(neutral);
  });

  it("are read from filters in the deployment's words", () => {
    const sent = { filter_name: "game2", realm: "game2", filter: "Show" };
    const wire = { ...sent, realm: "second" };
    expect(requestFromWire("itemFilters.create", wire, words)).toEqual(sent);
    expect(requestFromWire("itemFilters.create", wire, identityWords)).toBe(wire);
  });
});
