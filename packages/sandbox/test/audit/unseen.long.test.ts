/**
 * Fifteen mistakes that were written from the specification alone, before a look at the rules: each
 * breaks a sentence of it, and a reader of the report learns which.
 */
import { describe, expect, it, vi } from "vitest";
import { audit } from "../../src/audit/audit.ts";
import { scenarioOf } from "../../src/audit/scenarios.ts";
import { PRELUDE } from "./prelude.ts";

vi.setConfig({ testTimeout: 60_000 });

/** A mistake: the sentence that it breaks, the scenario in which it shows, and its program. */
interface Unseen {
  readonly mistake: string;
  readonly section: string;
  /** The rule that names it, and in which scenario; undefined where none does. */
  readonly found: `A${number} in ${string}` | undefined;
  readonly says?: RegExp;
  readonly body: string;
}

const UNSEEN: ReadonlyArray<Unseen> = [
  {
    mistake: "asks a ladder for a thousand entries at once",
    section: "§8: the maximum limit of a league ladder is 500",
    found: "A44 in baseline",
    says: /from 1 to 500, got number/u,
    body: `const t = await token("service:leagues:ladder");
      for (const offset of [0, 1000]) await get("/league/Standard/ladder?limit=1000&offset=" + offset, t);`,
  },
  {
    mistake: "reads a ladder past its first 15,000 entries",
    section: "§7: an offset beyond the first 15000 entries has an empty result",
    found: "A26 in baseline",
    says: /asked a ladder from 15000 on/u,
    body: `const t = await token("service:leagues:ladder");
      for (const offset of [14800, 15000, 15200, 15400])
        await get("/league/Standard/ladder?limit=200&offset=" + offset, t);`,
  },
  {
    mistake: "steps by fifty through a ladder whose pages have twenty",
    section: "§8: the default limit of a ladder is 20",
    found: "A45 in baseline",
    says: /left out 30 of every 50 entries/u,
    body: `const t = await token("service:leagues:ladder");
      for (let offset = 0; offset < 200; offset += 50)
        await get("/league/Standard/ladder?offset=" + offset, t);`,
  },
  {
    mistake: "encodes a league's name twice",
    section: "§7: a league that does not exist is null",
    found: "A33 in baseline",
    says: /it was encoded twice/u,
    body: `const t = await token("service:leagues");
      const { body } = await get("/league", t);
      for (const { id } of body.leagues.filter(({ id }) => id.includes(" ")).slice(0, 2))
        if ((await get("/league/" + encodeURIComponent(encodeURIComponent(id)), t)).body.league === null)
          console.log("no such league");`,
  },
  {
    mistake: "keeps a stream's pagination code as a number",
    section: "§4.2: next_change_id is a string, passed on as id",
    found: "A22 in baseline",
    says: /an id that the service never gave/u,
    body: `const t = await token("service:psapi");
      let { body } = await get("/public-stash-tabs", t);
      for (let at = 0; at < 2; at++) {
        const position = parseInt(body.next_change_id, 10);
        body = (await get("/public-stash-tabs?id=" + position, t)).body ?? body;
        await wait(300);
      }`,
  },
  {
    mistake: "computes the hour of the currency exchange from its own clock",
    section: "§4.2: id is a code received from this endpoint",
    found: "A33 in baseline",
    says: /answered 404: No hour/u,
    body: `const t = await token("service:cxapi");
      await get("/currency-exchange/" + Math.floor(Date.now() / 1000), t);`,
  },
  {
    mistake: "reads the account of every stash of the stream, the unlisted ones too",
    section: "§4.2: an unlisted stash has its id and public alone",
    found: "A40 in baseline",
    says: /crashed \(exit 1\): TypeError/u,
    body: `const t = await token("service:psapi");
      let at = "";
      const names = new Set();
      for (let page = 0; page < 12; page++) {
        const { body } = await get("/public-stash-tabs" + at, t);
        if (body.stashes.length === 0) break;
        for (const stash of body.stashes) names.add(stash.accountName.toLowerCase());
        at = "?id=" + body.next_change_id;
        await wait(150);
      }`,
  },
  {
    mistake: "writes the realm pc into the path of a stash",
    section: "§4.2: pc is assumed where the segment is omitted",
    found: "A33 in baseline",
    says: /it is a realm/u,
    body: `const tokens = await signIn("account:stashes");
      const { body } = await get("/stash/pc/Standard", tokens.access_token);
      console.log(body?.stashes?.length ?? body?.stash ?? "no tabs");`,
  },
  {
    mistake: "sends a filter as plain text",
    section: "§4.2: Content-Type: application/json is required",
    found: "A44 in baseline",
    says: /has to be application\/json/u,
    body: `const tokens = await signIn("account:item_filter");
      const filter = { filter_name: "mine", realm: "pc", filter: "Show" };
      await call(data + "/item-filter", { method: "POST", body: JSON.stringify(filter),
        headers: { authorization: "Bearer " + tokens.access_token } });`,
  },
  {
    mistake: "takes 202 for a failure, and sends the same update again",
    section: "§4.2: 202 says that the update was accepted",
    found: "A28 in filter-202",
    says: /sent an update again that was accepted/u,
    body: `const tokens = await signIn("account:item_filter");
      const post = (path, body) => send(path, tokens.access_token, body);
      const made = await post("/item-filter", { filter_name: "mine", realm: "pc", filter: "Show" });
      const path = "/item-filter/" + made.body?.filter?.id;
      for (let time = 0; time < 4; time++) {
        if ((await post(path, { description: "new" })).status === 200) break;
        await wait(400);
      }`,
  },
  {
    mistake: "makes a public filter private again",
    section: "§3: a public filter cannot be made private",
    found: "A44 in baseline",
    says: /\/public: Expected true/u,
    body: `const tokens = await signIn("account:item_filter");
      const post = (path, body) => send(path, tokens.access_token, body);
      const made = await post("/item-filter", { filter_name: "mine", realm: "pc", filter: "Show", public: true });
      await post("/item-filter/" + made.body.filter.id, { public: false });`,
  },
  {
    mistake: "asks in the browser for a service's scope",
    section: "§5: all service scopes need the client_credentials grant",
    found: "A44 in baseline",
    says: /oauth\.authorize was refused: The scope/u,
    body: `const { challenge } = pkce();
      const url = authorizeUrl({ code_challenge: challenge, scope: "account:profile service:psapi" });
      await consent(url);
      await signIn("account:profile");`,
  },
  {
    mistake: "sends its secret in the query of the token endpoint",
    section: "§4.1: the token endpoint takes a form; §5: credentials are kept secret",
    found: "A16 in baseline",
    says: /client_secret in the URL/u,
    body: `const fields = { grant_type: "client_credentials", client_id: id, client_secret: secret, scope: "service:leagues" };
      const query = "?" + new URLSearchParams(fields);
      const { body } = await call(auth + "/oauth/token" + query, { method: "POST", body: new URLSearchParams(fields) });
      await get("/league", body?.access_token ?? (await token()));`,
  },
  {
    mistake: "asks for a tab within a tab without its parent",
    section: "§4.2: a sub-tab is asked for below its parent",
    found: undefined,
    body: `const tokens = await signIn("account:stashes");
      const { body } = await get("/stash/Standard", tokens.access_token);
      const inner = body.stashes.flatMap((tab) => [tab, ...(tab.children ?? [])]).filter((tab) => tab.parent != null);
      for (const tab of inner.slice(0, 2)) {
        const answer = await get("/stash/Standard/" + tab.id, tokens.access_token);
        console.log(answer.body?.stash?.items?.length ?? "empty");
      }`,
  },
  {
    mistake: "has one state and one verifier for every sign-in",
    section: "§5: the verifier has 32 bytes of entropy, the state is one that the client generated",
    found: "A13 in baseline",
    says: /one code_challenge more than once/u,
    body: `const { challenge, verifier } = pkce();
      for (let time = 0; time < 2; time++) {
        const back = await consent(authorizeUrl({ code_challenge: challenge, state: "login" }));
        await redeem(codeOf(back), verifier);
      }`,
  },
];

const MILLIS = 5_000;

const auditOf = (body: string, scenario: string) =>
  audit([process.execPath, "--input-type=module", "-e", PRELUDE + body], {
    sandbox: { world: { streamHistoryPages: 8, streamPageSize: 20 } },
    scenarios: scenario === "baseline" ? [] : [scenarioOf(scenario)!],
    timeoutMillis: MILLIS,
  });

describe("of fifteen mistakes written from the specification alone", () => {
  it.each(UNSEEN.filter(({ found }) => found !== undefined))(
    "the audit names a program that $mistake ($section)",
    async ({ body, found: by, says }) => {
      const [rule, scenario] = by!.split(" in ") as [string, string];
      const report = await auditOf(body, scenario);
      const found = report.rules.find(({ id }) => id === rule)!.broken;
      expect(found.map(({ message }) => message).join("\n")).toMatch(says!);
    },
  );

  it("at most three are not named", () => {
    expect(UNSEEN).toHaveLength(15);
    expect(UNSEEN.filter(({ found }) => found === undefined).length).toBeLessThanOrEqual(3);
  });
});
