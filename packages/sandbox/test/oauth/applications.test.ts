/**
 * The applications page: what a person sees of the access they gave, and how they take it back (§3,
 * §5).
 */
import { expect, it } from "vitest";
import { formsOf, openBrowser } from "./browser.ts";
import { DESKTOP, openSandbox, tokenOf } from "./harness.ts";

const sandbox = await openSandbox();

const openPage = async (account: string) => {
  const browser = openBrowser(sandbox);
  await browser.signIn(await (await browser.get("/my/applications")).text(), account);
  const read = async () => (await browser.get("/my/applications")).text();
  /** The forms that revoke, with their proof. */
  const forms = async () => formsOf(await read()).filter(({ fields }) => "what" in fields);
  const post = (fields: Record<string, string>, headers?: Record<string, string>) =>
    browser.post("/my/applications/revoke", fields, headers);
  const revoke = async (what: string) =>
    post((await forms()).find(({ fields }) => fields["what"] === what)?.fields ?? {});
  return { read, forms, post, revoke };
};

it("/my/applications lists applications with their scopes and prefixes of tokens [OA-50]", async () => {
  const tokens = await sandbox.tokensFor(
    { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri, scope: "account:stashes" },
    "Oakhollow#6407",
  );
  const markup = await (await openPage("Oakhollow#6407")).read();
  for (const text of ["Example Desktop", "account:stashes", `${tokens.access_token.slice(0, 6)}…`])
    expect(markup).toContain(text);
  expect(markup).not.toContain(tokens.access_token.slice(0, 8));
  expect(markup).not.toContain(tokens.refresh_token?.slice(0, 8));
});

it("a token that is revoked on /my/applications gets 401 [LC-04] [OA-50] [ER-01]", async () => {
  const tokens = await sandbox.tokensFor({}, "Tamsin#3355");
  const { read, revoke } = await openPage("Tamsin#3355");
  const answer = await revoke("token");
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/my/applications"]);
  expect(await sandbox.useToken(tokens.access_token)).toBe(401);
  expect(await read()).not.toContain(tokens.access_token.slice(0, 6));
  expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
});

it("/my/applications revokes all tokens of an application, and none of another [OA-50]", async () => {
  const tokens = await sandbox.tokensFor({}, "Łucja#0077");
  await sandbox.advance("1 seconds");
  const other = {
    clientId: DESKTOP.id,
    scopes: ["account:profile"],
    account: "Łucja#0077",
  } as const;
  const kept = await sandbox.token(other);
  const { read, revoke } = await openPage("Łucja#0077");
  // Those that were given first stand first.
  expect(await read()).toMatch(
    /With access[\s\S]*Example Web[\s\S]*Example Desktop[\s\S]*that you own/u,
  );
  await revoke("grant");
  expect(await sandbox.useToken(kept)).toBe(200);
  expect(await sandbox.useToken(tokens.access_token)).toBe(401);
  expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(400);
  expect(await read()).not.toContain("Example Web");
  await revoke("grant");
  expect(await sandbox.useToken(kept)).toBe(401);
});

it("/my/applications shows and revokes the owner's client-credentials tokens [LC-05] [LC-07]", async () => {
  const tokens = await tokenOf(
    await sandbox.clientCredentials("account:profile", "example-service"),
  );
  expect(await sandbox.useToken(tokens.access_token)).toBe(200);
  const { read, revoke } = await openPage("Quillon#1182");
  expect(await read()).toMatch(
    /Client credentials of applications[\s\S]*Example Service[\s\S]*never/u,
  );
  await revoke("token");
  expect(await sandbox.useToken(tokens.access_token)).toBe(401);
});

it("/my/applications refuses to revoke another person's token, or by a form of another site", async () => {
  const tokens = await sandbox.tokensFor({}, "Emberlyn#4071");
  await sandbox.tokensFor({}, "Wayfarer#9020");
  const [owner, stranger] = [await openPage("Emberlyn#4071"), await openPage("Wayfarer#9020")];
  const csrf = (await stranger.forms())[0]!.fields["csrf"]!;
  for (const { fields } of await owner.forms()) {
    await stranger.post({ ...fields, csrf });
    expect((await owner.post({ ...fields, csrf: "x" })).status).toBe(403);
    expect((await owner.post(fields, { origin: "https://evil.example" })).status).toBe(403);
  }
  expect(await sandbox.useToken(tokens.access_token)).toBe(200);
});

it("/my/applications does not list consents without a token", async () => {
  const redirect_uri = "http://127.0.0.1:1/callback";
  await sandbox.codeFor({ client_id: "example-tablet", redirect_uri });
  expect(await (await openPage("Emberlyn#4071")).read()).not.toContain("Example Tablet");
});
