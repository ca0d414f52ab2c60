/** S4, S5, S10: codes and refresh tokens are spent once, and what a replay does. */
import { startSandbox } from "@game-data/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, openSandbox, pkce, type TestSandbox, type TokenBody } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const statuses = (responses: ReadonlyArray<Response>) =>
  responses.map((response) => response.status).toSorted();

const eight = <A>(task: () => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: 8 }, task));

describe("S4: a code", () => {
  it("has 256 bits and differs from all others", async () => {
    const codes = new Set<string>();
    for (let index = 0; index < 50; index += 1) codes.add((await sandbox.codeFor()).code);
    expect(codes.size).toBe(50);
    for (const code of codes) expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/u);
  });
  it("is redeemed by one of eight at once [OA-35]", async () => {
    const flow = await sandbox.codeFor();
    expect(statuses(await eight(() => sandbox.exchange(flow)))).toEqual([
      200, 400, 400, 400, 400, 400, 400, 400,
    ]);
  });
  it("can be exchanged until 30 seconds have gone, and then not [LC-01] [LM-06]", async () => {
    const young = await sandbox.codeFor();
    const old = await sandbox.codeFor();
    await sandbox.advance("29999 millis");
    expect((await sandbox.exchange(young)).status).toBe(200);
    await sandbox.advance("1 millis");
    expect((await errorOf(await sandbox.exchange(old))).error).toBe("invalid_grant");
  });
  it("gives exactly the scopes, the account and the client of its request [OA-30] [OA-31] [OA-32]", async () => {
    const flow = await sandbox.codeFor({ scope: "account:stashes account:profile" }, "Tamsin#3355");
    const tokens = (await (await sandbox.exchange(flow)).json()) as TokenBody;
    const account = sandbox.accounts.find(({ name }) => name === "Tamsin#3355");
    expect(tokens.scope).toBe("account:stashes account:profile");
    expect(tokens.username).toBe("Tamsin#3355");
    expect(tokens.sub).toBe(account?.uuid);
  });
});

describe("S5: a code that comes again", () => {
  it("revokes the tokens of the first exchange, if whoever brings it could have redeemed it", async () => {
    const flow = await sandbox.codeFor();
    const tokens = (await (await sandbox.exchange(flow)).json()) as TokenBody;
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
    expect((await errorOf(await sandbox.exchange(flow))).error).toBe("invalid_grant");
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(400);
  });
  it("revokes nothing with a wrong verifier, secret, client or redirect URI", async () => {
    const flow = await sandbox.codeFor();
    const tokens = (await (await sandbox.exchange(flow)).json()) as TokenBody;
    const attempts = [
      { code_verifier: pkce().verifier },
      { client_secret: "wrong" },
      { client_id: "example-no-refresh", client_secret: sandbox.secretOf("example-no-refresh") },
      { redirect_uri: "https://app.example.com/other" },
    ];
    for (const attempt of attempts) {
      expect((await sandbox.exchange(flow, attempt)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
  it("a wrong verifier does not burn the code", async () => {
    const flow = await sandbox.codeFor();
    await sandbox.exchange(flow, { code_verifier: pkce().verifier });
    expect((await sandbox.exchange(flow)).status).toBe(200);
  });
});

describe("S10: a refresh token that comes again", () => {
  it("fails, and revokes the whole family including access tokens [LC-08]", async () => {
    const first = await sandbox.tokensFor();
    const second = (await (await sandbox.refresh(first.refresh_token)).json()) as TokenBody;
    const third = (await (await sandbox.refresh(second.refresh_token)).json()) as TokenBody;
    expect(await sandbox.useToken(third.access_token)).toBe(200);
    expect((await errorOf(await sandbox.refresh(first.refresh_token))).error).toBe("invalid_grant");
    for (const tokens of [first, second, third]) {
      expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    }
    expect((await sandbox.refresh(third.refresh_token)).status).toBe(400);
  });
  it("is won by at most one of eight at once [LC-08]", async () => {
    const tokens = await sandbox.tokensFor();
    const answers = await eight(() => sandbox.refresh(tokens.refresh_token));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });
  it("leaves other grants of the same person and client alone", async () => {
    const other = await sandbox.tokensFor();
    const tokens = await sandbox.tokensFor();
    await sandbox.refresh(tokens.refresh_token);
    await sandbox.refresh(tokens.refresh_token);
    expect(await sandbox.useToken(other.access_token)).toBe(200);
  });
  it("can be forgiven within a configured time, for lost responses", async () => {
    const lenient = await openSandbox({ refreshGraceMillis: 5_000 });
    const tokens = await lenient.tokensFor();
    expect((await lenient.refresh(tokens.refresh_token)).status).toBe(200);
    await lenient.advance("4 seconds");
    expect((await lenient.refresh(tokens.refresh_token)).status).toBe(200);
    await lenient.advance("2 seconds");
    expect((await lenient.refresh(tokens.refresh_token)).status).toBe(400);
    await lenient.close();
  });
});

it("S4, S10: of eight at once over eight connections, one wins [OA-35] [LC-08]", async () => {
  const server = await startSandbox();
  const { verifier, challenge } = pkce();
  const redirectUri = "http://127.0.0.1:5000/callback";
  const query = new URLSearchParams({
    client_id: "example-desktop",
    response_type: "code",
    scope: "account:profile",
    state: "s",
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const consent = await fetch(`${server.controlUrl}/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: `${server.authUrl}/oauth/authorize?${query}` }),
  });
  const { redirect } = (await consent.json()) as { redirect: string };
  const redeem = (form: Record<string, string>) =>
    eight(async () => {
      const response = await fetch(`${server.authUrl}/oauth/token`, {
        method: "POST",
        headers: { connection: "close" },
        body: new URLSearchParams({ client_id: "example-desktop", ...form }),
      });
      return { status: response.status, body: (await response.json()) as TokenBody };
    });
  const exchanges = await redeem({
    grant_type: "authorization_code",
    code: new URL(redirect).searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  expect(exchanges.filter(({ status }) => status === 200)).toHaveLength(1);

  const issued = await fetch(`${server.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId: "example-desktop", account: "Emberlyn#4071" }),
  });
  const { refresh_token = "" } = (await issued.json()) as TokenBody;
  const refreshes = await redeem({ grant_type: "refresh_token", refresh_token });
  expect(refreshes.filter(({ status }) => status === 200)).toHaveLength(1);
  await server.close();
});
