/** A sign-in without a browser. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { approveConsent } from "../../src/approveConsent.ts";
import { type RunningSandbox, startSandbox } from "../../src/index.ts";

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const authorizeUrl = (scope = "account:profile") => {
  const client = sandbox.clients.find(({ clientId }) => clientId === "example-desktop")!;
  const url = new URL(`${sandbox.authUrl}/oauth/authorize`);
  url.search = new URLSearchParams({
    client_id: client.clientId,
    response_type: "code",
    redirect_uri: client.redirectUris[0]!,
    scope,
    state: "the-state-of-this-test",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  }).toString();
  return url.href;
};

it("gives the redirect with a code", async () => {
  const { searchParams } = new URL(await approveConsent(sandbox, authorizeUrl()));
  expect(searchParams.get("code")).toMatch(/^\S{20,}$/u);
  expect(searchParams.get("state")).toBe("the-state-of-this-test");
});

it("gives the redirect of a refusal", async () => {
  const { searchParams } = new URL(await approveConsent(sandbox, authorizeUrl(), { deny: true }));
  expect(searchParams.get("error")).toBe("access_denied");
  expect(searchParams.has("code")).toBe(false);
});

it("says what the sandbox answers when it takes no consent", async () => {
  const answer = approveConsent(sandbox, authorizeUrl(), { account: "nobody" });
  await expect(answer).rejects.toThrow(/takes no consent \(HTTP 4\d\d\)/u);
});
