import { assert, describe, it } from "@effect/vitest";
import { Account, Profile } from "@game-data/schemas";
import { pageLimit } from "../src/Limits.ts";
import { openApiDocument } from "../src/openapi/index.ts";
import {
  identityWords,
  isIdentity,
  makeWords,
  ParameterInvalid,
  realmFromWire,
  realmToWire,
  requestFromWire,
  requestToWire,
  responseFromWire,
  responseToWire,
  urlFromWire,
  urlOf,
  urlToWire,
  type Route,
  type RouteName,
  routes,
  type Words,
  type WordsInput,
  WordsInvalid,
} from "../src/index.ts";
import { requestWords, responseWords } from "../src/routes/bodyWords.ts";
import { BESIDE_LIVESTREAM } from "../src/Words.ts";

const words = makeWords({
  console_a: "box",
  console_b: "station",
  game2: "second",
  livestream: "tv",
});
const deployment = { authUrl: "https://auth.example/", baseUrl: "https://api.example/v", words };

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
    assert.deepStrictEqual(makeWords({}), identityWords);
    assert.isTrue(isIdentity(makeWords({})));
    assert.isFalse(isIdentity(words));
    assert.deepStrictEqual(makeWords({ game2: undefined, livestream: undefined }), identityWords);
    assert.isFalse(isIdentity({ ...identityWords, livestream: "tv" }));
    assert.strictEqual(makeWords({ game2: "second" }).console_a, "console_a");
  });

  it("translate the realms and nothing else, and keep pc", () => {
    for (const [neutral, wire] of [
      ["console_a", "box"],
      ["console_b", "station"],
      ["game2", "second"],
      ["pc", "pc"],
      ["toString", "toString"],
    ] as const) {
      assert.strictEqual(realmToWire(neutral, words), wire);
      assert.strictEqual(realmFromWire(wire, words), neutral);
    }
  });

  it("are refused when two realms would share one, or when one cannot stand in a path", () => {
    assert.throws(() => makeWords({ console_a: "x", console_b: "x" }), /must not be the word of/);
    assert.throws(() => makeWords({ game2: "pc" }), /must not be the word of/);
    const invalid = "Invalid words of a deployment: ";
    assert.throws(() => makeWords([] as never), `${invalid}must be an object.`);
    assert.throws(
      () => makeWords({ game2: "a/b" }),
      `${invalid}game2 must be letters, digits, _ and -.`,
    );
    assert.throws(
      () => makeWords({ box: "a" } as never),
      `${invalid}box is none of console_a, console_b, game2, livestream.`,
    );
    assert.throws(() => makeWords({ game2: "" }));
  });

  it("may be swapped with each other", () => {
    const swapped = makeWords({ console_a: "console_b", console_b: "console_a" });
    assert.strictEqual(urlToWire("/character/console_a/x", swapped), "/character/console_b/x");
    assert.strictEqual(urlFromWire("/character/console_b/x", swapped), "/character/console_a/x");
  });

  it("name the member that is wrong, for they come from files", () => {
    const refused = (input: unknown) => {
      try {
        makeWords(input as WordsInput);
      } catch (error) {
        assert.instanceOf(error, WordsInvalid);
        assert.isFalse(error.isRetryable);
        const { help, message, reason, word } = error;
        const named = word === undefined ? {} : { word };
        const json = { _tag: "WordsInvalid", ...named, reason, message, help };
        assert.deepStrictEqual<object>(error.toJSON(), json);
        return error.word ?? error.reason;
      }
      return assert.fail("accepted");
    };
    assert.strictEqual(refused({ console_a: 1 }), "console_a");
    assert.strictEqual(refused({ console_a: "box", xbox: "box" }), "xbox");
    assert.strictEqual(refused({ __proto__: null, constructor: "x" }), "constructor");
    assert.strictEqual(refused({ console_a: "x", game2: "x" }), "game2");
    assert.strictEqual(refused({ game2: "pc" }), "game2");
    const thrower = { get: () => assert.fail("s3cr3t"), ownKeys: () => assert.fail("s3cr3t") };
    const map = new Map([["game2", "x"]]);
    for (const input of [null, [], map, "console_a", 1, new Proxy({}, thrower)])
      assert.strictEqual(refused(input), "must be an object");
    assert.strictEqual(refused(new Proxy({ game2: "" }, { get: thrower.get })), "game2");
    assert.strictEqual(refused({ ["x".repeat(1e6)]: "a" })!.length, 200);
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
  const members = [Account, Profile].flatMap(({ shape }) => Object.keys(shape));
  const others = new Set(members.map((name) => name.replace("?", "")));
  others.delete("livestream");
  assert.deepStrictEqual(new Set(BESIDE_LIVESTREAM), others);
  for (const livestream of others) assert.throws(() => makeWords({ livestream }), /livestream/u);
});

it("reads no inherited name as an operation, and names what is none", () => {
  for (const name of ["toString", "__proto__", "leagues.List"] as ReadonlyArray<any>) {
    for (const translate of [responseFromWire, responseToWire, requestFromWire, requestToWire])
      assert.throws(() => translate(name, {}, words), ParameterInvalid, "operation is unknown");
    assert.throws(() => pageLimit(name), ParameterInvalid, "operation is unknown");
  }
  assert.throws(() => pageLimit("profile.get" as never), ParameterInvalid, "limit is unknown");
});

describe("the URL of a request", () => {
  it("takes the words that differ alone", () => {
    const at = (given: unknown) =>
      urlOf({ baseUrl: "https://a.example", words: given as WordsInput }, "characters.list", {
        realm: "console_a",
      });
    for (const given of [{ game2: "second" }, {}, null])
      assert.strictEqual(at(given), "https://a.example/character/console_a");
    const thrower = { toString: () => assert.fail("s3cr3t") };
    for (const game2 of ["..", "", "\ud800", "pc", "console_a", 5, Symbol("x"), thrower])
      assert.throws(() => at({ game2 }), /^characters\.list: words must (?:be|not be) [^:]+\.$/u);
    assert.deepStrictEqual(
      responseToWire("profile.get", { livestream: 1 }, { game2: "second" } as Words),
      { livestream: 1 },
    );
  });

  it("carries the deployment's words in path and query", () => {
    assert.strictEqual(
      urlOf(deployment, "characters.get", { realm: "game2", name: "A b" }),
      "https://api.example/v/character/second/A%20b",
    );
    assert.strictEqual(
      urlOf(deployment, "leagues.list", { realm: "console_b", limit: 5 }),
      "https://api.example/v/league?realm=station&limit=5",
    );
  });

  it("is refused for a query that the endpoint does not take", () => {
    assert.throws(() => urlOf(deployment, "leagues.list", { limit: 51 }), /limit must be/);
  });

  it("is left alone with the specification's words, and when it belongs to no endpoint", () => {
    for (const url of ["/character/console_a?x=1", "/nothing?realm=console_a", "/league/%"]) {
      assert.strictEqual(urlToWire(url, identityWords), url);
      assert.strictEqual(urlFromWire(url, identityWords), url);
    }
    assert.strictEqual(urlToWire("/nothing?realm=console_a", words), "/nothing?realm=console_a");
    assert.strictEqual(urlFromWire("/league/%", words), "/league/%");
    assert.strictEqual(
      urlFromWire("/league?realm=%&type=main", words),
      "/league?realm=%25&type=main",
    );
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

  it("are translated to a deployment's words and back", () => {
    for (const [name, neutral, wire] of cases) {
      assert.deepStrictEqual(responseToWire(name, neutral, words), wire);
      assert.deepStrictEqual(responseFromWire(name, wire, words), neutral);
    }
  });

  it("are translated in filters that are sent", () => {
    const info = "itemFilters.create";
    const sent = { filter_name: "game2", realm: "game2", filter: "Show" };
    const wire = { filter_name: "game2", realm: "second", filter: "Show" };
    assert.deepStrictEqual(requestToWire(info, sent, words), wire);
    assert.deepStrictEqual(requestFromWire(info, wire, words), sent);
  });

  it("are the very input when there is nothing to translate", () => {
    const body = { leagues: [{ id: "L", realm: "pc" }] };
    const info = "leagues.list";
    assert.strictEqual(responseToWire(info, body, words), body);
    assert.strictEqual(responseFromWire(info, body, identityWords), body);
    assert.strictEqual(requestToWire(info, body, words), body);
    assert.strictEqual(responseFromWire(info, "not an object", words), "not an object");
  });

  it("are all those whose schema has a realm or a livestream", () => {
    // Items have a realm in game 2 only, and stashes, guild stashes and the stream are game 1 only.
    const gameOneOnly = new Set(["stashes", "guildStashes", "publicStashTabs"]);
    const schemas = openApiDocument().components["schemas"]!;
    const translated = new Set<string>();
    for (const [name, { results }] of Object.entries<Route>(routes))
      for (const body of Object.values(results))
        if (!gameOneOnly.has(name.split(".")[0]!) && mentions(schemas, body)) translated.add(name);
    assert.deepStrictEqual(translated, new Set(Object.keys(responseWords)));
    assert.isTrue(mentions(schemas, "FilterCreate") && mentions(schemas, "FilterUpdate"));
    assert.deepStrictEqual(Object.keys(requestWords), ["itemFilters.create", "itemFilters.update"]);
  });

  it("are never read on the stash stream and the other large ones", () => {
    const untouchable = new Proxy(
      {},
      {
        get: () => assert.fail("read"),
        ownKeys: () => assert.fail("read"),
        getOwnPropertyDescriptor: () => assert.fail("read"),
      },
    );
    for (const group of ["publicStashTabs", "currencyExchange", "stashes", "guildStashes"]) {
      for (const name of Object.keys(routes) as ReadonlyArray<RouteName>)
        if (name.startsWith(`${group}.`))
          assert.strictEqual(responseFromWire(name, untouchable, words), untouchable);
    }
  });

  it("keep both members where a response has the neutral word and the deployment's", () => {
    const wire = { uuid: "u", name: "N", tv: { name: "a" }, livestream: "something else" };
    const neutral = { uuid: "u", name: "N", livestream: { name: "a" }, tv: "something else" };
    assert.deepStrictEqual(responseFromWire("profile.get", wire, words), neutral);
    assert.deepStrictEqual(responseToWire("profile.get", neutral, words), wire);
  });

  it("are left alone where items nest more deeply than any record may", () => {
    for (const depth of [33, 100_000]) {
      let nested: Record<string, unknown> = { realm: "second" };
      for (let level = 0; level < depth; level++)
        nested = { realm: "second", socketedItems: [nested] };
      const body = { character: { realm: "second", equipment: [nested] } };
      assert.strictEqual(responseFromWire("characters.get", body, words), body);
      assert.strictEqual(responseToWire("characters.get", body, words), body);
    }
    let nested: Record<string, unknown> = { realm: "second" };
    for (let level = 0; level < 32; level++) nested = { socketedItems: [nested] };
    const read = responseFromWire("characters.get", { character: { equipment: [nested] } }, words);
    assert.include(JSON.stringify(read), '"realm":"game2"');
  });

  it("end at once on a cycle of items, however it branches", () => {
    const item: { socketedItems: Array<unknown> } = { socketedItems: [] };
    item.socketedItems.push(item, item, item);
    const body = { character: { equipment: [item] } };
    assert.strictEqual(responseFromWire("characters.get", body, words), body);
  });
});

describe("the URL of a sub-tab", () => {
  it("is refused where a realm's name in it would lose the sub-tab", () => {
    // Under these words /stash/pc/box/s would be the tab s of the pc league box.
    assert.throws(
      () => urlOf(deployment, "stashes.get", { league: "pc", stash_id: "box", substash_id: "s" }),
      /stash_id must not be the name of a realm/,
    );
    assert.strictEqual(
      urlToWire("/stash/pc/0123456789/abcdef0123", words),
      "/stash/pc/0123456789/abcdef0123",
    );
    // Hands on what the deployment's words cannot say.
    assert.strictEqual(urlToWire("/stash/pc/box/s", words), "/stash/pc/box/s");
  });
});
