/**
 * Names in paths: whatever a league, a character or a match is called, it survives the way there
 * and back.
 */
import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import { identityWords, makeWords, matchPath, urlFromWire, urlToWire } from "../src/index.ts";
import { patternOf } from "../src/routes/rules.ts";
import { router } from "./support/router.ts";
import { pathOf } from "./support/shipped.ts";

const Name = Schema.NonEmptyString.check(Schema.isPattern(new RegExp(patternOf("name")!, "u")));

const words = makeWords({ console_a: "box", console_b: "station", game2: "second" });
const tabId = "0123456789";
const subTabId = "abcdef0123";

/**
 * Names that break naive paths: separators, percent signs, plus, every realm word, other scripts.
 */
const awkward = [
  "/",
  "a/b",
  "//",
  "a b",
  " ",
  "%",
  "%2F",
  "%25",
  "100%",
  "+",
  "a+b",
  "?",
  "a?b=c",
  "#",
  ";",
  "a;b",
  "&",
  "=",
  ":",
  ":x",
  "*",
  "~",
  "...",
  ".hidden",
  "a.",
  "stash",
  "ladder",
  "pc",
  "console_a",
  "console_b",
  "game2",
  "box",
  "station",
  "second",
  "CONSOLE_A",
  "한글",
  "中文",
  "Ünïcode",
  "İstanbul",
  "😀",
  "\n",
  "\t",
  "\\",
  "toString",
  "__proto__",
  "0123456789",
  "x".repeat(300),
];
const AwkwardName = Schema.Union([Schema.Literals(awkward), Name]);
const params = Schema.Struct({
  realm: Schema.Literals(["pc", "console_a", "console_b"]),
  name: AwkwardName,
  hasStash: Schema.Boolean,
  hasSubstash: Schema.Boolean,
});

/** Every path that the parameters can be asked under, with what a server must understand. */
const requests = (input: typeof params.Type) => {
  const { realm, name } = input;
  const tab = {
    stash_id: tabId,
    ...(input.hasSubstash ? { substash_id: subTabId } : {}),
  };
  const stash = input.hasStash
    ? (["get", { league: name, ...tab }] as const)
    : (["list", { league: name }] as const);
  return [
    ["stashes", stash[0], { realm, ...stash[1] }],
    ["guildStashes", stash[0], { realm, ...stash[1] }],
    ["leagueAccounts", "get", { realm, league: name }],
    ["characters", "get", { realm, name }],
    ["characters", "list", { realm }],
    ["leagues", "get", { league: name }],
    ["leagues", "ladder", { league: name }],
    ["leagues", "eventLadder", { league: name }],
    ["pvpMatches", "get", { match: name }],
    ["pvpMatches", "ladder", { match: name }],
    ["itemFilters", "get", { id: name }],
    ["accountLeagues", "list", { realm }],
    ["publicStashTabs", "page", { realm }],
    ["currencyExchange", "page", { realm, id: 1_700_000_000 }],
    ["currencyExchange", "page", { realm }],
  ] as ReadonlyArray<readonly [string, string, Record<string, unknown>]>;
};

const withoutPc = ({ realm, ...rest }: Record<string, unknown>) =>
  realm === "pc" || realm === undefined ? rest : { realm, ...rest };
const asStrings = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));

/** The same names in every run; CI tries more of them. */
const runs = process.env["REQUIRE_SERVICES"] === "1" ? 200 : 80;
const seeded = { arbitrary: { seed: 26, runs } };

describe("any name", () => {
  it.prop(
    "comes back from its path, in neutral words and in a deployment's",
    { input: params },
    ({ input }) => {
      for (const vocabulary of [identityWords, words]) {
        for (const [group, name, values] of requests(input)) {
          const path = pathOf(group as never, name as never, values as never, vocabulary);
          const match = matchPath("GET", path, vocabulary);
          assert.strictEqual(match?.name, `${group}.${name}`);
          assert.deepStrictEqual(withoutPc({ ...match?.params }), asStrings(withoutPc(values)));
        }
      }
    },
    seeded,
  );

  it.prop(
    "is translated to a deployment's words and back without loss",
    { input: params },
    ({ input }) => {
      for (const [group, name, values] of requests(input)) {
        const neutral = pathOf(group as never, name as never, values as never);
        const wire = urlToWire(`${neutral}?id=1`, words);
        const direct = pathOf(group as never, name as never, values as never, words);
        assert.strictEqual(wire, `${direct}?id=1`);
        assert.strictEqual(urlFromWire(wire, words), `${neutral}?id=1`);
      }
    },
    seeded,
  );

  it.prop(
    "is found where the router finds it",
    { input: params },
    ({ input }) => {
      for (const [group, name, values] of requests(input)) {
        const path = pathOf(group as never, name as never, values as never);
        const match = matchPath("GET", path);
        const found = router.find("GET", path);
        assert.strictEqual(found?.handler, match?.name);
        assert.deepStrictEqual({ ...found?.params }, { ...match?.params });
      }
    },
    seeded,
  );

  it("is found by the router under each awkward name", () => {
    for (const name of awkward)
      for (const realm of ["pc", "console_a", "console_b"] as const)
        for (const [group, endpoint, values] of requests({
          realm,
          name,
          hasStash: true,
          hasSubstash: true,
        })) {
          const path = pathOf(group as never, endpoint as never, values as never);
          const found = router.find("GET", path);
          assert.strictEqual(found?.handler, `${group}.${endpoint}`, path);
          assert.deepStrictEqual(
            withoutPc({ ...found?.params }),
            asStrings(withoutPc(values)),
            path,
          );
        }
  });

  it("is refused where no URL can carry it: empty, ., .., half a surrogate pair", () => {
    for (const name of ["", ".", "..", "\ud800"])
      assert.throws(() => pathOf("characters", "get", { name }), /characters.get: name must/);
    assert.throws(() => pathOf("stashes", "get", { league: "L", stash_id: "console_a" }));
  });
});
