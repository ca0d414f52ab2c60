import { assert, describe, it } from "@effect/vitest";
import { Account, Profile } from "@game-data/schemas";
import { pageLimit } from "../src/Limits.ts";
import {
  identityWords,
  isIdentity,
  makeWords,
  ParameterInvalid,
  realmFromWire,
  realmToWire,
  requestToWire,
  responseFromWire,
  urlOf,
  type Route,
  type RouteName,
  routes,
  type Words,
  type WordsInput,
  WordsInvalid,
} from "../src/index.ts";
import { requestWords, responseWords } from "../src/routes/translate.ts";
import { SIBLINGS_OF_LIVESTREAM } from "../src/Words.ts";
import { document } from "./support/document.ts";

const words = makeWords({
  console_a: "box",
  console_b: "station",
  game2: "second",
  livestream: "tv",
});

/**
 * Whether a component, or one that it refers to, has a member that holds one of a deployment's
 * words.
 */
const mentions = (
  schemas: Readonly<Record<string, unknown>>,
  name: string,
  seen = new Set<string>(),
): boolean => {
  if (seen.has(name)) return false;
  seen.add(name);
  const text = JSON.stringify(schemas[name]);
  return (
    /"(?:realm|livestream)":\{/u.test(text) ||
    [...text.matchAll(/#\/components\/schemas\/(\w+)/gu)].some(([, other]) =>
      mentions(schemas, other!, seen),
    )
  );
};

describe("words", () => {
  it("are the specification's where nothing else is said", () => {
    for (const given of [{}, { game2: undefined, livestream: undefined }])
      assert.deepStrictEqual(makeWords(given), identityWords);
    assert.isTrue(isIdentity(makeWords({})));
    for (const other of [words, { ...identityWords, livestream: "tv" }])
      assert.isFalse(isIdentity(other));
    assert.strictEqual(makeWords({ game2: "second" }).console_a, "console_a");
    // A member may be called like a realm.
    assert.strictEqual(makeWords({ livestream: "game2" }).livestream, "game2");
  });

  it.each([
    ["console_a", "box"],
    ["console_b", "station"],
    ["game2", "second"],
    ["pc", "pc"],
    ["toString", "toString"],
  ])("translate the realms and nothing else, and keep pc: %s is %s", (neutral, wire) => {
    assert.strictEqual(realmToWire(neutral, words), wire);
    assert.strictEqual(realmToWire(neutral), neutral);
    assert.strictEqual(realmFromWire(wire, words), neutral);
  });

  it("may be swapped with each other", () => {
    const swapped = makeWords({ console_a: "console_b", console_b: "console_a" });
    assert.strictEqual(realmFromWire("console_b", swapped), "console_a");
  });

  const fail = () => assert.fail("s3cr3t");
  const letters = "must be letters, digits, _ and -";
  const none = "is none of console_a, console_b, game2, livestream";

  it.each<[input: unknown, reason: string, word?: string]>([
    ...[null, [], new Map([["game2", "x"]]), "console_a", 1, fail].map(
      (input): [unknown, string] => [input, "must be an object"],
    ),
    [new Proxy({}, { get: fail, ownKeys: fail }), "must be an object"],
    [new Proxy({ game2: "" }, { get: fail }), "must be readable", "game2"],
    [{ game2: "" }, letters, "game2"],
    [{ game2: "a/b" }, letters, "game2"],
    [{ console_a: 1 }, letters, "console_a"],
    [{ console_a: "box", xbox: "box" }, none, "xbox"],
    [{ __proto__: null, constructor: "x" }, none, "constructor"],
    [{ ["x".repeat(1e6)]: "a" }, none, "x".repeat(200)],
    [{ console_a: "x", game2: "x" }, "must not be the word of console_a", "game2"],
    [{ game2: "pc" }, "must not be the word of pc", "game2"],
  ])("name the member that is wrong, for they come from files: %#", (input, reason, word) => {
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
    const help = "https://game-data.github.io/game-data/errors/wordsinvalid/";
    const json = { _tag: "WordsInvalid", ...named, reason, message, help };
    assert.deepStrictEqual<object>(error.toJSON(), json);
  });

  it("are read from members of a class and of JSON as well", () => {
    class Second {
      get game2() {
        return "second";
      }
    }
    assert.strictEqual(makeWords(new Second()).game2, "second");
    assert.strictEqual(makeWords(JSON.parse('{"console_a":"box"}') as WordsInput).console_a, "box");
  });
});

it("refuses the word of another member of an account or a profile for `livestream`", () => {
  const members = [Account, Profile].flatMap(({ shape }) =>
    shape.kind === "structure" ? [...shape.members.keys()] : [],
  );
  const others = new Set(members);
  others.delete("livestream");
  assert.deepStrictEqual(new Set(SIBLINGS_OF_LIVESTREAM), others);
  for (const livestream of others)
    assert.throws(() => makeWords({ livestream }), "livestream must not be another");
});

it("reads no inherited name as an operation, and names what is none", () => {
  for (const name of ["toString", "__proto__", "leagues.List"] as ReadonlyArray<any>) {
    for (const translate of [responseFromWire, requestToWire])
      assert.throws(() => translate(name, {}, words), ParameterInvalid, "operation is unknown");
    assert.throws(() => pageLimit(name), ParameterInvalid, "operation is unknown");
  }
  assert.throws(() => pageLimit("profile.get" as never), ParameterInvalid, "limit is unknown");
});

describe("the URL of a request", () => {
  it("takes the words that differ alone", () => {
    const request = { realm: "console_a" } as const;
    const at = (given: unknown) => {
      const place = { baseUrl: "https://a.example", words: given as WordsInput };
      return urlOf(place, "characters.list", request);
    };
    for (const given of [{ game2: "second" }, {}, null])
      assert.strictEqual(at(given), "https://a.example/character/console_a");
    const thrower = { toString: () => assert.fail("s3cr3t") };
    for (const game2 of ["..", "", "\ud800", "pc", "console_a", 5, Symbol("x"), thrower])
      assert.throws(() => at({ game2 }), /^characters\.list: words must (?:be|not be) [^:]+\.$/u);
    const profile = { livestream: 1 };
    const translated = responseFromWire("profile.get", profile, { game2: "second" } as Words);
    assert.strictEqual(translated, profile);
  });
});

describe("small bodies", () => {
  const N = { name: "N" };
  const cases: ReadonlyArray<readonly [RouteName, neutral: unknown, wire: unknown]> = [
    ["profile.get", { uuid: "u", livestream: N }, { uuid: "u", tv: N }],
    ["itemFilters.list", { filters: [{ realm: "console_a" }] }, { filters: [{ realm: "box" }] }],
    ["itemFilters.update", { filter: { realm: "game2" } }, { filter: { realm: "second" } }],
    [
      "leagues.list",
      { leagues: [{ id: "console_a", realm: "console_a" }, { realm: null }] },
      { leagues: [{ id: "console_a", realm: "box" }, { realm: null }] },
    ],
    ["leagues.get", { league: null }, { league: null }],
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
  ];

  it.each(cases)("of %s are translated from a deployment's words", (name, neutral, wire) => {
    assert.deepStrictEqual(responseFromWire(name, wire, words), neutral);
  });

  it("are translated in filters that are sent", () => {
    const sent = { filter_name: "game2", realm: "game2", filter: "Show" };
    const wire = { ...sent, realm: "second" };
    assert.deepStrictEqual(requestToWire("itemFilters.create", sent, words), wire);
  });

  it("are the very input when there is nothing to translate", () => {
    const body = { leagues: [{ id: "L", realm: "pc" }] };
    for (const translate of [responseFromWire, requestToWire])
      assert.strictEqual(translate("leagues.list", body, words), body);
    assert.strictEqual(responseFromWire("leagues.list", body, identityWords), body);
    for (const other of ["no object", undefined, null, { name: "N" }, { leagues: "no list" }])
      for (const name of ["leagues.list", "profile.get"] as const)
        assert.strictEqual(responseFromWire(name, other, words), other);
  });

  it("are all those whose schema has a realm or a livestream", () => {
    // Items have a realm in game 2 only, and stashes, guild stashes and the stream are game 1 only.
    const gameOneOnly = new Set(["stashes", "guildStashes", "publicStashTabs"]);
    const schemas = document.components["schemas"]!;
    const translated = new Set<string>();
    for (const [name, { results }] of Object.entries<Route>(routes))
      for (const body of Object.values(results))
        if (!gameOneOnly.has(name.split(".")[0]!) && mentions(schemas, body)) translated.add(name);
    assert.deepStrictEqual(translated, new Set(Object.keys(responseWords)));
    assert.isTrue(mentions(schemas, "FilterCreate") && mentions(schemas, "FilterUpdate"));
    assert.deepStrictEqual(Object.keys(requestWords), ["itemFilters.create", "itemFilters.update"]);
  });

  it("are never read on the stash stream and the other large ones", () => {
    const get = () => assert.fail("read");
    const untouchable = new Proxy({}, { get, ownKeys: get, getOwnPropertyDescriptor: get });
    for (const group of ["publicStashTabs", "currencyExchange", "stashes", "guildStashes"]) {
      for (const name of Object.keys(routes) as ReadonlyArray<RouteName>)
        if (name.startsWith(`${group}.`))
          assert.strictEqual(responseFromWire(name, untouchable, words), untouchable);
      assert.strictEqual(responseFromWire("leagues.get", untouchable, identityWords), untouchable);
    }
  });

  it("keep both members where a response has the neutral word and the deployment's", () => {
    const wire = { uuid: "u", name: "N", tv: { name: "a" }, livestream: "something else" };
    const neutral = { uuid: "u", name: "N", livestream: { name: "a" }, tv: "something else" };
    assert.deepStrictEqual(responseFromWire("profile.get", wire, words), neutral);
  });

  it("are left alone where items nest more deeply than any record may", () => {
    const nestOf = (depth: number) => {
      let nested: Record<string, unknown> = { realm: "second" };
      for (let level = 0; level < depth; level++) nested = { socketedItems: [nested] };
      return { character: { realm: "second", equipment: [nested] } };
    };
    for (const body of [33, 100_000].map(nestOf)) {
      assert.strictEqual(responseFromWire("characters.get", body, words), body);
    }
    const { character } = responseFromWire("characters.get", nestOf(32), words) as any;
    assert.include(JSON.stringify(character.equipment), '"realm":"game2"');
  });

  it("end at once on a cycle of items, however it branches", () => {
    const item: { socketedItems: Array<unknown> } = { socketedItems: [] };
    item.socketedItems.push(item, item, item);
    const body = { character: { equipment: [item] } };
    assert.strictEqual(responseFromWire("characters.get", body, words), body);
  });
});
