/**
 * Names in paths: whatever a league, a character or a match is called, it survives the way there
 * and back.
 */
import { assert, describe, it } from "@effect/vitest";
import { Schema } from "effect";
import {
  identityWords,
  makeWords,
  matchPath,
  requestTarget,
  type RouteName,
  urlFromWire,
  urlToWire,
  type Words,
} from "../src/index.ts";
import { patternOf } from "../src/routes/rules.ts";
import { router } from "./support/router.ts";

const Name = Schema.NonEmptyString.check(Schema.isPattern(new RegExp(patternOf("name")!, "u")));

const words = makeWords({ console_a: "box", console_b: "station", game2: "second" });
const tabId = "0123456789";
const subTabId = "abcdef0123";

/**
 * Names that break naive paths: separators, percent signs, plus, every realm word, other scripts.
 */
const awkward = [
  ...["/", "a/b", "//", "a b", " ", "%", "%2F", "%25", "100%", "+", "a+b", "?", "a?b=c", "#", ";"],
  ...["a;b", "&", "=", ":", ":x", "*", "~", "...", ".hidden", "a.", "\n", "\t", "\\"],
  ...["stash", "ladder", "pc", "console_a", "console_b", "game2", "box", "station", "second"],
  ...["CONSOLE_A", "toString", "__proto__", "0123456789", "x".repeat(300)],
  ...["한글", "中文", "Ünïcode", "İstanbul", "😀"],
];
const AwkwardName = Schema.Union([Schema.Literals(awkward), Name]);
const params = Schema.Struct({
  realm: Schema.Literals(["pc", "console_a", "console_b"]),
  name: AwkwardName,
  hasStash: Schema.Boolean,
  hasSubstash: Schema.Boolean,
});

/** Every request that the parameters can be sent in. */
const requestsOf = ({ hasStash, hasSubstash, name, realm }: typeof params.Type) => {
  const tab = { stash_id: tabId, ...(hasSubstash ? { substash_id: subTabId } : {}) };
  const stash = { realm, league: name, ...(hasStash ? tab : {}) };
  const stashMethod = hasStash ? "get" : "list";
  return [
    [`stashes.${stashMethod}`, stash],
    [`guildStashes.${stashMethod}`, stash],
    ["leagueAccounts.get", { realm, league: name }],
    ["characters.get", { realm, name }],
    ["characters.list", { realm }],
    ["leagues.ladder", { league: name }],
    ["pvpMatches.get", { match: name }],
    ["itemFilters.get", { id: name }],
    ["publicStashTabs.page", { realm }],
    ["currencyExchange.page", { realm, id: 1_700_000_000 }],
  ] as ReadonlyArray<readonly [RouteName, Record<string, unknown>]>;
};

const target = requestTarget as (name: string, request: object, words?: Words) => string;
/** Parameters as a path says them: texts, and `pc` by leaving it out. */
const said = ({ realm, ...rest }: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(realm === "pc" || realm === undefined ? rest : { realm, ...rest }).map(
      ([key, value]) => [key, String(value)],
    ),
  );

/** Each request comes back from its path, and from that of a deployment, and a router agrees. */
const agree = (input: typeof params.Type) => {
  for (const [name, values] of requestsOf(input)) {
    const [neutral, wire] = [target(name, values), target(name, values, words)];
    for (const [path, vocabulary] of [
      [neutral, identityWords],
      [wire, words],
    ] as const) {
      const match = matchPath("GET", path, vocabulary);
      assert.strictEqual(match?.name, name, path);
      assert.deepStrictEqual(said({ ...match?.params }), said(values), path);
    }
    const found = router.find("GET", neutral);
    assert.strictEqual(found?.handler, name, neutral);
    assert.deepStrictEqual(said({ ...found?.params }), said(values), neutral);
    assert.strictEqual(urlToWire(`${neutral}?id=1`, words), `${wire}?id=1`);
    assert.strictEqual(urlFromWire(`${wire}?id=1`, words), `${neutral}?id=1`);
  }
};

/** The same names in every run; CI tries more of them. */
const runs = process.env["REQUIRE_SERVICES"] === "1" ? 200 : 80;
describe("any name", () => {
  it.prop(
    "comes back from its path, in neutral words and in a deployment's, and through both",
    { input: params },
    ({ input }) => agree(input),
    { arbitrary: { seed: 26, runs } },
  );

  it("does so under each awkward name", () => {
    for (const name of awkward)
      for (const realm of ["pc", "console_a", "console_b"] as const)
        agree({ realm, name, hasStash: true, hasSubstash: true });
  });

  it("is refused where no URL can carry it: empty, ., .., half a surrogate pair", () => {
    for (const name of ["", ".", "..", "\ud800"])
      assert.throws(() => target("characters.get", { name }), /characters.get: name must/);
    assert.throws(() => target("stashes.get", { league: "L", stash_id: "console_a" }));
  });
});
