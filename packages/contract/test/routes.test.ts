import { assert, describe, it } from "@effect/vitest";
import {
  identityWords,
  Limits,
  makeWords,
  matchPath,
  ParameterInvalid,
  parametersOf,
  requestTarget,
  realmToWire,
  type Route,
  type RouteName,
  routes,
  urlOf,
  type Words,
} from "@game-data/contract/routes";
import { stale } from "../scripts/generate.ts";
import { violation } from "../src/routes/rules.ts";
import { router } from "./support/router.ts";

const names = Object.keys(routes) as ReadonlyArray<RouteName>;
const box = makeWords({
  console_a: "box",
  console_b: "station",
  game2: "second",
  livestream: "tv",
});
const target = requestTarget as (name: string, request: object, words?: Words) => string;

const NAMES = [
  "Standard",
  "..",
  ".",
  "",
  "game2",
  "console_a",
  "box",
  "pc",
  "ü/&",
  "a b%+#?",
  "\ud800",
  "日本",
];
const REALMS = [undefined, "pc", "console_a", "console_b", "game2", "box", ""];
const QUERIES: Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>> = {
  type: [
    { type: "main" },
    { type: "season" },
    { type: "season", season: "S 1" },
    { type: "league" },
    { type: "other" },
  ],
  sort: [{ sort: "xp" }, { sort: "class" }, { sort: "class", class: "witch" }, { class: "bard" }],
  limit: [
    { limit: 1 },
    { limit: 50 },
    { limit: 200 },
    { limit: 500 },
    { limit: 501 },
    { limit: 0 },
    { limit: 1.5 },
    { limit: Number.NaN },
    { offset: 0, limit: 20 },
    { offset: -1 },
    { offset: 2 ** 53 },
  ],
  id: [{ id: "1-2-3" }, { id: "" }, { id: "a&b=c d" }],
  validate: [{ validate: true }, { validate: false }, { validate: "true" }],
};

/** Requests of an operation: every name, every realm, every query that it has. */
const requestsOf = (name: RouteName): ReadonlyArray<Record<string, unknown>> => {
  const parameters = parametersOf(name);
  const named = parameters.filter(
    ({ in: place, name: key }) => place === "path" && key !== "realm",
  );
  const query = parameters.filter(({ in: place }) => place === "query").map(({ name: key }) => key);
  const queries = [{}, ...query.flatMap((key) => QUERIES[key] ?? [])];
  const paths = NAMES.flatMap((value): ReadonlyArray<Record<string, unknown>> => {
    if (named.length === 0) return value === "Standard" ? [{}] : [];
    if (name === "currencyExchange.page")
      return [{}, { id: 3600 }, { id: -1 }, { id: value.length }, { id: value }];
    return [
      ...named.map(({ name: key }) => ({
        ...Object.fromEntries(named.map((other) => [other.name, "tab"])),
        [key]: value,
      })),
      Object.fromEntries(named.map(({ name: key }) => [key, value])),
      ...named.filter(({ required }) => !required).map(() => ({ league: value, stash_id: "tab" })),
    ];
  });
  const hasRealm = parameters.some(({ name: key }) => key === "realm");
  const realms = hasRealm ? REALMS : [undefined];
  return paths.flatMap((path) =>
    realms.flatMap((realm) =>
      queries.map((values) => ({ ...path, ...values, ...(realm === undefined ? {} : { realm }) })),
    ),
  );
};

/** Whether a value breaks its rule, a parameter is missing, or an id reads as a realm. */
const breaksRule = (name: RouteName, request: Record<string, unknown>, words: Words): boolean => {
  const { needs = {}, params, path, query = {} }: Route = routes[name];
  const realms = (params["realm"] ?? []) as ReadonlyArray<string>;
  const isRealm = (value: unknown) => realms.some((realm) => realmToWire(realm, words) === value);
  return (
    Object.entries({ ...params, ...query }).some(([key, rule]) => {
      const value = request[key];
      if (key in params && key === "realm" && value === "pc") return false;
      if (value === undefined) return key in params && !path.includes(`:${key}?`);
      return violation(rule, value) !== undefined || (rule === "stashId" && isRealm(value));
    }) ||
    Object.entries(needs).some(([pair, other]) => {
      const [key, word] = pair.split("=");
      return request[key!] === word && request[other] === undefined;
    })
  );
};

const attempt = (run: () => string): string | undefined => {
  try {
    return run();
  } catch (error) {
    assert.instanceOf(error, ParameterInvalid);
    return undefined;
  }
};

describe("the table of operations", () => {
  it("has the checks of its bodies as the generator writes them (pnpm generate)", async () => {
    assert.deepStrictEqual(await stale(), []);
  });

  it("has the limits of §8 [LM-01, LM-02, LM-04]", () => {
    const limitOf = (name: RouteName) => {
      const { max, default: fallback } = parametersOf(name).find(
        ({ name: key }) => key === "limit",
      )!;
      return { max, default: fallback };
    };
    assert.deepStrictEqual(limitOf("leagues.list"), Limits.leagues);
    assert.deepStrictEqual(limitOf("leagues.ladder"), Limits.ladder);
    assert.deepStrictEqual(limitOf("leagues.eventLadder"), Limits.eventLadder);
    assert.deepStrictEqual(limitOf("pvpMatches.ladder"), Limits.pvpLadder);
  });
});

describe("requestTarget", () => {
  it("refuses a request exactly where a rule of the table is broken, for every operation", () => {
    let requests = 0;
    const differences: Array<string> = [];
    for (const words of [identityWords, box])
      for (const name of names)
        for (const request of requestsOf(name)) {
          requests++;
          const isRefused = attempt(() => target(name, request, words)) === undefined;
          if (isRefused !== breaksRule(name, request, words))
            differences.push(`${name} ${JSON.stringify(request)}: refused ${isRefused}`);
        }
    assert.deepStrictEqual(differences.slice(0, 10), []);
    assert.isAtLeast(requests, 3752);
  });

  it("names the parameter that is refused, and never its value", () => {
    const refused = (name: string, request: object, words?: Words): string => {
      try {
        target(name, request, words);
      } catch (error) {
        assert.instanceOf(error, ParameterInvalid);
        assert.strictEqual(error.operation, name);
        assert.isFalse(error.isRetryable);
        assert.deepStrictEqual(Object.keys(error.toJSON()), [
          "_tag",
          "operation",
          "parameter",
          "reason",
          "message",
          "help",
        ]);
        assert.notInclude(JSON.stringify(error), "secret");
        return error.parameter;
      }
      return assert.fail("accepted");
    };
    assert.strictEqual(refused("profile.get", { id: "secret" }), "id");
    assert.strictEqual(refused("leagues.get", {}), "league");
    assert.strictEqual(refused("leagues.get", { league: null }), "league");
    assert.strictEqual(refused("leagues.get", { league: { toString: () => "secret" } }), "league");
    assert.strictEqual(refused("leagues.list", { limit: 51 }), "limit");
    assert.strictEqual(refused("leagues.list", { limit: "5" }), "limit");
    assert.strictEqual(refused("leagues.list", { type: "season" }), "season");
    assert.strictEqual(refused("leagues.ladder", { league: "L", sort: "class" }), "class");
    assert.strictEqual(refused("leagues.ladder", { league: "L", realm: "game2" }), "realm");
    assert.strictEqual(refused("stashes.list", { league: "L", realm: "secret" }), "realm");
    assert.strictEqual(refused("characters.get", { name: ".." }), "name");
    assert.strictEqual(refused("characters.get", { name: "N", constructor: 1 }), "constructor");
    assert.strictEqual(
      refused("stashes.get", { league: "pc", stash_id: "box", substash_id: "s" }, box),
      "stash_id",
    );
    assert.strictEqual(
      refused("stashes.get", { league: "pc", stash_id: "s", substash_id: "station" }, box),
      "substash_id",
    );
  });

  it("names what JavaScript gets wrong: the operation, the request, the address", () => {
    const parameterOf = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        assert.instanceOf(error, ParameterInvalid);
        return `${error.parameter} ${error.reason}`;
      }
      return assert.fail("accepted");
    };
    const none = "operation is none of the table";
    for (const name of ["leagues.lader", "constructor", "", undefined, null, 7, {}, Symbol("x")]) {
      assert.strictEqual(
        parameterOf(() => target(name as string, {})),
        none,
      );
      assert.strictEqual(
        parameterOf(() => parametersOf(name as RouteName)),
        none,
      );
    }
    for (const request of [null, undefined, "Standard", []])
      assert.match(
        parameterOf(() => target("leagues.list", request as never)),
        /^request must be/,
      );
    const at = (baseUrl: unknown) => () =>
      urlOf({ baseUrl: baseUrl as string }, "leagues.list", {});
    for (const baseUrl of [
      undefined,
      null,
      7,
      "",
      "api.example",
      "ftp://x",
      "https://x?secret",
      {},
    ])
      assert.match(parameterOf(at(baseUrl)), /^baseUrl must be an http or https address/);
  });

  it("takes an undefined parameter for an absent one", () => {
    assert.strictEqual(
      requestTarget("leagues.list", { realm: undefined, limit: undefined }),
      "/league",
    );
    assert.strictEqual(
      requestTarget("stashes.list", { realm: undefined, league: "L" }),
      "/stash/L",
    );
  });

  it("stands under the base URL, with one slash between", () => {
    for (const baseUrl of ["https://api.example/v", "https://api.example/v/"])
      assert.strictEqual(
        urlOf({ baseUrl, words: box }, "characters.list", { realm: "game2" }),
        "https://api.example/v/character/second",
      );
  });
});

describe("matchPath of the route table", () => {
  it("reads what requestTarget writes, in neutral words and in a deployment's", () => {
    let read = 0;
    for (const words of [identityWords, box]) {
      for (const name of names) {
        for (const request of requestsOf(name)) {
          const url = attempt(() => target(name, request, words));
          if (url === undefined) continue;
          const [path] = url.split("?");
          const match = matchPath(routes[name].method, path!, words);
          const inPath = parametersOf(name)
            .filter(({ in: place }) => place === "path")
            .map(({ name: key }) => key);
          const expected = Object.fromEntries(
            inPath
              .filter(
                (key) =>
                  (request[key] !== undefined && request[key] !== "pc") ||
                  (key !== "realm" && request[key] !== undefined),
              )
              .map((key) => [key, String(request[key])]),
          );
          const { realm, ...params } = { ...match?.params };
          assert.strictEqual(match?.name, name, path);
          assert.deepStrictEqual(
            realm === undefined || realm === "pc" ? params : { realm, ...params },
            expected,
            path,
          );
          read++;
        }
      }
    }
    assert.isAtLeast(read, 900);
  });

  it("finds what a router finds, and nothing else", { timeout: 60_000 }, () => {
    const segments = ["", "pc", "console_a", "box", "game2", "stash", "ladder", "L%2F", "%"];
    const roots = [
      ...new Set(names.map((name) => routes[name].path.split("/")[1]!)),
      "account",
      "guild",
      "nothing",
    ];
    const differences: Array<string> = [];
    const tails = segments.flatMap((a) =>
      ["", ...segments].flatMap((b) =>
        b === "" ? [[a]] : ["", ...segments].map((c) => (c === "" ? [a, b] : [a, b, c])),
      ),
    );
    for (const root of roots)
      for (const tail of [[], ...tails])
        for (const method of ["GET", "POST"] as const) {
          const path = `/${[root, ...tail].join("/")}`;
          const found = matchPath(method, path);
          const expected = router.find(method, path);
          // A router hands over empty names and broken encodings; the table knows neither.
          const isOdd = path.includes("%/") || path.endsWith("%") || /\/(?:\/|$)/u.test(path);
          // An assertion for each of the many thousand would take longer than the search.
          if (isOdd) {
            if (found !== undefined) differences.push(`${method} ${path}: ${found.name}`);
          } else if (found?.name !== expected?.handler)
            differences.push(`${method} ${path}: ${found?.name} for ${expected?.handler}`);
          else if (found !== undefined)
            assert.deepStrictEqual({ ...found.params }, { ...expected?.params }, path);
        }
    assert.deepStrictEqual(differences.slice(0, 10), []);
  });
});
