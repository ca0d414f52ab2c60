/**
 * The applications page: what a person sees of the access they gave, and how they take it back (§3,
 * §5).
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { formsOf, openBrowser } from "./browser.ts";
import { DESKTOP, openSandbox, type TestSandbox, type TokenBody } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const openPage = async (account: string) => {
  const browser = openBrowser(sandbox);
  const first = await (await browser.get("/my/applications")).text();
  await browser.signIn(first, account);
  const read = async () => (await browser.get("/my/applications")).text();
  const revoke = async (what: string, index = 0) => {
    const forms = formsOf(await read()).filter(({ fields }) => fields["what"] === what);
    return browser.post("/my/applications/revoke", forms[index]?.fields ?? {});
  };
  return { browser, read, revoke };
};

it("lists applications with their scopes and tokens, by prefixes only [OA-50]", async () => {
  const tokens = await sandbox.tokensFor(
    { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri, scope: "account:stashes" },
    "Oakhollow#6407",
  );
  const { read } = await openPage("Oakhollow#6407");
  const markup = await read();
  expect(markup).toContain("Example Desktop");
  expect(markup).toContain("account:stashes");
  expect(markup).toContain(`${tokens.access_token.slice(0, 6)}…`);
  expect(markup).not.toContain(tokens.access_token.slice(0, 8));
  expect(markup).not.toContain(tokens.refresh_token?.slice(0, 8));
});

it("revokes a token: requests then return 401 [LC-04] [OA-50] [ER-01]", async () => {
  const tokens = await sandbox.tokensFor({}, "Tamsin#3355");
  const { read, revoke } = await openPage("Tamsin#3355");
  const answer = await revoke("token");
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toBe("/my/applications");
  expect(await sandbox.useToken(tokens.access_token)).toBe(401);
  expect(await read()).not.toContain(tokens.access_token.slice(0, 6));
  expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
});

it("revokes all that an application holds [OA-50]", async () => {
  const tokens = await sandbox.tokensFor({}, "Łucja#0077");
  const { read, revoke } = await openPage("Łucja#0077");
  await revoke("grant");
  expect(await sandbox.useToken(tokens.access_token)).toBe(401);
  expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(400);
  expect(await read()).not.toContain("Example Web");
});

it("shows the owner the client-credentials tokens, and revokes them [LC-05] [LC-07]", async () => {
  const answer = await sandbox.clientCredentials("account:profile", "example-service");
  const tokens = (await answer.json()) as TokenBody;
  expect(await sandbox.useToken(tokens.access_token)).toBe(200);
  const { read, revoke } = await openPage("Quillon#1182");
  expect(await read()).toMatch(
    /Client credentials of applications[\s\S]*Example Service[\s\S]*never/u,
  );
  await revoke("token");
  expect(await sandbox.useToken(tokens.access_token)).toBe(401);
});

it("lets nobody revoke what belongs to another person", async () => {
  const tokens = await sandbox.tokensFor({}, "Emberlyn#4071");
  const owner = await openPage("Emberlyn#4071");
  const theirs = formsOf(await owner.read()).filter(({ fields }) => "what" in fields);
  const stranger = await openPage("Wayfarer#9020");
  await sandbox.tokensFor({}, "Wayfarer#9020");
  const own = formsOf(await stranger.read()).find(({ fields }) => "what" in fields);
  for (const { fields } of theirs) {
    await stranger.browser.post("/my/applications/revoke", {
      ...fields,
      csrf: own?.fields["csrf"] ?? "",
    });
  }
  expect(await sandbox.useToken(tokens.access_token)).toBe(200);
});

it("needs the proof of the session, from its own page", async () => {
  await sandbox.tokensFor({}, "Emberlyn#4071");
  const { browser, read } = await openPage("Emberlyn#4071");
  const form = formsOf(await read()).find(({ fields }) => "what" in fields);
  const csrfError = await browser.post("/my/applications/revoke", { ...form?.fields, csrf: "x" });
  expect(csrfError.status).toBe(403);
  const foreign = await browser.post("/my/applications/revoke", form?.fields ?? {}, {
    origin: "https://evil.example",
  });
  expect(foreign.status).toBe(403);
});

it("does not list consents that never led to a token", async () => {
  await sandbox.codeFor({
    client_id: "example-tablet",
    redirect_uri: "http://127.0.0.1:1/callback",
  });
  const { read } = await openPage("Emberlyn#4071");
  expect(await read()).not.toContain("Example Tablet");
});
