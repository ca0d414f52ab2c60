/** What a test asks of a sandbox: tokens, consents, faults, the clock, what came. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { controlOf } from "../../src/control.ts";
import { createSandboxHandler, type RunningSandbox, startSandbox } from "../../src/index.ts";

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
  const { searchParams } = new URL(await sandbox.consent(authorizeUrl()));
  expect(searchParams.get("code")).toMatch(/^\S{20,}$/u);
  expect(searchParams.get("state")).toBe("the-state-of-this-test");
});

it("gives the redirect of a refusal", async () => {
  const { searchParams } = new URL(await sandbox.consent(authorizeUrl(), { deny: true }));
  expect(searchParams.get("error")).toBe("access_denied");
  expect(searchParams.has("code")).toBe(false);
});

it("says what the sandbox answers when it takes no consent", async () => {
  const answer = sandbox.consent(authorizeUrl(), { account: "nobody" });
  await expect(answer).rejects.toThrow(/POST \/authorize: 400 .*\/account/u);
});

const profile = (token: string) =>
  fetch(`${sandbox.baseUrl}/profile`, { headers: { authorization: `Bearer ${token}` } });

it("hands out tokens of users and of services, and says what a client may not have", async () => {
  const token = await sandbox.token({ scopes: ["account:profile"] });
  expect((await profile(token)).status).toBe(200);
  expect(await sandbox.token({ scopes: ["service:leagues"] })).toMatch(/^\S{20,}$/u);
  const refused = sandbox.token({ scopes: ["service:leagues"], clientId: "example-desktop" });
  await expect(refused).rejects.toThrow(/POST \/tokens: 400/u);
});

it("adds a fault, and verifies what came", async () => {
  const token = await sandbox.token({ scopes: ["account:profile"] });
  await sandbox.control("DELETE", "/journal");
  const { id } = await sandbox.fault({
    match: { endpoint: "profile" },
    when: { count: 1 },
    fault: { kind: "status", status: 503 },
  });
  expect([(await profile(token)).status, (await profile(token)).status]).toEqual([503, 200]);
  await sandbox.control("DELETE", `/faults/${id}`);
  await sandbox.verify({ match: { endpoint: "profile" }, exactly: 2 });
  await expect(sandbox.verify({ match: { endpoint: "leagues" }, atLeast: 1 })).rejects.toThrow(
    /expected atLeast 1 of \{"endpoint":"leagues"\}, 0 came; others: GET \/profile → 503/u,
  );
});

it("moves the clock, in process, and closes with its scope", async () => {
  let closed: RunningSandbox;
  {
    await using handler = await createSandboxHandler({ now: "2026-03-01T12:00:00Z" });
    closed = handler;
    await handler.control("POST", "/clock", { freeze: true });
    const now = async () => {
      const clock = (await handler.control("GET", "/clock")) as { readonly now: string };
      return Date.parse(clock.now);
    };
    const before = await now();
    await handler.advance("31 seconds");
    expect((await now()) - before).toBe(31_000);
    await expect(handler.advance("31 secnds")).rejects.toThrow(/400/u);
  }
  expect(closed.controlUrl).toContain("control");
});

it("serves a program that knows the addresses alone, with the control plane's key", async () => {
  await using guarded = await startSandbox({ allowRemote: true, controlKey: "a-key-for-tests" });
  const { accounts, controlUrl } = guarded;
  const without = controlOf({ accounts, controlUrl });
  await expect(without.advance("1 second")).rejects.toThrow(/401/u);
  const withKey = controlOf({ accounts, controlUrl, controlKey: "a-key-for-tests" });
  expect(await withKey.token({ scopes: ["account:profile"] })).toMatch(/^\S{20,}$/u);
});
