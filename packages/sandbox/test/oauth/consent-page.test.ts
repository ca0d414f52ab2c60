/** S14 to S18 and S20: the pages that people see on the way, and what protects them. */
import { startSandbox } from "@game-data/sandbox";
import { freePort } from "@game-data/test-support";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/journal/Journal.ts";
import { formsOf, openBrowser } from "./browser.ts";
import { DESKTOP, openSandbox, pkce, tokenOf } from "./harness.ts";

const sandbox = await openSandbox();

const desktop = { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri };

/** A browser in front of the consent page of a new request. */
const atConsent = async (changes: Record<string, string> = {}, account?: string) => {
  const browser = openBrowser(sandbox);
  const page = await browser.openConsent(sandbox.authorizeUrl(changes), account);
  return { browser, ...page };
};
const locationOf = (response: Response) => new URL(response.headers.get("location") ?? "");
const NOWHERE = [400, null];
const whereTo = ({ headers, status }: Response) => [status, headers.get("location")];

describe("the way through the pages", () => {
  it("sign-in and consent redirect to the client with code and state [OA-01] [OA-13]", async () => {
    const { challenge, verifier } = pkce();
    const { browser, form } = await atConsent(
      { ...desktop, code_challenge: challenge },
      "Łucja#0077",
    );
    const { searchParams } = locationOf(await browser.decide(form, "allow"));
    expect([...searchParams.keys()]).toEqual(["code", "state"]);
    const code = searchParams.get("code")!;
    const flow = { code, verifier, clientId: DESKTOP.id, redirectUri: DESKTOP.redirectUri };
    expect((await tokenOf(await sandbox.exchange(flow))).username).toBe("Łucja#0077");
  });
  it("the journal has the same facts of a consent by page and by control plane", async () => {
    const issued = async () => {
      const { entries } = (await sandbox.control("GET", "/journal")) as { entries: JournalEntry[] };
      const { account, challenge, challengeMethod, clientId, isForged, scopes, state, ...entry } =
        entries.find((one) => one.issued.length > 0)!;
      const facts = { account, challenge, challengeMethod, clientId, isForged, scopes, state };
      await sandbox.control("DELETE", "/journal");
      return { ...facts, codes: entry.issued };
    };
    await sandbox.control("DELETE", "/journal");
    const url = sandbox.authorizeUrl(desktop);
    const browser = openBrowser(sandbox);
    const { form } = await browser.openConsent(url, sandbox.accounts[0]!.name);
    await browser.decide(form, "allow");
    const byPage = await issued();
    await sandbox.consent(url);
    // The challenge's method is told where the page is opened, not where its form is answered.
    expect({ ...(await issued()), challengeMethod: byPage.challengeMethod }).toEqual(byPage);
  });
  it("a header of a request cannot consent in a user's name", async () => {
    const actor = JSON.stringify({ sub: sandbox.accounts[0]!.uuid, deny: false });
    const answer = await sandbox.get(sandbox.authorizeUrl(), { actor, "x-actor": actor });
    expect(whereTo(answer)).toEqual([200, null]);
    expect(await answer.text()).toContain('action="/sign-in"');
  });
  it("the consent page lets another account sign in, and refuses an unknown account", async () => {
    const { browser, markup } = await atConsent({}, "Emberlyn#4071");
    const out = formsOf(markup).find(({ action }) => action === "/sign-out");
    const answer = await browser.post("/sign-out", out?.fields ?? {});
    const page = await (await browser.get(answer.headers.get("location") ?? "")).text();
    const fields = formsOf(page)[0]?.fields ?? {};
    expect((await browser.post("/sign-in", { ...fields, account: "nobody" })).status).toBe(400);
    const consent = await (await browser.signIn(page, "Quillon#1182")).text();
    expect(consent).toContain("<strong>Quillon#1182</strong>");
  });
  it("an authorization request expires if it is not answered within ten minutes", async () => {
    const { browser, form } = await atConsent();
    await sandbox.advance("10 minutes");
    const late = await browser.decide(form, "allow");
    expect(whereTo(late)).toEqual(NOWHERE);
    expect(await late.text()).toMatch(
      /<h1>This request is over<\/h1>\s*<p>It was answered already/u,
    );
    expect(whereTo(await browser.get(`/oauth/consent?request=${form.fields["request"]}`))).toEqual(
      NOWHERE,
    );
    expect(whereTo(await browser.get("/oauth/consent?request=%ff"))).toEqual(NOWHERE);
  });
});

describe("S14: the redirect back", () => {
  it.each(["a-state", "ü ☃ 𝌆", "a+b&c=d%20/?#", '"<>`', "x".repeat(2_000)])(
    "the redirect after a consent is 303, keeps the state %s, and exposes the code nowhere else [OA-09]",
    async (state) => {
      const { browser, form } = await atConsent({ state });
      const answer = await browser.decide(form, "allow");
      const { location = "", ...others } = Object.fromEntries(answer.headers);
      expect(answer.status).toBe(303);
      const untold = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
      expect(others).toMatchObject(untold);
      const { searchParams } = new URL(location);
      expect(searchParams.get("state")).toBe(state);
      expect(JSON.stringify(others)).not.toContain(searchParams.get("code"));
      expect(await answer.text()).toBe("");
    },
  );
  it("the redirect after a consent has `iss` only if it is configured", async () => {
    expect((await sandbox.redirectOf()).searchParams.has("iss")).toBe(false);
    const named = await openSandbox({ issuer: true });
    for (const deny of [false, true])
      expect((await named.redirectOf({}, { deny })).searchParams.get("iss")).toBe(named.authUrl);
  });
});

describe("S15: every page", () => {
  it("OAuth pages cannot be framed or stored, and load nothing from other origins", async () => {
    const browser = openBrowser(sandbox);
    const first = await browser.get(sandbox.authorizeUrl());
    const consent = await browser.signIn(await first.clone().text());
    const refusal = await browser.get(sandbox.authorizeUrl({ client_id: "nobody" }));
    const applications = await browser.get("/my/applications");
    for (const response of [first, consent, refusal, applications]) {
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
        "x-frame-options": "DENY",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      for (const rule of ["frame-ancestors 'none'", "default-src 'none'", "base-uri 'none'"])
        expect(headers["content-security-policy"]).toContain(rule);
      const markup = await response.text();
      expect(markup).not.toMatch(/<(script|img|link|iframe)\b/u);
      expect(markup).not.toMatch(/https?:\/\/(?!app\.example\.com)/u);
    }
  });
  it("the `form-action` of the consent page has only the origin of the redirect URI", async () => {
    const { browser } = await atConsent();
    const policyOf = async (changes: Record<string, string>) =>
      (await browser.get(sandbox.authorizeUrl(changes))).headers.get("content-security-policy");
    expect(await policyOf({})).toContain("form-action 'self' https://app.example.com;");
    expect(await policyOf(desktop)).toContain("form-action 'self' http://127.0.0.1:41999;");
  });
  it("the consent page escapes all values that it shows", async () => {
    const redirect_uri = "http://127.0.0.1:1/'-alert(1)-'";
    const name = `<img src=x onerror="alert('&')">`;
    const client = { clientId: "spiteful", name, kind: "public", redirectUris: [redirect_uri] };
    await sandbox.ask("/clients", client);
    const state = '"><script>alert(1)</script>';
    const { markup } = await atConsent({ client_id: "spiteful", redirect_uri, state });
    expect(markup).toContain("&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;");
    expect(markup).not.toMatch(/<(img|script)/u);
  });
  it("the consent page explains the scopes, and calls a public client unverifiable [OA-01] [OA-44]", async () => {
    const trusted = await atConsent({ scope: "account:stashes account:characters" });
    expect(trusted.markup).toContain("View your stashes and items");
    expect(trusted.markup).toContain("View your characters and their inventories");
    expect(trusted.markup).not.toContain("unverifiable");
    expect(trusted.markup).toContain("you return to <code>https://app.example.com</code>");
    const warned = await atConsent(desktop);
    expect(warned.markup).toContain("authenticity of this request is unverifiable");
  });
});

describe("S16: the answer", () => {
  it("the server refuses a consent form without the csrf token of its session and request", async () => {
    const { browser, form } = await atConsent();
    const two = await browser.openConsent(sandbox.authorizeUrl());
    for (const csrf of ["", two.form.fields["csrf"]!, "0".repeat(64)]) {
      const forged = { ...form, fields: { ...form.fields, csrf } };
      expect((await browser.decide(forged, "allow")).status).toBe(403);
    }
    const stranger = await atConsent();
    expect((await stranger.browser.decide(form, "allow")).status).toBe(403);
    expect((await openBrowser(sandbox).decide(form, "allow")).status).toBe(403);
    expect((await browser.decide(form, "allow")).status).toBe(303);
  });
  it("the server refuses a consent form from another site", async () => {
    const { browser, form } = await atConsent();
    for (const foreign of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "null", "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ])
      expect((await browser.decide(form, "allow", foreign as {})).status).toBe(403);
    // A page without a referrer has no origin to tell.
    for (const origin of [sandbox.authUrl, "null"]) {
      const own = { origin, "sec-fetch-site": "same-origin" };
      expect((await browser.decide(form, "allow", own)).status).toBe(303);
    }
  });
  it("a consent form decides about the stored request, and its other fields are ignored", async () => {
    const { browser, form } = await atConsent();
    expect((await browser.post("/oauth/consent", form.fields)).status).toBe(403);
    const added = { redirect_uri: "https://evil.example/", scope: "service:psapi", state: "other" };
    const decided = { ...form.fields, decision: "allow", ...added };
    const { origin, searchParams } = locationOf(await browser.post("/oauth/consent", decided));
    expect([origin, searchParams.get("state")]).toEqual(["https://app.example.com", "a-state"]);
  });
  it("a consent form that is sent twice at once redirects with the same code", async () => {
    const { browser, form } = await atConsent();
    const [first, second] = await Promise.all(
      [1, 2].map(() => browser.decide(form, "allow").then(locationOf)),
    );
    expect(first!.searchParams.get("code")).toMatch(/^\S{43}$/u);
    expect(second!.href).toBe(first!.href);
  });
  it("a consent form that is sent again after its code was used or expired issues no code", async () => {
    const { challenge, verifier } = pkce();
    const { browser, form } = await atConsent({ ...desktop, code_challenge: challenge });
    const code = locationOf(await browser.decide(form, "allow")).searchParams.get("code")!;
    const flow = { code, verifier, clientId: DESKTOP.id, redirectUri: DESKTOP.redirectUri };
    expect((await sandbox.exchange(flow)).status).toBe(200);
    expect(whereTo(await browser.decide(form, "allow"))).toEqual(NOWHERE);

    const late = await browser.openConsent(sandbox.authorizeUrl());
    await browser.decide(late.form, "allow");
    await sandbox.advance("30 seconds");
    expect(whereTo(await browser.decide(late.form, "allow"))).toEqual(NOWHERE);
  });
  it.each([
    ["allow", "deny"],
    ["deny", "allow"],
  ] as const)("a consent form sent with %s cannot be sent again with %s", async (first, second) => {
    const { browser, form } = await atConsent();
    const { searchParams } = locationOf(await browser.decide(form, first));
    expect([searchParams.has("code"), searchParams.get("error")]).toEqual(
      first === "allow" ? [true, null] : [false, "access_denied"],
    );
    expect(whereTo(await browser.decide(form, second))).toEqual(NOWHERE);
  });
  it("a consent form gives its code to no other user who has signed in since", async () => {
    const { browser, form } = await atConsent({}, "Emberlyn#4071");
    expect((await browser.decide(form, "allow")).status).toBe(303);
    const other = await atConsent({}, "Quillon#1182");
    // Another person's page, made to speak of the answered request with the proof that belongs to
    // it.
    const secret = (other.browser.cookie() ?? "").split("=")[1] ?? "";
    const request = form.fields["request"] ?? "";
    const csrf = createHash("sha256").update(`${secret}\nconsent:${request}`).digest("hex");
    const stolen = { action: form.action, fields: { request, csrf } };
    expect(whereTo(await other.browser.decide(stolen, "allow"))).toEqual(NOWHERE);
  });
});

describe("the session", () => {
  it.each([
    ["http://127.0.0.1:4000", /^sandbox_session_4000=\S{43}; Path=\/; HttpOnly; SameSite=Lax$/u],
    [
      "https://box.example:4001",
      /^sandbox_session_4001=\S{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/u,
    ],
  ])(
    "the session cookie at %s is out of reach of scripts and of other sites' forms",
    async (url, cookie) => {
      const port = await freePort();
      await using other = await startSandbox({ port, publicUrl: url, singlePort: true });
      expect(other.authUrl).toBe(url);
      const { headers } = await fetch(`http://127.0.0.1:${port}/my/applications`);
      expect(headers.get("set-cookie")).toMatch(cookie);
    },
  );
  it("the session cookie is found among other cookies, quoted or not", async () => {
    const { browser } = await atConsent();
    const [name, value] = browser.cookie()!.split("=");
    for (const own of [`${name}=${value}`, ` ${name} = "${value}" `]) {
      browser.setCookie(`=x; x${name}=1; a="b"; ${own}; c`);
      expect(await (await browser.get("/my/applications")).text()).toContain("Applications of");
    }
  });
  it("a sign-in gives the session a new secret, and the old cookie becomes invalid", async () => {
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
  it("a session cookie that an attacker has chosen is not accepted", async () => {
    const browser = openBrowser(sandbox);
    browser.setCookie("sandbox_session_0=chosen-by-an-attacker");
    const page = await (await browser.get(sandbox.authorizeUrl())).text();
    expect(browser.cookie()).not.toContain("chosen");
    expect(page).toContain('action="/sign-in"');
  });
  it("a signed-in session of the OAuth pages ends after twelve hours", async () => {
    const { browser } = await atConsent();
    await sandbox.advance("11 hours");
    expect(await (await browser.get("/my/applications")).text()).toContain("Applications of");
    await sandbox.advance("1 hours");
    expect(await (await browser.get("/my/applications")).text()).toContain("Sign in");
  });
  it("a signed-in user is asked for consent at each authorization request (S17)", async () => {
    const { browser, form } = await atConsent(desktop);
    expect((await browser.decide(form, "allow")).status).toBe(303);
    const again = await browser.openConsent(sandbox.authorizeUrl(desktop));
    expect(again.markup).toContain("asks for access to your account");
  });
});

it("S18: forms of the OAuth server redirect only to its own pages", async () => {
  const browser = openBrowser(sandbox);
  const page = await (await browser.get("/my/applications")).text();
  const elsewhere = { account: "Emberlyn#4071", return: "https://evil.example/" };
  const answer = await browser.post("/sign-in", { ...formsOf(page)[0]?.fields, ...elsewhere });
  expect(answer.headers.get("location")).toBe("/my/applications");
});

describe("S20: CORS", async () => {
  const open = await openSandbox({ tokenOrigins: ["https://spa.example"] });
  const allowed = ({ headers }: Response) => headers.get("access-control-allow-origin");
  const origin = "https://spa.example";

  it("OAuth pages never have CORS headers, and token endpoints have none by default", async () => {
    expect(allowed(await open.get(open.authorizeUrl(), { origin }))).toBeNull();
    expect(allowed(await sandbox.post("/oauth/token", {}, { origin }))).toBeNull();
  });
  it.each([
    ["POST", 400],
    ["OPTIONS", 204],
  ])(
    "token endpoints allow CORS for configured origins, never with credentials: %s",
    async (method, status) => {
      const ask = (from: string) =>
        open.fetch(
          new Request(`${open.authUrl}/oauth/token`, { method, headers: { origin: from } }),
        );
      const response = await ask(origin);
      const { vary, ...headers } = Object.fromEntries(response.headers);
      expect([response.status, allowed(response), vary]).toEqual([status, origin, "Origin"]);
      expect(headers["access-control-allow-methods"]).toBe("POST");
      expect(headers["access-control-allow-headers"]).toBe("authorization, content-type");
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
      expect(allowed(await ask("https://other.example"))).toBeNull();
    },
  );
});
