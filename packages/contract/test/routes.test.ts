import { assert, describe, it } from "@effect/vitest";
import {
  identityWords,
  makeWords,
  matchPath,
  ParameterInvalid,
  parametersOf,
  parameterValue,
  requestTarget,
  type Route,
  type RouteName,
  routes,
  type Rule,
  urlOf,
  violation,
  type Words,
} from "@game-data/contract/routes";

const names = Object.keys(routes) as ReadonlyArray<RouteName>;
const box = makeWords({ console_a: "box", console_b: "station", game2: "second" });
const target = requestTarget as (name: string, request: object, words?: Words) => string;

/** Names that break naive paths: separators, percent signs, every realm word, other scripts. */
const NAMES = [
  ...["Standard", "", ".", "..", "...", "/", "a/b", "//", "a b", " ", "%", "%2F", "%25", "+", "?"],
  ...["#", ";", "&", "=", ":x", "*", "\n", "\\", "stash", "ladder", "pc", "console_a", "console_b"],
  ...["game2", "box", "second", "CONSOLE_A", "toString", "__proto__", "0123456789", "한글", "😀"],
  ...["x".repeat(300), "\ud800"],
];
const NUMBERS = [0, 1, 50, 51, 200, 201, 500, 501, -1, 1.5, Number.NaN, 2 ** 53, "5"];
const REALMS = [undefined, "pc", "console_a", "console_b", "game2", "box", ""];

/** A request with all parameters that a path requires. */
const minimal = (name: RouteName) =>
  Object.fromEntries(
    parametersOf(name)
      .filter(({ required }) => required)
      .map((parameter) => [parameter.name, "tab"]),
  );

/** Requests with each name in each parameter of the path, for each realm. */
const pathRequests = (name: RouteName): ReadonlyArray<Record<string, unknown>> => {
  const parameters = parametersOf(name).filter((one) => one.in === "path" && one.name !== "realm");
  const hasRealm = parametersOf(name).some((parameter) => parameter.name === "realm");
  const values = (kind: string): ReadonlyArray<unknown> => (kind === "uint" ? NUMBERS : NAMES);
  const requests = parameters.flatMap(({ kind, name: key }) =>
    values(kind).map((value) => ({ ...minimal(name), [key]: value })),
  );
  const realms = hasRealm ? REALMS : [undefined];
  return [minimal(name), ...requests].flatMap((request) =>
    realms.map((realm) => (realm === undefined ? request : { ...request, realm })),
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

/** The error of a request that is refused. */
const refused = (run: () => unknown): ParameterInvalid => {
  try {
    run();
  } catch (error) {
    assert.instanceOf(error, ParameterInvalid);
    assert.notMatch(JSON.stringify(error), /secret|s3cr3t/u);
    assert.isBelow(JSON.stringify(error).length, 1000);
    return error;
  }
  return assert.fail("accepted");
};

describe("requestTarget", () => {
  it.for(names)("requestTarget refuses values of %s that break a parameter's rule", (name) => {
    const { params, query = {} }: Route = routes[name];
    for (const [key, rule] of Object.entries({ ...params, ...query }))
      for (const value of [...NAMES, ...NUMBERS, "main", "xp", "witch", true, null, {}]) {
        // A parameter that another value needs.
        const needed = { season: "S", league: "L", class: "witch" };
        const known = Object.entries(needed).filter(([other]) => other in query);
        const request = { ...minimal(name), ...Object.fromEntries(known), [key]: value };
        const isRealmOfPath = key === "realm" && key in params && value === "pc";
        const isBroken = !isRealmOfPath && violation(rule, value) !== undefined;
        const isRefused = attempt(() => target(name, request)) === undefined;
        assert.strictEqual(isRefused, isBroken, `${key} ${String(value)}`);
      }
    for (const key of Object.keys(minimal(name))) {
      const { [key]: _, ...incomplete } = minimal(name);
      assert.strictEqual(refused(() => target(name, incomplete)).reason, "is required");
    }
  });

  const L = { league: "L" };
  const unreadable = {
    get realm() {
      throw new Error("s3cr3t");
    },
  };
  const REALM_NAME = "must not be the name of a realm";

  it.each<[parameter: string, reason: string, name: RouteName, request: object, words?: Words]>([
    ["id", "is unknown", "profile.get", { id: "secret" }],
    ["league", "is required", "leagues.get", {}],
    ["league", "must be a non-empty text, got null", "leagues.get", { league: null }],
    ["limit", "must be an integer from 1 to 50, got number", "leagues.list", { limit: 51 }],
    ["season", "is needed for type season", "leagues.list", { type: "season" }],
    ["class", "is needed for sort class", "leagues.ladder", { ...L, sort: "class" }],
    ["realm", "must be one of pc, console_a", "leagues.ladder", { ...L, realm: "game2" }],
    ["realm", "must be one of console_a", "stashes.list", { ...L, realm: "secret" }],
    ["name", "must be well-formed, not . or .., got string", "characters.get", { name: ".." }],
    ["constructor", "is unknown", "characters.get", { name: "N", constructor: 1 }],
    ["__proto__", "is unknown", "leagues.list", JSON.parse('{"__proto__":{"realm":"game2"}}')],
    ["stash_id", REALM_NAME, "stashes.get", { league: "pc", stash_id: "box" }, box],
    ["request", "must be an object", "leagues.list", null as never],
    ["request", "cannot be read", "leagues.list", unreadable],
  ])(
    "the error of requestTarget names the parameter %s and the reason (%s), but not the value",
    (parameter, reason, name, ...rest) => {
      const error = refused(() => target(name, ...rest));
      assert.deepStrictEqual([error.operation, error.parameter], [name, parameter]);
      assert.isTrue(error.reason.startsWith(reason), error.reason);
      assert.isFalse(error.isRetryable);
      const members = ["_tag", "operation", "parameter", "reason", "message", "help"];
      assert.deepStrictEqual(Object.keys(error.toJSON()), members);
    },
  );

  it("requestTarget and parametersOf refuse an unknown operation by name, cut to 200 characters", () => {
    for (const name of ["leagues.lader", "constructor", "x".repeat(1e6)] as ReadonlyArray<any>)
      for (const run of [() => target(name, {}), () => parametersOf(name)]) {
        const { help, operation, parameter, reason } = refused(run);
        assert.strictEqual(`${parameter} ${reason}`, "operation is unknown");
        assert.strictEqual(operation, name.slice(0, 200));
        assert.match(help, /\/errors\/contract\/#parameterinvalid$/u);
      }
  });
});

describe("urlOf", () => {
  const profile = (baseUrl: string | URL) => urlOf({ baseUrl }, "profile.get", {});

  it("urlOf appends the path to the base URL, with one slash in between", () => {
    assert.match(profile("http://127.0.0.1:1"), /:1\/profile$/u);
    // As a program that fetches the URL would read the address.
    for (const baseUrl of [new URL("HTTPS://A"), "https://a/v/..", "https:\\\\a\\", "https:////a"])
      assert.strictEqual(profile(baseUrl), "https://a/profile");
    assert.strictEqual(profile("https://a/v"), "https://a/v/profile");
    const baseUrl = "https://api.example/v/";
    const url = urlOf({ baseUrl, words: box }, "characters.list", { realm: "game2" });
    assert.strictEqual(url, "https://api.example/v/character/second");
  });

  it.each([
    ...["", "api.example", "ftp://x", "blob:https://x", "https://x?secret", "https://["],
    ...["https://user:word@x", "https://a:99999", "http://%", "https://a|b", "https:///"],
  ])("urlOf refuses the base URL %s", (baseUrl) => {
    const { parameter, reason } = refused(() => profile(baseUrl));
    assert.strictEqual(`${parameter} ${reason}`, "baseUrl must be a plain http(s) address");
  });
});

describe("matchPath", () => {
  it.for(names)(
    "matchPath reads the paths that requestTarget writes for %s, also in a deployment's words",
    (name) => {
      const { method, params } = routes[name];
      for (const request of pathRequests(name)) {
        const isIn = ([key, value]: [string, unknown]) =>
          key in params && !(key === "realm" && value === "pc");
        const expected = Object.entries(request).filter(isIn);
        const texts = Object.fromEntries(expected.map(([key, value]) => [key, String(value)]));
        for (const words of [identityWords, box]) {
          const path = attempt(() => target(name, request, words))?.split("?")[0];
          if (path === undefined) continue;
          const { name: reached, params: found = {} } = matchPath(method, path, words) ?? {};
          assert.strictEqual(reached, name, path);
          const { realm, ...others } = found;
          assert.deepStrictEqual(
            { ...others, ...(realm && realm !== "pc" && { realm }) },
            texts,
            path,
          );
        }
      }
    },
  );
});

describe("rules", () => {
  it.for<readonly [rule: Rule, value: unknown, text: string | undefined]>([
    [[1, 5], 1, undefined],
    [[0], "1", "must be an integer from 0, got string"],
    ["bool", "true", "must be true or false, got string"],
    ["text", ".", undefined],
    ["text", [], "must be a non-empty text, got array"],
    ["name", "...", undefined],
    ["name", "x\ud800", "must be well-formed, not . or .., got string"],
    ["name", "\ud800x", "must be well-formed, not . or .., got string"],
    ["stashId", "console_ab", undefined],
    ["stashId", "console_bc", undefined],
  ])("violation of the rule %j by the value %j is %s", ([rule, value, text]) => {
    assert.strictEqual(violation(rule, value), text);
  });

  it("parameterValue converts a text to a Boolean or a number if the rule requires one", () => {
    const read = (rule: Rule, ...texts: ReadonlyArray<string>) =>
      texts.map((text) => parameterValue(rule, text));
    assert.deepStrictEqual(read("bool", "true", "false", "1"), [true, false, "1"]);
    assert.deepStrictEqual(read([0], "5", " ", "x", "1e1"), [5, " ", "x", 10]);
    assert.deepStrictEqual([...read("text", "5"), ...read(["5"], "5")], ["5", "5"]);
  });

  it("parametersOf lists the place, rule and default of each parameter", () => {
    const { limit, realm, sort } = Object.fromEntries(
      parametersOf("leagues.ladder").map((parameter) => [parameter.name, parameter]),
    );
    const query = { in: "query", required: false } as const;
    const words = ["pc", "console_a", "console_b"];
    const limits = { name: "limit", kind: "uint", min: 1, max: 500, default: 20 };
    assert.deepStrictEqual<unknown>(limit, { ...limits, ...query });
    const realms = { name: "realm", kind: "word", words, default: "pc" };
    assert.deepStrictEqual<unknown>(realm, { ...realms, ...query });
    assert.notProperty(sort, "default");
    const path = { in: "path", kind: "stashId" };
    assert.deepStrictEqual<unknown>(parametersOf("stashes.get").slice(2), [
      { ...path, name: "stash_id", required: true },
      { ...path, name: "substash_id", required: false },
    ]);
    const id = { name: "id", in: "path", required: false, kind: "uint", min: 0 };
    assert.deepStrictEqual<unknown>(parametersOf("currencyExchange.page")[1], id);
  });
});
