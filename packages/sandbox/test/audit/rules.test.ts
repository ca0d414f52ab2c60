/** The rules of the audit: their guide, and reports of what they could not judge. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { HINTS, toJUnit, toText } from "../../src/audit/formats.ts";
import { report } from "../../src/audit/report.ts";
import { RULES } from "../../src/audit/rules.ts";

it("an audit does not report a rule as passed if no request exercised it", () => {
  const nothing = report([{ scenario: "baseline", entries: [], publicClients: new Set() }]);
  expect(nothing.rules.map(({ id, verdict }) => [id, verdict])).toEqual(
    RULES.map(({ id }) => [id, "not exercised"]),
  );
  expect(toJUnit(nothing)).toContain(`errors="0" failures="0" skipped="${RULES.length}"`);
  // Who reads the files alone must not see green where nothing could be judged.
  for (const exit of [4, 5]) expect(toJUnit({ ...nothing, exit })).toContain(`errors="1"`);
  expect(toText(nothing)).toContain(
    `not exercised, and so not judged: ${RULES.map(({ id }) => id).join(", ")}`,
  );
});

it("the text of an audit report lists failures first, each with a hint", () => {
  const broken = [{ scenario: "gone", message: "went wrong", requests: [] }];
  const none = report([{ scenario: "baseline", entries: [], publicClients: new Set() }]);
  const rules = none.rules.map((rule) => {
    if (rule.id === "A01") return { ...rule, verdict: "pass" as const };
    return rule.id === "A43" ? { ...rule, broken, verdict: "fail" as const } : rule;
  });
  const [first, second, third, fourth] = toText({ ...none, rules }).split("\n");
  expect(first).toMatch(/^✗ A43 /u);
  expect(second).toBe("      gone: went wrong");
  expect(third).toContain(`change: ${HINTS["A43"]} (https://`);
  expect(fourth).toMatch(/^✓ A01 /u);
});

it("every audit rule has a hint", () => {
  expect(Object.keys(HINTS)).toEqual(RULES.map(({ id }) => id));
});

/** A request as rules see it: a whole answer to a list of leagues. */
const entry = (about: object, index: number) => ({
  ...{ id: index + 1, endpoint: "leagues.list", route: "/league", path: "/league", method: "GET" },
  ...{
    status: 200,
    isWhole: true,
    isEmpty: null,
    elapsedMillis: 0,
    durationMillis: 0,
    reason: null,
  },
  ...{ clientId: "mine", token: "token#1", account: null, connection: "1", requestRef: "one" },
  ...{ scopes: [], faults: [], issued: [], used: [], misplaced: [], parameters: {} },
  ...{ secretsInUrl: [], secretsInCookie: [], policy: null, limited: false, grantType: null },
  ...{ retryAfterMillis: null, cursor: null, nextCursor: null, verifierStart: null },
  ...{ at: "2026-03-01T12:00:00.000Z", state: null, challenge: null, challengeMethod: "S256" },
  ...about,
});

const at = (elapsedMillis: number, about: object = {}) => ({ elapsedMillis, ...about });
const BUSY = { status: 429, retryAfterMillis: 1000, route: "/a", policy: "p" };
const DOWN = { status: 503 };
const BLOCK = { status: 403, faults: ["firewall-a"] };
const PAGE = { endpoint: "publicStashTabs.page", cursor: "a", nextCursor: "b", isEmpty: false };
const END = { ...PAGE, cursor: "b", isEmpty: true };
const TOKEN = { endpoint: "oauth.token", path: "/oauth/token", token: null };
const spends = (ref: string, about: object = {}) => ({ ...TOKEN, used: [ref], ...about });
const issues = (ref: string) => ({ ...TOKEN, issued: [ref] });
const rung = (offset: number) => ({
  endpoint: "leagues.ladder",
  parameters: { offset: String(offset) },
});
const HOUR = { endpoint: "currencyExchange.page", cursor: "1" };
const UPDATE = { endpoint: "itemFilters.update" };
const CREATE = { endpoint: "itemFilters.create", method: "POST" };
const CUT = { ...CREATE, isWhole: false };
const consent = (state: string, challenge: string) => ({
  ...{ endpoint: "oauth.authorize", state, challenge, issued: [`code#${state}`] },
});
const redeems = (code: string, verifierStart: string) => spends(code, { verifierStart });

// What is right at the edge of a rule, and what is just beyond it.
it.each<[rule: string, judged: number, broken: number, requests: ReadonlyArray<object>]>([
  ["A01", 1, 0, [BUSY, at(500, { route: "/b", policy: "q" })]],
  ["A01", 1, 1, [BUSY, at(500, { route: "/b", policy: "p" })]],
  ["A01", 1, 0, [{ ...BUSY, policy: null }, at(500, { route: "/b" })]],
  ["A01", 1, 0, [BUSY, at(500, { route: "/a", clientId: "another" })]],
  ["A01", 0, 0, [{ ...BUSY, status: 200 }, at(10, { route: "/a" })]],
  ["A04", 1, 0, [DOWN, at(100, DOWN), at(300, DOWN), at(700, DOWN), at(1500, DOWN), at(3000)]],
  ["A04", 1, 1, [0, 100, 300, 700, 1500, 3000, 6000].map((time) => at(time, DOWN))],
  ["A04", 0, 0, [0, 1, 2, 3].map((time) => at(time, { ...DOWN, requestRef: `${time}` }))],
  ["A04", 1, 0, [DOWN, at(1)]],
  ["A04", 1, 0, [DOWN, at(100, DOWN), at(140, DOWN), at(170)]],
  ["A04", 1, 1, [DOWN, at(100, DOWN), at(140, DOWN), at(155)]],
  ["A06", 1, 0, [BLOCK, { route: "/b" }]],
  ["A06", 1, 0, [BLOCK, at(60_000)]],
  ["A06", 1, 1, [BLOCK, at(59_999)]],
  ["A23", 1, 0, [END, at(960, { ...PAGE, cursor: "b" })]],
  ["A23", 1, 1, [END, at(940, { ...PAGE, cursor: "b" })]],
  ["A23", 1, 1, [END, at(2000, { ...PAGE, cursor: "c" })]],
  ["A25", 0, 0, [{ method: "POST" }, { method: "POST" }]],
  ["A25", 1, 0, [{ status: 404 }, {}]],
  ["A38", 0, 0, [END, END]],
  ["A38", 1, 0, [{ ...PAGE, ...DOWN }, PAGE]],
  ["A38", 1, 0, [{ ...PAGE, faults: ["end"] }, PAGE]],
  ["A22", 2, 0, [PAGE, { ...PAGE, cursor: "b", nextCursor: "c" }, { ...PAGE, cursor: "c" }]],
  ["A22", 1, 0, [{ ...PAGE, isWhole: false }, PAGE]],
  ["A22", 1, 1, [PAGE, { ...PAGE, cursor: "x" }]],
  ["A22", 2, 1, [PAGE, { ...PAGE, cursor: "b", nextCursor: "c" }, PAGE]],
  ["A45", 1, 0, [0, 20, 40, 60].map((offset) => rung(offset))],
  ["A45", 1, 0, [0, 20, 30, 50].map((offset) => rung(offset))],
  ["A45", 0, 0, [0, 30].map((offset) => rung(offset))],
  ["A45", 1, 1, [0, 20, 40, 100].map((offset) => rung(offset))],
  ["A45", 1, 1, [0, 10, 20].map((offset) => rung(offset))],
  ["A09", 1, 0, [spends("refresh#1", DOWN), spends("refresh#1")]],
  ["A09", 1, 1, [spends("refresh#1"), spends("refresh#1")]],
  ["A11", 1, 0, [spends("refresh#1", { status: 400 }), spends("refresh#2")]],
  ["A11", 0, 0, [spends("refresh#1"), spends("refresh#1")]],
  ["A12", 2, 0, [spends("code#1"), spends("code#2")]],
  ["A12", 1, 1, [spends("code#1", { status: 400 })]],
  ["A13", 2, 0, [consent("a", "x"), consent("b", "y")]],
  ["A13", 2, 1, [consent("a", "x"), consent("b", "x")]],
  ["A14", 2, 0, [consent("a", "x"), consent("b", "x")]],
  ["A14", 2, 1, [consent("a", "x"), consent("a", "y")]],
  ["A47", 3, 0, [redeems("code#1", "v"), redeems("code#1", "v"), redeems("code#2", "w")]],
  ["A47", 2, 1, [redeems("code#1", "v"), redeems("code#2", "v")]],
  ["A50", 1, 0, [1, 2].flatMap((one) => [issues(`token#${one}`), { token: `token#${one}` }])],
  ["A50", 1, 1, [1, 2, 3].flatMap((one) => [issues(`token#${one}`), { token: `token#${one}` }])],
  [
    "A50",
    1,
    0,
    [1, 2, 3].flatMap((one) => [
      issues(`token#${one}`),
      { token: `token#${one}` },
      { token: `token#${one}` },
    ]),
  ],
  ["A34", 1, 1, [{ ...TOKEN, method: "GET", status: 405 }]],
  ["A43", 0, 0, [spends("code#1", { status: 401, faults: ["down"] }), spends("code#1")]],
  ["A05", 2, 0, [{ status: 400 }, { status: 400, requestRef: "two" }]],
  [
    "A05",
    2,
    0,
    [
      { status: 403, scopes: ["a"] },
      { status: 403, scopes: ["b"] },
    ],
  ],
  ["A05", 1, 0, [{ status: 400 }, { token: "token#2" }]],
  ["A05", 2, 1, [{ status: 403 }, { status: 403, token: "token#2" }]],
  ["A07", 2, 0, [{ status: 401 }, at(40, { status: 401 }), at(45, { token: "token#2" })]],
  ["A07", 1, 1, [{ status: 401 }, at(80)]],
  ["A07", 3, 1, [1, 2, 3].map((one) => ({ status: 401, token: `token#${one}` }))],
  [
    "A07",
    3,
    0,
    [1, 2, 3].map((one) => ({ status: 401, token: `token#${one}`, requestRef: `${one}` })),
  ],
  ["A08", 0, 0, [{ ...CREATE, ...DOWN }, CREATE]],
  ["A08", 1, 1, [{ ...CREATE, status: null }, CREATE]],
  ["A08", 1, 1, [CUT, CREATE]],
  ["A08", 1, 0, [CUT, { endpoint: "itemFilters.list" }, CREATE]],
  ["A02", 1, 1, [{}, { policy: "p", limited: true }]],
  ["A03", 0, 0, [{ policy: "p" }, { limited: true }, { limited: true }]],
  ["A28", 0, 0, [UPDATE, UPDATE]],
  ["A15", 0, 0, [consent("a", "x"), spends("code#a")]],
  [
    "A22",
    1,
    1,
    [
      { ...HOUR, nextCursor: "2" },
      { ...HOUR, cursor: "9" },
    ],
  ],
  [
    "A24",
    1,
    0,
    [
      { ...HOUR, isEmpty: true },
      { ...HOUR, at: "2026-03-01T13:00:00.000Z" },
    ],
  ],
  ["A44", 0, 0, [{ status: 400, faults: ["down"] }]],
  [
    "A44",
    2,
    0,
    [
      { status: 401 },
      { status: 403, endpoint: "pvpMatches.list", scopes: ["service:pvp_matches"] },
    ],
  ],
  [
    "A44",
    3,
    2,
    [
      { status: 400, reason: "a" },
      { status: 400, reason: "a" },
      { status: 400, reason: "b" },
    ],
  ],
])(
  "%s judges %i times and finds %i mistakes in the requests %j",
  (id, judged, broken, requests) => {
    const { check } = RULES.find((rule) => rule.id === id)!;
    const scenario = "baseline";
    const run = {
      scenario,
      entries: requests.map(entry) as never,
      publicClients: new Set<string>(),
    };
    const found = check(run);
    expect([found.exercised, found.broken.length]).toEqual([judged, broken]);
  },
);

it("the audit guide lists every rule", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/audit.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| (A\d\d .*?) +\| (error|warning) /gmu)].map(
    ([, rule, level]) => `${rule} ${level}`,
  );
  expect(rows).toEqual(RULES.map(({ id, severity, title }) => `${id} ${title} ${severity}`));
});
