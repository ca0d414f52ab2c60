/** S14 to S18 and S20: the pages that people see on the way, and what protects them. */
import { controlOf } from "@game-data/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/journal/JournalEntry.ts";
import { formsOf, openBrowser } from "./browser.ts";
import { DESKTOP, openSandbox, pkce, type TestSandbox } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const desktop = { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri };

describe("the way through the pages", () => {
  it("signs in, consents, and comes back with code and state [OA-01] [OA-13]", async () => {
    const { challenge, verifier } = pkce();
    const browser = openBrowser(sandbox);
    const url = sandbox.authorizeUrl({ ...desktop, code_challenge: challenge });
    const { form } = await browser.openConsent(url, "Łucja#0077");
    const answer = await browser.decide(form, "allow");
    expect(answer.status).toBe(303);
    const location = new URL(answer.headers.get("location") ?? "");
    expect([...location.searchParams.keys()]).toEqual(["code", "state"]);
    const tokens = await sandbox.exchange({
      code: location.searchParams.get("code") ?? "",
      verifier,
      clientId: DESKTOP.id,
      redirectUri: DESKTOP.redirectUri,
    });
    expect(((await tokens.json()) as { username: string }).username).toBe("Łucja#0077");
  });
  it("leaves the same facts in the journal as a consent by the control plane", async () => {
    const { consent, control } = controlOf(sandbox, sandbox.fetch);
    const issued = async () => {
      const { entries } = (await control("GET", "/journal")) as {
        readonly entries: ReadonlyArray<JournalEntry>;
      };
      const {
        account,
        challenge,
        challengeMethod,
        clientId,
        isForged,
        issued: codes,
        scopes,
        state,
      } = entries.find((entry) => entry.issued.length > 0)!;
      return { account, challenge, challengeMethod, clientId, codes, isForged, scopes, state };
    };
    const url = sandbox.authorizeUrl(desktop);
    await control("DELETE", "/journal");
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(url, sandbox.accounts[0]!.name);
    await browser.decide(form, "allow");
    const byPage = await issued();
    await control("DELETE", "/journal");
    await consent(url);
    // The challenge's method is told where the page is opened, not where its form is answered.
    expect({ ...(await issued()), challengeMethod: byPage.challengeMethod }).toEqual(byPage);
  });
  it("consents for nobody who names an actor in a header", async () => {
    const actor = JSON.stringify({ sub: sandbox.accounts[0]!.uuid, deny: false });
    const answer = await sandbox.get(sandbox.authorizeUrl(), { actor, "x-actor": actor });
    expect([answer.status, answer.headers.get("location")]).not.toContain("code=");
    expect(await answer.text()).toContain('action="/sign-in"');
  });
  it("denies with access_denied [OA-14]", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    const location = new URL((await browser.decide(form, "deny")).headers.get("location") ?? "");
    expect(location.searchParams.get("error")).toBe("access_denied");
    expect(location.searchParams.has("code")).toBe(false);
  });
  it("lets another person sign in", async () => {
    const browser = openBrowser(sandbox);
    const { markup } = await browser.openConsent(sandbox.authorizeUrl(), "Emberlyn#4071");
    const out = formsOf(markup).find(({ action }) => action === "/sign-out");
    const answer = await browser.post("/sign-out", out?.fields ?? {});
    const page = await (await browser.get(answer.headers.get("location") ?? "")).text();
    const consent = await (await browser.signIn(page, "Quillon#1182")).text();
    expect(consent).toContain("<strong>Quillon#1182</strong>");
  });
  it("refuses an account that does not exist", async () => {
    const browser = openBrowser(sandbox);
    const page = await (await browser.get(sandbox.authorizeUrl())).text();
    const fields = formsOf(page)[0]?.fields ?? {};
    expect((await browser.post("/sign-in", { ...fields, account: "nobody" })).status).toBe(400);
  });
  it("forgets a request that nobody answers for ten minutes", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    await sandbox.advance("10 minutes");
    const answer = await browser.decide(form, "allow");
    expect(answer.status).toBe(400);
    expect(answer.headers.get("location")).toBeNull();
  });
});

describe("S14: the redirect back", () => {
  it("is 303, keeps the state byte for byte, is not stored and has no referrer [OA-09]", async () => {
    const states = ["a-state", "ü ☃ 𝌆", "a+b&c=d%20/?#", '"<>`', "x".repeat(2_000)];
    for (const state of states) {
      const browser = openBrowser(sandbox);
      const { form } = await browser.openConsent(sandbox.authorizeUrl({ state }));
      const answer = await browser.decide(form, "allow");
      expect(answer.status).toBe(303);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      const location = answer.headers.get("location") ?? "";
      expect(new URL(location).searchParams.get("state")).toBe(state);
      expect(await answer.text()).toBe("");
    }
  });
  it("carries the code in no other header", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    const answer = await browser.decide(form, "allow");
    const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
    expect(code).not.toBe("");
    const others = [...answer.headers].filter(([name]) => name !== "location");
    expect(JSON.stringify(others)).not.toContain(code);
  });
  it("carries iss only where it is configured", async () => {
    const plain = await sandbox.control("/authorize", { url: sandbox.authorizeUrl() });
    expect(((await plain.json()) as { redirect: string }).redirect).not.toContain("iss=");
    const named = await openSandbox({ issuer: true });
    for (const deny of [false, true]) {
      const answer = await named.control("/authorize", { url: named.authorizeUrl(), deny });
      const { redirect } = (await answer.json()) as { redirect: string };
      expect(new URL(redirect).searchParams.get("iss")).toBe(named.authUrl);
    }
    await named.close();
  });
});

describe("S15: every page", () => {
  it("cannot be framed, stored, or load anything from elsewhere", async () => {
    const browser = openBrowser(sandbox);
    const first = await browser.get(sandbox.authorizeUrl());
    const consent = await browser.signIn(await first.clone().text());
    const refusal = await browser.get(sandbox.authorizeUrl({ client_id: "nobody" }));
    const applications = await browser.get("/my/applications");
    for (const response of [first, consent, refusal, applications]) {
      const { headers } = response;
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("base-uri 'none'");
      const markup = await response.text();
      expect(markup).not.toMatch(/<(script|img|link|iframe)\b/u);
      expect(markup).not.toMatch(/https?:\/\/(?!app\.example\.com)/u);
    }
  });
  it("names in form-action where consent may lead, and nothing else", async () => {
    const browser = openBrowser(sandbox);
    await browser.openConsent(sandbox.authorizeUrl());
    const policyOf = async (parameters: Record<string, string>) =>
      (await browser.get(sandbox.authorizeUrl(parameters))).headers.get("content-security-policy");
    expect(await policyOf({})).toContain("form-action 'self' https://app.example.com;");
    expect(await policyOf(desktop)).toContain("form-action 'self' http://127.0.0.1:41999;");
  });
  it("escapes whatever it shows", async () => {
    await sandbox.control("/clients", {
      clientId: "spiteful",
      name: `<img src=x onerror="alert('&')">`,
      kind: "public",
      redirectUris: ["http://127.0.0.1:1/'-alert(1)-'"],
    });
    const browser = openBrowser(sandbox);
    const { markup } = await browser.openConsent(
      sandbox.authorizeUrl({
        client_id: "spiteful",
        redirect_uri: "http://127.0.0.1:1/'-alert(1)-'",
        state: '"><script>alert(1)</script>',
      }),
    );
    expect(markup).toContain("&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;");
    expect(markup).not.toContain("<img");
    expect(markup).not.toContain("<script");
  });
  it("says the scopes in words [OA-01]", async () => {
    const browser = openBrowser(sandbox);
    const { markup } = await browser.openConsent(
      sandbox.authorizeUrl({ scope: "account:stashes account:characters" }),
    );
    expect(markup).toContain("View your stashes and items");
    expect(markup).toContain("View your characters and their inventories");
  });
});

describe("S16: the answer", () => {
  it("needs the proof of this session and this request", async () => {
    const browser = openBrowser(sandbox);
    const one = await browser.openConsent(sandbox.authorizeUrl());
    const two = await browser.openConsent(sandbox.authorizeUrl());
    const attempts: ReadonlyArray<Record<string, string>> = [
      { ...one.form.fields, csrf: "" },
      { ...one.form.fields, csrf: two.form.fields["csrf"] ?? "" },
      { ...one.form.fields, csrf: "0".repeat(64) },
    ];
    for (const fields of attempts) {
      expect((await browser.post("/oauth/consent", { ...fields, decision: "allow" })).status).toBe(
        403,
      );
    }
    const stranger = openBrowser(sandbox);
    await stranger.openConsent(sandbox.authorizeUrl());
    expect((await stranger.decide(one.form, "allow")).status).toBe(403);
    expect((await browser.decide(one.form, "allow")).status).toBe(303);
  });
  it("is refused without a session, or with an anonymous one", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    browser.setCookie(undefined);
    expect((await browser.decide(form, "allow")).status).toBe(403);
  });
  it("is refused from another site", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "null", "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      expect((await browser.decide(form, "allow", headers as Record<string, string>)).status).toBe(
        403,
      );
    }
    const own = { origin: sandbox.authUrl, "sec-fetch-site": "same-origin" };
    expect((await browser.decide(form, "allow", own)).status).toBe(303);
  });
  it("takes what was asked for from the record, not from the form", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    const answer = await browser.post("/oauth/consent", {
      ...form.fields,
      decision: "allow",
      redirect_uri: "https://evil.example/",
      scope: "service:psapi",
      state: "other",
    });
    const location = new URL(answer.headers.get("location") ?? "");
    expect(location.origin).toBe("https://app.example.com");
    expect(location.searchParams.get("state")).toBe("a-state");
  });
  it("is a decision or nothing", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    expect((await browser.post("/oauth/consent", form.fields)).status).toBe(403);
  });
  it("given twice gives one code, the same", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    const [first, second] = await Promise.all([
      browser.decide(form, "allow"),
      browser.decide(form, "allow"),
    ]);
    expect(first.headers.get("location")).toMatch(/code=/u);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
  });
  it("given again after the code was used or is too old issues none", async () => {
    const { challenge, verifier } = pkce();
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(
      sandbox.authorizeUrl({ ...desktop, code_challenge: challenge }),
    );
    const location = new URL((await browser.decide(form, "allow")).headers.get("location") ?? "");
    const flow = {
      code: location.searchParams.get("code") ?? "",
      verifier,
      clientId: DESKTOP.id,
      redirectUri: DESKTOP.redirectUri,
    };
    expect((await sandbox.exchange(flow)).status).toBe(200);
    const again = await browser.decide(form, "allow");
    expect(again.status).toBe(400);
    expect(again.headers.get("location")).toBeNull();

    const late = await browser.openConsent(sandbox.authorizeUrl());
    await browser.decide(late.form, "allow");
    await sandbox.advance("30 seconds");
    expect((await browser.decide(late.form, "allow")).status).toBe(400);
    expect((await browser.decide(late.form, "deny")).status).toBe(400);
  });
  it("cannot turn from no to yes", async () => {
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(sandbox.authorizeUrl());
    await browser.decide(form, "deny");
    expect((await browser.decide(form, "allow")).headers.get("location")).toBeNull();
  });
});

describe("the session", () => {
  it("has a cookie out of reach of scripts and of other sites' forms", async () => {
    const response = await sandbox.get(sandbox.authorizeUrl());
    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly/u);
    expect(cookie).toMatch(/SameSite=Lax/u);
  });
  it("gets a new secret at the sign-in, and the old one is worth nothing", async () => {
    const browser = openBrowser(sandbox);
    const page = await (await browser.get(sandbox.authorizeUrl())).text();
    const before = browser.cookie();
    await browser.signIn(page);
    expect(browser.cookie()).not.toBe(before);
    browser.setCookie(before);
    const fields = formsOf(page)[0]?.fields ?? {};
    const planted = await browser.post("/sign-in", { ...fields, account: "Quillon#1182" });
    expect(planted.status).toBe(403);
    browser.setCookie(before);
    expect(await (await browser.get("/my/applications")).text()).toContain('action="/sign-in"');
  });
  it("cannot be planted by whoever knows a name for it", async () => {
    const browser = openBrowser(sandbox);
    browser.setCookie("sandbox_session_0=chosen-by-an-attacker");
    const page = await (await browser.get(sandbox.authorizeUrl())).text();
    expect(browser.cookie()).not.toContain("chosen");
    expect(page).toContain('action="/sign-in"');
  });
});

describe("S17: a public client", () => {
  it("gets a warning that its authenticity is unverifiable; a confidential one does not [OA-44]", async () => {
    const browser = openBrowser(sandbox);
    const warned = await browser.openConsent(sandbox.authorizeUrl(desktop));
    expect(warned.markup).toContain("authenticity of this request is unverifiable");
    const trusted = await browser.openConsent(sandbox.authorizeUrl());
    expect(trusted.markup).not.toContain("unverifiable");
  });
  it("asks for consent each time, as every client does", async () => {
    const browser = openBrowser(sandbox);
    for (let visit = 0; visit < 3; visit += 1) {
      const { form } = await browser.openConsent(sandbox.authorizeUrl(desktop));
      expect((await browser.decide(form, "allow")).status).toBe(303);
    }
  });
});

describe("S18: no open redirector", () => {
  it("goes nowhere before client and redirect URI are known good", async () => {
    for (const parameters of [
      { client_id: "nobody", response_type: "token" },
      { redirect_uri: "https://evil.example/", scope: "nonsense" },
    ]) {
      const response = await sandbox.get(sandbox.authorizeUrl(parameters));
      expect(response.status).toBe(400);
      expect(response.headers.get("location")).toBeNull();
    }
  });
  it("leads from its forms to its own pages only", async () => {
    const browser = openBrowser(sandbox);
    const page = await (await browser.get("/my/applications")).text();
    const fields = formsOf(page)[0]?.fields ?? {};
    const answer = await browser.post("/sign-in", {
      ...fields,
      account: "Emberlyn#4071",
      return: "https://evil.example/",
    });
    expect(answer.headers.get("location")).toBe("/my/applications");
  });
});

describe("S20: CORS", () => {
  it("none on the pages, whatever is configured", async () => {
    const open = await openSandbox({ tokenOrigins: ["https://spa.example"] });
    const response = await open.get(open.authorizeUrl(), { origin: "https://spa.example" });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    await open.close();
  });
  it("none on the token endpoints by default", async () => {
    const response = await sandbox.post("/oauth/token", {}, { origin: "https://spa.example" });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
  it("on the token endpoints for configured origins, never with credentials", async () => {
    const open = await openSandbox({ tokenOrigins: ["https://spa.example"] });
    const ask = (origin: string, method: string) =>
      open.sandbox.fetch(
        new Request(`${open.authUrl}/oauth/token`, { method, headers: { origin } }),
      );
    for (const method of ["POST", "OPTIONS"]) {
      const allowed = await ask("https://spa.example", method);
      expect(allowed.headers.get("access-control-allow-origin")).toBe("https://spa.example");
      expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
      expect(allowed.headers.get("vary")).toBe("Origin");
      const refused = await ask("https://other.example", method);
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    }
    await open.close();
  });
});
