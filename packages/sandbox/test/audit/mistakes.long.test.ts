/** Each mistake that a client can make is named: mistake, scenario, rule, words. */
import { Effect } from "effect";
import { describe, expect, it, vi } from "vitest";
import { audit as auditEffect, type AuditOptions } from "../../src/audit/audit.ts";
import { toText } from "../../src/audit/formats.ts";
import { RULES } from "../../src/audit/rules.ts";
import { scenarioOf } from "../../src/audit/scenarios.ts";
import { PRELUDE } from "./prelude.ts";

vi.setConfig({ testTimeout: 60_000 });

/** A mistake: what it is, in which scenario it shows and which rule names it. */
type Mistake = `${string}, in ${string}: A${number}`;

/** A filter of its own, and where it is. */
const FILTER = `const { access_token: t } = await signIn("account:item_filter");
     const made = await send("/item-filter", t, { filter_name: "mine", realm: "pc", filter: "Show" });
     const path = "/item-filter/" + made.body.filter.id;`;

const MISTAKES: Readonly<Record<Mistake, readonly [says: RegExp, body: string]>> = {
  "throws on null, in gone: A40": [
    /crashed \(exit 1\): TypeError/u,
    `const t = await token("service:leagues");
     const { body } = await get("/league/Standard", t);
     console.log(body.league.id.length);`,
  ],
  "waits for ever for an answer, in hang: A29": [
    /waited \d+ s for an answer/u,
    `const t = await token(); await get("/league?limit=2", t);`,
  ],
  "does not end, in hang: A41": [
    /did not end within \d+ s/u,
    `const t = await token(); await get("/league?limit=2", t);`,
  ],
  "sends a token request as JSON, in baseline: A34": [
    /refused: The body must be application\/x-www-form-urlencoded/u,
    `await call(auth + "/oauth/token", { method: "POST", headers: { "content-type": "application/json" },
       body: JSON.stringify({ grant_type: "client_credentials", client_id: id, client_secret: secret }) });`,
  ],
  "leaves the grant type out, in baseline: A34": [
    /without a grant type/u,
    `await form({ client_id: id, client_secret: secret, scope: "service:leagues" });`,
  ],
  "sends a wrong secret again and again, in baseline: A43": [
    /again after invalid_client/u,
    `for (let at = 0; at < 3; at++)
       await form({ grant_type: "client_credentials", client_id: id, client_secret: "wrong", scope: "service:leagues" });`,
  ],
  "asks the stream without an id each time, in baseline: A38": [
    /fetched one page 2 times/u,
    `const t = await token("service:psapi");
     for (let at = 0; at < 2; at++) await get("/public-stash-tabs", t);`,
  ],
  "makes an id of the stream up, in baseline: A22": [
    /an id that the service never sent/u,
    `const t = await token("service:psapi"); await get("/public-stash-tabs?id=1-2-3-4-5", t);`,
  ],
  "takes half an answer for a whole one, in cut-body: A39": [
    /took half an answer/u,
    `const t = await token(); await get("/league?limit=1", t);
     await get("/league?limit=2", t).catch(() => undefined); await get("/league?limit=3", t);`,
  ],
  "takes an empty answer for a whole one, in empty-body: A39": [
    /took an empty answer/u,
    `const t = await token(); await get("/league?limit=1", t); await get("/league?limit=2", t);`,
  ],
  "uses no PKCE of its own, in baseline: A13": [
    /S256/u,
    `await consent(authorizeUrl({ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "plain" }));`,
  ],
  "sends no state, in baseline: A14": [
    /sent no state/u,
    `const url = new URL(authorizeUrl({ code_challenge: pkce().challenge })); url.searchParams.delete("state"); await consent(url.href);`,
  ],
  "redeems the code of a forged callback, in forged-callback: A15": [
    /wrong state/u,
    `const { challenge, verifier } = pkce();
     await redeem(codeOf(await consent(authorizeUrl({ code_challenge: challenge }))), verifier);`,
  ],
  "puts a secret into the authorize URL, in baseline: A16": [
    /client_secret in the URL/u,
    `await consent(authorizeUrl({ code_challenge: pkce().challenge, client_secret: secret }));`,
  ],
  "puts a token into a cookie, in baseline: A16": [
    /access_token in a cookie/u,
    `const t = await token();
     await call(data + "/league", { headers: { cookie: "access_token=" + t, authorization: "Bearer " + t } });`,
  ],
  "uses a refresh token twice, one after the other, in baseline: A09": [
    /one refresh token 2 times/u,
    `const tokens = await signIn();
     await refresh(tokens.refresh_token); await wait(30); await refresh(tokens.refresh_token);`,
  ],
  "refreshes twice at once over an expired token, in token-expires-mid-run: A10": [
    /at once/u,
    `const tokens = await signIn(); await refresh((await signIn()).refresh_token);
     const answers = [await get("/profile", tokens.access_token), await get("/profile", tokens.access_token)];
     if (answers.some(({ status }) => status === 401))
       await Promise.all([refresh(tokens.refresh_token), refresh(tokens.refresh_token)]);`,
  ],
  "redeems a code twice, in baseline: A12": [
    /a code more than once/u,
    `const { challenge, verifier } = pkce(); const code = codeOf(await consent(authorizeUrl({ code_challenge: challenge })));
     await redeem(code, verifier); await redeem(code, verifier);`,
  ],
  "asks for what is gone again and again, in gone: A21": [
    /requested 4 times what is gone/u,
    `const t = await token(); for (let at = 0; at < 4; at++) await get("/league/Standard", t);`,
  ],
  "does not wait for Retry-After, in maintenance: A01": [
    /Retry-After was 1000 ms/u,
    `const t = await token(); await get("/league?limit=2", t); await get("/league?limit=2", t);`,
  ],
  "goes on with a token after its 401, in revoked-by-user: A07": [
    /a token again that had been refused/u,
    `const t = await token();
     for (let at = 1; at < 6; at++) { await get("/league?limit=" + at, t); await wait(80); }`,
  ],
  "prints what it did wrong with null, and ends, in gone: A40": [
    /crashed \(exit 1\): Cannot read properties of null/u,
    `const t = await token();
     const { body } = await get("/league/Standard", t);
     try { console.log(body.league.id.length); } catch (error) { console.error(error.message); process.exitCode = 1; }`,
  ],
  "gives up at the first 401, in token-expires-mid-run: A07": [
    /requested no new token after 401/u,
    `const t = await token();
     if ((await get("/league?limit=2", t)).status === 401) console.error("signed out");`,
  ],
  "gives up at a firewall's page, and ends with 0, in firewall-block: A39": [
    /gave up at 403, and ended well/u,
    `const t = await token();
     for (const limit of [2, 3]) if ((await get("/league?limit=" + limit, t)).status === 403) break;`,
  ],
  "has one state for all its runs, in league-ends: A14": [
    /the state of an earlier run again/u,
    `await consent(authorizeUrl({ code_challenge: pkce().challenge, state: "always the same" }));`,
  ],
  "has one verifier for all its runs, in league-ends: A13": [
    /the code_challenge of an earlier run again/u,
    `const { createHash: sha } = await import("node:crypto");
     await consent(authorizeUrl({ code_challenge: sha("sha256").update("a".repeat(43)).digest("base64url") }));`,
  ],
  "sends more than a policy allows, in baseline: A02": [
    /exceeded the policy tight/u,
    `await call(control + "/policies", { method: "PUT", body: JSON.stringify({ enabled: true, hiddenBuckets: null,
       policies: { tight: { Client: "3:60:60" } }, endpoints: { "*": "tight" } }) });
     const t = await token(); for (let at = 1; at < 6; at++) await get("/league?limit=" + at, t);`,
  ],
  "goes on as before under a tighter policy, in policy-tightens: A03": [
    /exceeded a policy that had been announced/u,
    `const t = await token(); for (let at = 1; at < 13; at++) await get("/league?limit=" + at, t);`,
  ],
  "retries eight times, in baseline: A04": [
    /retried 8 times/u,
    `await call(control + "/faults", { method: "POST", body: JSON.stringify(
       { match: { endpoint: "leagues" }, fault: { kind: "status", status: 503 } }) });
     const t = await token(); for (let at = 0; at < 9; at++) await get("/league?limit=2", t);`,
  ],
  "repeats what was refused for good, in baseline: A05": [
    /repeated after 400/u,
    `const t = await token(); for (let at = 0; at < 2; at++) await get("/league?limit=999", t);`,
  ],
  "goes on after a firewall's page, in firewall-block: A06": [
    /went on after the block/u,
    `const t = await token(); for (let at = 1; at < 4; at++) await get("/league?limit=" + at, t);`,
  ],
  "sends a create again whose answer was lost, in cut-body: A08": [
    /a create again after a lost answer/u,
    `const { access_token: t } = await signIn("account:item_filter");
     const filter = { filter_name: "mine", realm: "pc", filter: "Show" };
     for (let at = 0, made; at < 3 && made?.status !== 200; at++)
       made = await send("/item-filter", t, filter).catch(() => undefined);`,
  ],
  "sends a refused refresh token again, in baseline: A11": [
    /again after invalid_grant/u,
    `const { refresh_token } = await signIn(); for (let at = 0; at < 3; at++) await refresh(refresh_token);`,
  ],
  "sends a secret as a public client, in baseline: A17": [
    /public client sent a secret/u,
    `await form({ grant_type: "refresh_token", client_id: "example-desktop", client_secret: "any", refresh_token: "none" });`,
  ],
  "begins the stream again, in baseline: A22": [
    /began the stream again/u,
    `const t = await token("service:psapi"); const { body } = await get("/public-stash-tabs", t);
     await get("/public-stash-tabs?id=" + body.next_change_id, t); await get("/public-stash-tabs", t);`,
  ],
  "does not pause at the end of the stream, in stream-end: A23": [
    /ms at the end of the stream/u,
    `const t = await token("service:psapi"); const { body } = await get("/public-stash-tabs", t);
     for (let at = 0; at < 2; at++) await get("/public-stash-tabs?id=" + body.next_change_id, t);`,
  ],
  "asks for an hour that is not over, in hour-boundary: A24": [
    /the hour again before its end/u,
    `const t = await token("service:cxapi"); const { body } = await get("/currency-exchange", t);
     for (let at = 0; at < 2; at++) await get("/currency-exchange/" + body.next_change_id, t);`,
  ],
  "fetches the same twice, in baseline: A25": [
    /the same again within a minute/u,
    `const t = await token(); for (let at = 0; at < 2; at++) await get("/league", t);`,
  ],
  "asks a ladder beyond its end, in baseline: A26": [
    /requested a ladder from place 15000 on/u,
    `await get("/league/Standard/ladder?offset=15000", await token("service:leagues:ladder"));`,
  ],
  "refuses a member that it does not know, in drifted-schema: A27": [
    /ended with 1 over unknown members/u,
    `if ((await get("/league", await token())).text.includes("memberOfTomorrow")) process.exit(1);`,
  ],
  "refuses a member that is null, in all-null: A27": [
    /ended with 1 over members that are null/u,
    `if ((await get("/league", await token())).body.leagues[0].category === null) process.exit(1);`,
  ],
  "sends an update again that was accepted, in filter-202: A28": [
    /an update again that was accepted/u,
    `${FILTER} for (let at = 0; at < 2; at++) await send(path, t, { description: "new" });`,
  ],
  "sends a token without Bearer, in baseline: A44": [
    /leagues\.list was refused: The request carries no bearer token/u,
    `const t = await token(); await call(data + "/league", { headers: { authorization: t } }); await get("/league", t);`,
  ],
  "steps by fifty through a ladder whose pages have twenty, in baseline: A45": [
    /left out 30 of every 50 entries/u,
    `const t = await token("service:leagues:ladder");
     for (let offset = 0; offset < 200; offset += 50) await get("/league/Standard/ladder?offset=" + offset, t);`,
  ],
  "sends its verifier as state, in baseline: A46": [
    /sent the code_verifier as state/u,
    `const { challenge, verifier } = pkce(); await consent(authorizeUrl({ code_challenge: challenge, state: verifier }));`,
  ],
  "sends a refresh token to the data API, in baseline: A46": [
    /sent a refresh token as bearer/u,
    `await get("/profile", (await signIn()).refresh_token);`,
  ],
  "sends its secret in a header of the data API, in baseline: A46": [
    /sent a client secret in the header x-client-secret/u,
    `const t = await token(); await call(data + "/league", { headers: { authorization: "Bearer " + t, "x-client-secret": secret } });`,
  ],
  "has verifiers that begin alike in all runs, in league-ends: A47": [
    /began a code_verifier as in an earlier run/u,
    `const verifier = "my-application-verifier-" + randomBytes(18).toString("base64url");
     const challenge = createHash("sha256").update(verifier).digest("base64url");
     await redeem(codeOf(await consent(authorizeUrl({ code_challenge: challenge }))), verifier);`,
  ],
  "has a verifier of one letter, in baseline: A47": [
    /few different characters/u,
    `const verifier = "a".repeat(43);
     const challenge = createHash("sha256").update(verifier).digest("base64url");
     await redeem(codeOf(await consent(authorizeUrl({ code_challenge: challenge }))), verifier);`,
  ],
  "introspects its token before every call, in baseline: A48": [
    /before each of 3 calls/u,
    `const t = await token("service:leagues oauth:introspect");
     for (const limit of [1, 2, 3]) {
       await call(auth + "/oauth/token/introspect", { method: "POST", body: new URLSearchParams({ token: t }),
         headers: { authorization: "Bearer " + t } });
       await get("/league?limit=" + limit, t);
     }`,
  ],
  "takes a new token for each request, in baseline: A50": [
    /a new access token for each of 3 requests/u,
    `for (const limit of [1, 2, 3]) await get("/league?limit=" + limit, await token());`,
  ],
  "encodes the name of a league twice, in baseline: A49": [
    /percent-encoded a name twice/u,
    `await get("/league/" + encodeURIComponent(encodeURIComponent("Hardcore Tidewrack")), await token());`,
  ],
  "asks in the browser for a service's scope, in baseline: A44": [
    /oauth\.authorize was refused: The scope/u,
    `await consent(authorizeUrl({ code_challenge: pkce().challenge, scope: "account:profile service:psapi" }));
     await signIn("account:profile");`,
  ],
};

/** Longer than a program takes on a busy machine. */
const MILLIS = 12_000;

const audit = (command: ReadonlyArray<string>, options: AuditOptions) =>
  Effect.runPromise(auditEffect(command, options));

/** Every request of the program hangs. */
const HANGS = {
  method: "POST",
  path: "/faults",
  body: [{ id: "hang-all", match: { endpoint: "leagues" }, fault: { kind: "hang" } }],
} as const;

const auditOf = (body: string, scenario: string, done = scenarioOf(scenario)!) =>
  audit([process.execPath, "--input-type=module", "-e", PRELUDE + body], {
    sandbox: { world: { streamHistoryPages: 2, streamPageSize: 20, ladderSize: 500 } },
    scenarios: [done],
    timeoutMillis: MILLIS,
  });

describe("the audit names", () => {
  it.each(Object.entries(MISTAKES))(
    "the audit reports a program that %s",
    async (what, [says, body]) => {
      const [, scenario, id] = /, in ([\w-]+): (A\d+)$/u.exec(what) as unknown as [
        string,
        string,
        string,
      ];
      const { exit, rules, runs } = await auditOf(body, scenario);
      const rule = rules.find((one) => one.id === id)!;
      expect(rule.broken.map(({ message }) => message).join("\n")).toMatch(says);
      expect(rule.verdict).toBe(rule.severity === "error" ? "fail" : "warn");
      if (rule.severity === "error") expect(exit).toBe(3);
      // A crash is the program's, not a request's.
      if (id !== "A40") expect(rule.broken.every(({ requests }) => requests.length > 0)).toBe(true);
      // The mistake alone: without faults the program works.
      if (scenario !== "baseline") expect(runs[0]).toMatchObject({ exit: 0, isTimeout: false });
    },
  );

  it("the list of faulty programs has at least one for every audit rule", () => {
    const named = new Set(Object.keys(MISTAKES).map((what) => what.slice(-3)));
    expect([...named].toSorted()).toEqual(RULES.map(({ id }) => id));
  });

  it("the audit reports a secret in the URL of a token request, and no missing grant type", async () => {
    const { rules } = await auditOf(
      `await call(auth + "/oauth/token?client_secret=" + secret, { method: "POST",
         body: new URLSearchParams({ grant_type: "client_credentials", client_id: id }) });`,
      "baseline",
    );
    const verdicts = ["A16", "A34"].map((id) => rules.find((rule) => rule.id === id)!.verdict);
    expect(verdicts).toEqual(["fail", "pass"]);
  });

  it("the audit reports no missing timeout if the program aborted one request before the audit ended another", async () => {
    const { rules } = await auditOf(
      `const t = await token();
       for (let at = 0; at < 99; at++)
         await call(data + "/league?limit=2", { headers: { authorization: "Bearer " + t },
           signal: AbortSignal.timeout(400) }).then(() => process.exit(), () => undefined);`,
      "hang",
      { ...scenarioOf("hang")!, setup: [HANGS] },
    );
    expect(rules.find(({ id }) => id === "A29")!.verdict).toBe("pass");
  });

  it("the audit reports no mistake of a program that follows two realms at the same time", async () => {
    const body = `const t = await token("service:psapi service:cxapi");
      const pages = ["/public-stash-tabs", "/public-stash-tabs/console_a"];
      const first = await Promise.all(pages.map((path) => get(path, t)));
      await Promise.all(pages.map((path, at) => get(path + "?id=" + first[at].body.next_change_id, t)));
      for (const realm of ["", "/console_a"]) {
        const { next_change_id } = (await get("/currency-exchange" + realm, t)).body;
        await get("/currency-exchange" + realm + "/" + next_change_id, t);
      }`;
    expect((await auditOf(body, "baseline")).rules.flatMap(({ broken }) => broken)).toEqual([]);
  });
});

describe("an audit", () => {
  it("an audit exits with 5 and runs no scenario if the program fails without faults", async () => {
    const report = await auditOf(`throw new TypeError("of its own");`, "gone");
    expect([report.exit, report.runs.length]).toEqual([5, 1]);
    expect(report.runs[0]!.stderrTail).toContain("of its own");
  });

  it("an audit ends a service after the time of --for, and reports no mistake for that", async () => {
    const report = await audit([process.execPath, "-e", "setInterval(() => {}, 1000)"], {
      scenarios: [scenarioOf("league-ends")!],
      forMillis: 300,
      timeoutMillis: MILLIS,
    });
    const named = report.rules.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
    expect(named).toEqual([]);
    expect([report.exit, report.runs.map(({ isRunTimeOver }) => isRunTimeOver)]).toEqual([
      0,
      [true, true],
    ]);
  });

  it("an audit exits with 5 if a time limit shorter than --for ends the program", async () => {
    const limits = { forMillis: MILLIS, timeoutMillis: 300 };
    const service = [process.execPath, "-e", "setInterval(() => {}, 1000)"];
    const report = await audit(service, { scenarios: [], ...limits });
    expect([report.exit, report.runs[0]!.isTimeout]).toEqual([5, true]);
  });

  it("an audit ends a program that ignores SIGTERM, and the processes that it started", async () => {
    const stubborn = `process.on("SIGTERM", () => {});
      (await import("node:child_process")).spawn("sleep", ["60"], { stdio: "inherit" });
      setInterval(() => {}, 1000);`;
    const begun = performance.now();
    const report = await audit([process.execPath, "--input-type=module", "-e", stubborn], {
      scenarios: [],
      timeoutMillis: 3_000,
    });
    expect(report.exit).toBe(5);
    expect(report.runs[0]).toMatchObject({ isTimeout: true, signal: "SIGKILL" });
    expect(toText(report)).toContain("ends: baseline: ignored SIGTERM, ended by SIGKILL");
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it("an audit exits with 4 if a required rule was not exercised", async () => {
    const options = { scenarios: [scenarioOf("baseline")!], timeoutMillis: MILLIS };
    const idle = [process.execPath, "-e", ""];
    const report = await audit(idle, { ...options, require: ["A09", "A40"] });
    expect([report.exit, report.missing]).toEqual([4, ["A09"]]);
    const gone = [scenarioOf("gone")!];
    const both = await audit(idle, { ...options, scenarios: gone, require: "scenarios" });
    expect([both.exit, both.missing]).toEqual([4, ["A21"]]);
  });

  it("an audit keeps only the end of a stderr of twenty megabytes", async () => {
    const loud = `const line = "x".repeat(1023) + "\\n";
      for (let at = 0; at < 20_000; at++) require("fs").writeSync(2, line);
      throw new Error("the last word");`;
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const report = await audit([process.execPath, "-e", loud], { scenarios: [] });
    write.mockRestore();
    expect(report.runs[0]!.stderrTail!.length).toBeLessThanOrEqual(16_384);
    expect(report.runs[0]!.stderrTail).toContain("the last word");
  });
});
