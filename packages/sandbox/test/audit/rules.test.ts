/** The rules of the audit: their guide, and reports of what they could not judge. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { HINTS, toJUnit, toText } from "../../src/audit/formats.ts";
import { report } from "../../src/audit/report.ts";
import type { ProgramEnd } from "../../src/audit/rules/model.ts";
import { RULES, type Run } from "../../src/audit/rules.ts";
import { scenarioOf } from "../../src/audit/scenarios.ts";
import { OAUTH_FAILURES } from "../../src/oauth/OAuthFailure.ts";

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

it("an audit requires A11 of a scenario only if the program sends codes or refresh tokens", () => {
  const scenarios = [scenarioOf("revoked-by-user")!];
  const missing = (used: ReadonlyArray<string>) => {
    const entries = [entry({ used }, 0)] as unknown as Run["entries"];
    const runs = [{ scenario: "baseline", entries, publicClients: new Set<string>() }];
    return report(runs, { scenarios, require: "scenarios" }).missing;
  };
  expect([missing([]), missing(["refresh#1"])]).toEqual([
    ["A07", "A39"],
    ["A07", "A11", "A39"],
  ]);
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
const GONE = { faults: ["gone-a"] };
const CHALLENGE = { status: 403, faults: ["firewall-a"] };
const HUNG = { status: null, faults: ["hang-a"], durationMillis: 5_000 };
const CUT = { faults: ["cut-a"] };
const REFUSED = { status: 401, token: "token#4" };
const EXPIRED = { status: 401, faults: ["expired-a"] };
const LIMITED = { policy: "p", limited: true };
const PAGE = { endpoint: "publicStashTabs.page", cursor: "a", nextCursor: "b", isEmpty: false };
const SECOND = { ...PAGE, cursor: "b", nextCursor: "c" };
const END = { ...SECOND, isEmpty: true };
const START = { ...PAGE, cursor: null };
const DOWN_PAGE = { ...PAGE, ...DOWN };
const inRealm = (realm: string, page: object) => ({ ...page, parameters: { realm } });
const TOKEN = { endpoint: "oauth.token", path: "/oauth/token", token: null };
const INTROSPECT = { endpoint: "oauth.introspect" };
const spends = (ref: string, about: object = {}) => ({ ...TOKEN, used: [ref], ...about });
const issues = (ref: string) => ({ ...TOKEN, issued: [ref] });
const usedOnce = (id: number, about: object = {}) => [
  { ...issues(`token#${id}`), ...about },
  { token: `token#${id}`, ...about },
];
const USED_ELSEWHERE = { used: ["refresh#1"] };
const SPENT = spends("refresh#1", { status: 400 });
const NO_GRANT = { ...TOKEN, status: 400, reason: OAUTH_FAILURES.ParameterMissing.description };
const rung = (offset: number, about: object = {}) => ({
  endpoint: "leagues.ladder",
  parameters: { offset: String(offset), ...about },
});
const ladder = (...offsets: ReadonlyArray<number>) => offsets.map((offset) => rung(offset));
const HOUR = { endpoint: "currencyExchange.page", cursor: "1" };
const UPDATE = { endpoint: "itemFilters.update", status: 202 };
const CREATE = { endpoint: "itemFilters.create", method: "POST" };
const CUT_CREATE = { ...CREATE, isWhole: false };
const LIST = { endpoint: "itemFilters.list" };
const AUTHORIZE = { endpoint: "oauth.authorize" };
const consent = (state: string, challenge: string) => ({
  ...{ ...AUTHORIZE, state, challenge, issued: [`code#${state}`] },
});
const redeems = (code: string, verifierStart: string) => spends(code, { verifierStart });
const LOOKED_UP = { endpoint: "pvpMatches.list", status: 403 };

/** How the program ended, after a run without faults that ended well. */
const ending = (about: Partial<ProgramEnd> = {}) => {
  const baseline: ProgramEnd = {
    ...{ exit: 0, signal: null, isTimeout: false, isRunTimeOver: false, millis: 1_000 },
    ...{ elapsedMillis: 10_000, stderrTail: "" },
  };
  return { baseline, ended: { ...baseline, ...about } };
};
const ENDED_LATE = ending({ isTimeout: true, millis: 12_000, elapsedMillis: 5_050 });
const EARLIER = new Set([1]);
const REUSED = { reused: { state: EARLIER, challenge: EARLIER, verifierStart: EARLIER } };
const TIGHTENS = { scenario: "policy-tightens" };
const NODE = "\n  my.KeyError: a \nnot my.Error, panic: b\nNode.js v24.0.0\n";

/** A rule, how often it judges, the number of mistakes or a text of the only one, requests, run. */
type Row = [string, number, number | string, ReadonlyArray<object>, Partial<Run>?];
const crash = (stderrTail: string): Row => ["A40", 1, 1, [], ending({ exit: 1, stderrTail })];

// What is right at the edge of a rule, and what is just beyond it.
it.each<Row>([
  ["A01", 1, 0, [BUSY, at(500, { route: "/b", policy: "q" })]],
  ["A01", 1, 0, [BUSY, at(950, { route: "/a" })]],
  ["A01", 1, "after 949 ms, Retry", [at(100, BUSY), at(1049, { route: "/b", policy: "p" })]],
  ["A01", 1, 0, [{ ...BUSY, policy: null }, at(500, { route: "/b" })]],
  ["A01", 1, 0, [BUSY, at(500, { route: "/a", clientId: "another" })]],
  ["A01", 0, 0, [{ ...BUSY, status: 200 }, { status: 429 }, at(10, { route: "/a" })]],
  ["A02", 1, "exceeded the policy p", [{}, LIMITED]],
  ["A02", 1, 0, [{ ...LIMITED, faults: ["tight"] }]],
  ["A02", 0, 0, [LIMITED], TIGHTENS],
  ["A03", 0, 0, [LIMITED, LIMITED]],
  ["A03", 1, 1, [{}, LIMITED, LIMITED], TIGHTENS],
  ["A04", 1, 0, [DOWN, at(100, DOWN), at(300, DOWN), at(700, DOWN), at(1500, DOWN), at(3000)]],
  ["A04", 1, "retried 6 times", [0, 100, 300, 700, 1500, 3000, 6000].map((time) => at(time, DOWN))],
  ["A04", 0, 0, [0, 1, 2, 3].map((time) => at(time, { ...DOWN, requestRef: `${time}` }))],
  ["A04", 0, 0, [{}, {}]],
  ["A04", 1, 0, [{ status: 500 }, at(1)]],
  ["A04", 1, 0, [{ status: null }, at(1)]],
  ["A04", 1, 0, [DOWN, at(100, DOWN), at(150, DOWN), at(175)]],
  ["A04", 1, 0, [DOWN, at(100, DOWN), at(200, DOWN), at(240)]],
  ["A04", 1, "waited 100, 40, 15 ms between retries", [0, 100, 140, 155].map((t) => at(t, DOWN))],
  ["A04", 1, 0, [DOWN, at(14, DOWN), at(29)]],
  ["A04", 1, "waited 9, 9 ms", [{ ...DOWN, retryAfterMillis: 0 }, DOWN, at(9, DOWN), at(18)]],
  ["A06", 1, 0, [CHALLENGE, { route: "/b" }]],
  ["A06", 1, 0, [CHALLENGE, at(60_000)]],
  ["A06", 1, 1, [CHALLENGE, at(59_999)]],
  ["A06", 0, 0, [{ ...CHALLENGE, policy: "p" }, {}]],
  ["A23", 1, 0, [END, at(950, SECOND)]],
  ["A23", 1, 0, [END, at(950, { ...PAGE, cursor: "c" })]],
  ["A23", 1, "again after 949 ms", [at(100, END), at(1049, SECOND)]],
  ["A23", 1, "requested another id at the end of the stream", [END, at(2000, PAGE)]],
  ["A23", 0, 0, [END, {}, inRealm("a", END), inRealm("b", SECOND)]],
  ["A23", 0, 0, [{ ...END, ...DOWN }, SECOND]],
  ["A25", 0, 0, [{ method: "POST" }, { method: "POST" }]],
  ["A25", 1, 0, [{ status: 404 }, {}]],
  ["A25", 2, 0, [{}, at(60_000)]],
  ["A25", 2, 1, [{}, at(59_999)]],
  ["A38", 0, 0, [END, END]],
  ["A38", 1, 0, [DOWN_PAGE, PAGE]],
  ["A38", 1, 0, [{ ...PAGE, faults: ["end"] }, PAGE]],
  ["A22", 2, 0, [PAGE, SECOND, { ...PAGE, cursor: "c" }]],
  ["A22", 1, 0, [PAGE, PAGE]],
  ["A22", 2, 0, [PAGE, { ...SECOND, isWhole: false }, PAGE]],
  ["A22", 1, 0, [PAGE, { ...SECOND, status: 400, faults: ["down"] }]],
  ["A22", 0, 0, [DOWN_PAGE, DOWN_PAGE]],
  ["A22", 0, 0, [START, START, { cursor: "a" }, { cursor: "b" }]],
  ["A22", 0, 0, [inRealm("a", PAGE), inRealm("b", SECOND)]],
  ["A22", 1, "requested an id that it had not received", [PAGE, { ...PAGE, cursor: "x" }]],
  ["A22", 2, "began the stream again", [PAGE, SECOND, PAGE]],
  ["A22", 3, 1, [PAGE, SECOND, { ...DOWN_PAGE, cursor: "c", nextCursor: null }, PAGE]],
  ["A26", 0, 0, [{ parameters: { offset: "15000" } }, { endpoint: null }]],
  ["A45", 0, 0, [{}, {}, {}]],
  ["A45", 0, 0, [...ladder(0, 20), rung(40, { sort: "depth" }), rung(60, { sort: "depth" })]],
  ["A45", 1, 0, ladder(0, 20, 30, 50)],
  ["A45", 1, 0, ladder(0, 40, 100)],
  ["A45", 1, 0, ladder(0, 20, 70)],
  ["A45", 1, 0, [0, 30, 60].map((offset) => rung(offset, { limit: "30" }))],
  ["A45", 1, "left out 30 of every 50 entries of a ladder", ladder(0, 50, 100)],
  ["A45", 1, "left out the entries 60 to 99 of a ladder", ladder(40, 0, 20, 100)],
  ["A45", 1, "requested each entry of a ladder up to 2 times", ladder(0, 10, 20)],
  ["A09", 1, 0, [spends("refresh#1", { status: 500 }), spends("refresh#1"), USED_ELSEWHERE]],
  ["A09", 1, 1, [spends("refresh#1"), spends("refresh#1")]],
  ["A09", 1, 1, [DOWN, DOWN, {}].map((about) => spends("refresh#1", about))],
  ["A10", 1, 0, [spends("refresh#1"), at(6, spends("refresh#1", { connection: "2" }))]],
  ["A10", 1, 0, [spends("refresh#1"), at(5, spends("refresh#1")), spends("code#1")]],
  ["A10", 1, 1, [spends("refresh#1"), at(5, spends("refresh#1", { connection: "2" }))]],
  ["A11", 1, 0, [SPENT, spends("refresh#2"), USED_ELSEWHERE]],
  ["A11", 0, 0, [spends("refresh#1"), spends("refresh#1")]],
  ["A12", 2, 0, [spends("code#1"), spends("code#2"), spends("refresh#1")]],
  ["A12", 1, "redeemed a code too late or wrongly", [spends("code#1", { status: 400 })]],
  ["A13", 2, 0, [consent("a", "x"), consent("b", "y")]],
  ["A13", 2, "used one code_challenge more than once", [consent("a", "x"), consent("b", "x")]],
  ["A14", 2, 0, [consent("a", "x"), consent("b", "x")]],
  ["A14", 2, 0, [consent("a", "x"), { ...consent("a", "y"), issued: [] }]],
  ["A14", 2, "used one state more than once", [consent("a", "x"), consent("a", "y")]],
  ["A14", 1, "used the state of an earlier run again", [consent("a", "x")], REUSED],
  ["A47", 3, 0, [redeems("code#1", "v"), redeems("code#1", "v"), redeems("code#2", "w"), {}]],
  ["A47", 1, 0, [{}, redeems("code#1", "v")], REUSED],
  ["A47", 2, "verifiers that begin alike", [redeems("code#1", "v"), redeems("code#2", "v")]],
  ["A48", 2, 0, [INTROSPECT, {}, INTROSPECT, {}]],
  ["A48", 3, 1, [...[1, 2, 3].flatMap(() => [INTROSPECT, TOKEN, {}]), {}, {}, {}]],
  ["A48", 3, 0, [...[1, 2, 3].flatMap(() => [INTROSPECT, {}]), {}, {}, {}, {}]],
  ["A50", 0, 0, [{ token: "token#1" }, consent("a", "x")]],
  ["A50", 1, 0, [1, 2].flatMap((id) => usedOnce(id))],
  ["A50", 1, 1, [1, 2, 3].flatMap((id) => usedOnce(id))],
  ["A50", 1, 0, [...[1, 2, 3].flatMap((id) => usedOnce(id)), { token: "token#3" }]],
  ["A50", 1, 1, [...[1, 2, 3, 4].flatMap((id) => usedOnce(id)), REFUSED]],
  ["A50", 3, 0, ["x", "y", "z"].flatMap((account, id) => usedOnce(id, { account }))],
  ["A34", 1, "sent a token request that was answered 405", [{ ...TOKEN, status: 405 }]],
  ["A34", 1, "sent a token request that was answered 415", [{ ...TOKEN, status: 415 }]],
  ["A34", 1, "was refused as a client", [{ ...TOKEN, status: 401 }]],
  ["A34", 1, "sent a token request without a grant type", [NO_GRANT]],
  ["A34", 1, "request that was refused: ", [{ ...NO_GRANT, grantType: "refresh_token" }]],
  ["A34", 0, 0, [{ ...NO_GRANT, faults: ["down"] }, { status: 401 }]],
  ["A43", 0, 0, [spends("code#1", { status: 401, faults: ["down"] }), spends("code#1")]],
  ["A43", 1, 0, [spends("code#1", { status: 401 }), {}, spends("code#1", { requestRef: "two" })]],
  ["A05", 2, 0, [{ status: 400 }, { status: 404, endpoint: null, requestRef: "two" }]],
  ["A05", 2, 0, [["a"], ["b"]].map((scopes) => ({ status: 403, scopes }))],
  ["A05", 1, 0, [{ status: 400 }, { token: "token#2" }]],
  ["A05", 2, "repeated after 403", [1, 2].map((id) => ({ status: 403, token: `token#${id}` }))],
  ["A07", 2, 0, [{ status: 401 }, at(50, { status: 401 }), at(55, { token: "token#2" })]],
  ["A07", 1, "sent a token again that had been refused", [{ status: 401 }, at(51)]],
  ["A07", 3, "3 times 401 for one", [1, 2, 3].map((id) => ({ status: 401, token: `${id}` }))],
  ["A07", 3, 0, [1, 2, 3].map((id) => ({ status: 401, token: `${id}`, requestRef: `${id}` }))],
  ["A07", 1, "requested no new token after 401", [EXPIRED, { token: "token#2" }], ending()],
  ["A07", 2, 0, [EXPIRED, issues("token#2"), { ...EXPIRED, token: "token#2" }], ending()],
  ["A07", 1, 0, [EXPIRED], ending({ isRunTimeOver: true })],
  ["A07", 0, 0, [{ ...TOKEN, status: 401 }]],
  ["A08", 0, 0, [{ ...CREATE, ...DOWN }, CREATE]],
  ["A08", 1, 1, [{ ...CREATE, status: null }, CREATE]],
  ["A08", 1, 1, [LIST, CUT_CREATE, CREATE, LIST]],
  ["A08", 1, 0, [CUT_CREATE, LIST, CREATE]],
  ["A28", 0, 0, [1, 2].map(() => ({ ...UPDATE, status: 200 }))],
  ["A28", 2, 0, [UPDATE, { ...UPDATE, requestRef: "two" }]],
  ["A21", 2, 0, [GONE, GONE]],
  ["A15", 0, 0, [consent("a", "x"), spends("code#a"), { ...AUTHORIZE, isForged: true }]],
  ["A22", 1, 1, [at(0, { ...HOUR, nextCursor: "2" }), { ...HOUR, cursor: "9" }]],
  ["A24", 1, 0, [at(0, { ...HOUR, isEmpty: true }), { ...HOUR, at: "2026-03-01T13:00:00.000Z" }]],
  ["A44", 0, 0, [GONE, { ...TOKEN, status: 400 }, { ...PAGE, status: 400 }, { endpoint: null }]],
  ["A44", 3, 0, [{ status: 401 }, { token: null }, { status: 404, reason: "There is none." }]],
  ["A44", 1, 1, [{ ...START, status: 400 }]],
  ["A44", 1, 1, [LOOKED_UP]],
  ["A44", 1, 0, [{ ...LOOKED_UP, scopes: ["service:pvp_matches"] }]],
  ["A44", 2, 0, [AUTHORIZE, { ...AUTHORIZE, reason: "The user denied the request." }]],
  ["A44", 1, "oauth.authorize was refused: no", [{ ...AUTHORIZE, reason: "no" }]],
  ["A44", 3, 2, ["a", "a", "b"].map((reason) => ({ status: 400, reason }))],
  ["A29", 0, 0, [HUNG]],
  ["A29", 0, 0, [{ ...HUNG, status: 200 }], ENDED_LATE],
  ["A29", 1, "waited 5 s for an answer, until the program was ended", [HUNG], ENDED_LATE],
  ["A29", 2, 0, [HUNG, { ...HUNG, durationMillis: 4_999 }], ENDED_LATE],
  ["A39", 0, 0, [{ ...CUT, method: "POST" }], ending()],
  ["A39", 1, "took half an answer for a whole one, and ended well", [CUT], ending()],
  ["A40", 1, "crashed (exit 1): my.KeyError: a", [], ending({ exit: 1, stderrTail: NODE })],
  ["A40", 1, "(exit 0): a is not a", [], ending({ stderrTail: "a is not a function\nb" })],
  ["A40", 1, "a (J::Error)", [], ending({ exit: 1, stderrTail: "a (J::Error)\n\tfrom t.rb:1" })],
  ["A40", 1, "crashed (SIGBUS): c", [], ending({ signal: "SIGBUS", stderrTail: "a\nb\nc\n" })],
  ["A40", 1, 0, [], ending({ stderrTail: NODE })],
  ...["Bun v1.2.3 (a)", "error: Uncaught a", "Traceback (most recent call last):"].map(crash),
  ...["panic: a", "fatal error: a", 'Exception in thread "a"', "a (NoMethodError)"].map(crash),
  ...["thread 'a' panicked at b", "Unhandled exception. a", "PHP Fatal error:  a"].map(crash),
  ...["null is not an object", "undefined is not iterable", "'NoneType' object is a"].map(crash),
  ...["NullPointerException", "NullReferenceException", "nil pointer dereference"].map(crash),
  ...["undefined method `a' for nil", "Call to a member function a() on null"].map(crash),
  ["A41", 1, "did not end within 12 s; without faults it ended after 1 s", [], ENDED_LATE],
])(
  "%s judges %i times and finds %s mistakes in the requests %j",
  (id, judged, broken, requests, about) => {
    const { check } = RULES.find((rule) => rule.id === id)!;
    const entries = requests.map(entry) as never;
    const found = check({ scenario: "baseline", publicClients: new Set(), entries, ...about });
    const messages = found.broken.map(({ message }) => message);
    const count = typeof broken === "string" ? 1 : broken;
    expect([found.exercised, messages.length]).toEqual([judged, count]);
    if (typeof broken === "string") expect(messages[0]).toContain(broken);
  },
);

it("the audit guide lists every rule", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/audit.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| (A\d\d .*?) +\| (error|warning) /gmu)].map(
    ([, rule, level]) => `${rule} ${level}`,
  );
  expect(rows).toEqual(RULES.map(({ id, severity, title }) => `${id} ${title} ${severity}`));
});
