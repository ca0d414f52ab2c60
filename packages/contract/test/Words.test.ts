import { assert, describe, it } from "@effect/vitest";
import { Account, Profile } from "@game-data/schemas";
import {
  identityWords,
  isIdentity,
  makeWords,
  realmFromWire,
  realmToWire,
  requestFromWire,
  requestToWire,
  responseFromWire,
  responseToWire,
  type Route,
  type RouteName,
  routes,
  type WordsInput,
  WordsInvalid,
} from "../src/index.ts";
import { requestWords, responseWords } from "../src/routes/translate.ts";
import { SIBLINGS_OF_LIVESTREAM } from "../src/Words.ts";
import { document } from "./support/document.ts";

const renamed = { console_a: "box", console_b: "station", game2: "second", livestream: "tv" };
const words = makeWords(renamed);

describe("makeWords", () => {
  it("makeWords adds the specification's words to the words that differ", () => {
    for (const given of [{}, { game2: undefined, livestream: undefined }])
      assert.deepStrictEqual(makeWords(given), identityWords);
    assert.isTrue(isIdentity(makeWords({})));
    for (const other of [words, { ...identityWords, livestream: "tv" }])
      assert.isFalse(isIdentity(other));
    assert.strictEqual(makeWords({ game2: "second" }).console_a, "console_a");
    // A member may have the name of a realm.
    assert.strictEqual(makeWords({ livestream: "game2" }).livestream, "game2");
  });

  const letters = "must be letters, digits, _ and -";
  const none = "must be one of console_a, console_b, game2, livestream";

  it.each<[input: unknown, reason: string, word?: string]>([
    ...[null, [], new Map([["game2", "x"]]), "console_a"].map((input): [unknown, string] => [
      input,
      "must be an object",
    ]),
    [{ game2: "a/b" }, letters, "game2"],
    [{ console_a: 1 }, letters, "console_a"],
    [{ console_a: "box", xbox: "box" }, none, "xbox"],
    [{ ["x".repeat(1e6)]: "a" }, none, "x".repeat(200)],
    [{ console_a: "x", game2: "x" }, "must not be the word of console_a", "game2"],
    [{ game2: "pc" }, "must not be the word of pc", "game2"],
  ])(
    "makeWords throws WordsInvalid with the invalid member and the reason: case %#",
    (input, reason, word) => {
      let error: unknown;
      try {
        makeWords(input as WordsInput);
      } catch (cause) {
        error = cause;
      }
      assert.instanceOf(error, WordsInvalid);
      assert.isFalse(error.isRetryable);
      assert.strictEqual(error.name, "WordsInvalid");
      const named = word === undefined ? {} : { word };
      const message = `Invalid words of a deployment: ${word === undefined ? "" : `${word} `}${reason}.`;
      const help = "https://game-data.github.io/game-data/errors/contract/#wordsinvalid";
      const json = { _tag: "WordsInvalid", ...named, reason, message, help };
      assert.deepStrictEqual<object>(error.toJSON(), json);
    },
  );

  it("makeWords refuses the name of another member of accounts or profiles for `livestream`", () => {
    const members = [Account, Profile].flatMap(({ shape }) =>
      shape.kind === "structure" ? [...shape.members.keys()] : [],
    );
    const others = new Set(members);
    others.delete("livestream");
    assert.deepStrictEqual(new Set(SIBLINGS_OF_LIVESTREAM), others);
    for (const livestream of others)
      assert.throws(() => makeWords({ livestream }), "livestream must not be another");
  });
});

it.each([
  ["console_a", "box"],
  ["console_b", "station"],
  ["game2", "second"],
  ["pc", "pc"],
  ["toString", "toString"],
])("realmToWire and realmFromWire translate %s to %s and back", (neutral, wire) => {
  assert.strictEqual(realmToWire(neutral, words), wire);
  assert.strictEqual(realmToWire(neutral), neutral);
  assert.strictEqual(realmFromWire(wire, words), neutral);
  const swapped = makeWords({ console_a: "console_b", console_b: "console_a" });
  assert.strictEqual(realmFromWire("console_b", swapped), "console_a");
});

describe("small bodies", () => {
  const N = { name: "N" };

  it.each<readonly [RouteName, neutral: unknown, wire: unknown]>([
    ["profile.get", { uuid: "u", livestream: N }, { uuid: "u", tv: N }],
    ["profile.get", { livestream: N, tv: "other" }, { livestream: "other", tv: N }],
    ["itemFilters.list", { filters: [{ realm: "console_a" }] }, { filters: [{ realm: "box" }] }],
    ["itemFilters.update", { filter: { realm: "game2" } }, { filter: { realm: "second" } }],
    [
      "leagues.list",
      { leagues: [{ id: "console_a", realm: "console_a" }, { realm: null }] },
      { leagues: [{ id: "console_a", realm: "box" }, { realm: null }] },
    ],
    [
      "leagues.ladder",
      { league: { total: 1, entries: [{ account: { realm: "console_b", livestream: N } }] } },
      { league: { total: 1, entries: [{ account: { realm: "station", tv: N } }] } },
    ],
    [
      "pvpMatches.ladder",
      { match: { entries: [{ members: [{ account: { realm: "console_a" } }] }] } },
      { match: { entries: [{ members: [{ account: { realm: "box" } }] }] } },
    ],
    [
      "characters.get",
      { character: { realm: "game2", equipment: [{ socketedItems: [{ realm: "game2" }] }] } },
      { character: { realm: "second", equipment: [{ socketedItems: [{ realm: "second" }] }] } },
    ],
  ])("responseToWire and responseFromWire translate the bodies of %s", (name, neutral, wire) => {
    assert.deepStrictEqual(responseToWire(name, neutral, words), wire);
    assert.deepStrictEqual(responseFromWire(name, wire, words), neutral);
  });

  it.each<[RouteName, member: string]>([
    ["itemFilters.get", "filter"],
    ["itemFilters.create", "filter"],
    ["leagues.get", "league"],
    ["pvpMatches.list", "matches"],
    ["pvpMatches.get", "match"],
    ["accountLeagues.list", "leagues"],
    ["characters.list", "characters"],
  ])("responseFromWire translates the realm in the body of %s, under %s", (name, member) => {
    const body = (realm: string) => ({ [member]: member.endsWith("s") ? [{ realm }] : { realm } });
    assert.deepStrictEqual(responseFromWire(name, body("box"), words), body("console_a"));
  });

  it("requestToWire translates the realm of a filter, and requestFromWire translates it back", () => {
    const sent = { filter_name: "game2", realm: "game2", filter: "Show" };
    const wire = { ...sent, realm: "second" };
    assert.deepStrictEqual(requestToWire("itemFilters.create", sent, words), wire);
    assert.deepStrictEqual(requestFromWire("itemFilters.create", wire, words), sent);
  });

  it("responseFromWire and requestToWire return the body itself if there is nothing to translate", () => {
    const body = { leagues: [{ id: "L", realm: "pc" }] };
    for (const translate of [responseFromWire, requestToWire])
      assert.strictEqual(translate("leagues.list", body, words), body);
    assert.strictEqual(responseFromWire("leagues.list", body, identityWords), body);
    for (const other of ["no object", undefined, null, { name: "N" }, { leagues: "no list" }])
      for (const name of ["leagues.list", "profile.get"] as const)
        assert.strictEqual(responseFromWire(name, other, words), other);
  });

  /** Whether a component, or one that it refers to, has a realm or a livestream. */
  const mentions = (name: string, seen = new Set<string>()): boolean => {
    if (seen.has(name)) return false;
    seen.add(name);
    const text = JSON.stringify(document.components["schemas"]![name]);
    return (
      /"(?:realm|livestream)":\{/u.test(text) ||
      [...text.matchAll(/#\/components\/schemas\/(\w+)/gu)].some(([, other]) =>
        mentions(other!, seen),
      )
    );
  };

  it("responseWords has all operations whose body has a realm or a livestream", () => {
    // Items have a realm in game 2 only, and stashes, guild stashes and the stream are game 1 only.
    const gameOneOnly = new Set(["stashes", "guildStashes", "publicStashTabs"]);
    const translated = new Set<string>();
    for (const [name, { results }] of Object.entries<Route>(routes))
      for (const body of Object.values(results))
        if (!gameOneOnly.has(name.split(".")[0]!) && mentions(body)) translated.add(name);
    assert.deepStrictEqual(translated, new Set(Object.keys(responseWords)));
    assert.isTrue(mentions("FilterCreate") && mentions("FilterUpdate"));
    assert.deepStrictEqual(Object.keys(requestWords), ["itemFilters.create", "itemFilters.update"]);
  });

  it("responseFromWire translates items in sockets up to 32 levels", () => {
    const nest = (depth: number, list = "equipment") => {
      let nested: Record<string, unknown> = { realm: "second" };
      for (let level = 0; level < depth; level++) nested = { socketedItems: [nested] };
      return { character: { [list]: [nested] } };
    };
    const translated = (...nested: Parameters<typeof nest>) =>
      JSON.stringify(responseFromWire("characters.get", nest(...nested), words));
    for (const list of ["skills", "inventory", "rucksack", "jewels"])
      assert.include(translated(1, list), '"realm":"game2"', list);
    assert.include(translated(32), '"realm":"game2"');
    assert.include(translated(33), '"realm":"second"');
    responseFromWire("characters.get", nest(100_000), words);
  });
});
