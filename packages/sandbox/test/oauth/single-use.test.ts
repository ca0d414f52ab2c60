/** S4, S5, S10: codes and refresh tokens are spent once, and what a replay does. */
import { startSandbox } from "@game-data/sandbox";
import { describe, expect, it } from "vitest";
import {
  authorizeQuery,
  DESKTOP,
  errorOf,
  openSandbox,
  pkce,
  type TokenBody,
  tokenOf,
} from "./harness.ts";

const sandbox = await openSandbox();

const eight = <A>(task: () => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: 8 }, task));
const successes = (responses: ReadonlyArray<Response>): number =>
  responses.filter(({ status }) => status === 200).length;

describe("S4: a code", () => {
  it("a code can be exchanged within 30 seconds, and not later [LC-01] [LM-06]", async () => {
    const [young, old] = [await sandbox.codeFor(), await sandbox.codeFor()];
    // 256 bits.
    expect(young.code).toMatch(/^[A-Za-z0-9_-]{43}$/u);
    await sandbox.advance("29999 millis");
    expect((await sandbox.exchange(young)).status).toBe(200);
    await sandbox.advance("1 millis");
    expect((await errorOf(await sandbox.exchange(old))).error).toBe("invalid_grant");
  });
  it("a code gives the scopes and the account of its request [OA-30] [OA-31] [OA-32]", async () => {
    const scope = "account:stashes account:profile";
    const tokens = await sandbox.tokensFor({ scope }, "Tamsin#3355");
    const { name, uuid } = sandbox.accounts.find((one) => one.name === "Tamsin#3355")!;
    expect(tokens).toMatchObject({ scope, username: name, sub: uuid });
  });
});

describe("S5: a code that comes again", () => {
  it("a repeated code of the right client revokes the tokens of the first exchange [OA-35]", async () => {
    const flow = await sandbox.codeFor();
    const tokens = await tokenOf(await sandbox.exchange(flow));
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
    expect((await errorOf(await sandbox.exchange(flow))).error).toBe("invalid_grant");
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(400);
  });
  it("a repeated code revokes nothing with a wrong verifier, secret, client or redirect URI", async () => {
    const flow = await sandbox.codeFor();
    const tokens = await tokenOf(await sandbox.exchange(flow));
    const other = "example-no-refresh";
    for (const attempt of [
      { code_verifier: pkce().verifier },
      { client_secret: "wrong" },
      { client_id: other, client_secret: sandbox.secretOf(other) },
      { redirect_uri: "https://app.example.com/other" },
    ])
      expect((await sandbox.exchange(flow, attempt)).status).toBeGreaterThanOrEqual(400);
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe("S10: a refresh token that comes again", () => {
  it("a repeated refresh token is refused, and revokes all tokens of its grant [LC-08] [LC-09] [OA-33]", async () => {
    const first = await sandbox.tokensFor();
    const second = await tokenOf(await sandbox.refresh(first.refresh_token));
    const third = await tokenOf(await sandbox.refresh(second.refresh_token));
    const other = await sandbox.tokensFor();
    expect(second.refresh_token).toMatch(/^[\w-]{43}$/u);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await sandbox.useToken(third.access_token)).toBe(200);
    expect((await errorOf(await sandbox.refresh(first.refresh_token))).error).toBe("invalid_grant");
    for (const tokens of [first, second, third])
      expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    expect((await sandbox.refresh(third.refresh_token)).status).toBe(400);
    // Another grant of the same person and client is left alone.
    expect(await sandbox.useToken(other.access_token)).toBe(200);
  });
  it("a repeated refresh token is accepted within `refreshGraceMillis`", async () => {
    const lenient = await openSandbox({ refreshGraceMillis: 5_000 });
    const { refresh_token } = await lenient.tokensFor();
    const seen = [];
    for (const wait of [0, 4, 1]) {
      await lenient.advance(`${wait} seconds`);
      seen.push((await lenient.refresh(refresh_token)).status);
    }
    expect(seen).toEqual([200, 200, 400]);
  });
});

describe("S4, S10: of eight at once one wins [OA-35] [LC-08]", () => {
  it("of eight simultaneous redemptions over eight connections exactly one succeeds", async () => {
    await using server = await startSandbox();
    const { challenge, verifier } = pkce();
    const of = { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri };
    const query = authorizeQuery({ ...of, code_challenge: challenge });
    const redirect = await server.consent(`${server.authUrl}/oauth/authorize?${query}`);
    const redeem = (form: Record<string, string>) =>
      eight(() =>
        fetch(`${server.authUrl}/oauth/token`, {
          method: "POST",
          headers: { connection: "close" },
          body: new URLSearchParams({ ...of, ...form }),
        }),
      );
    const exchanges = await redeem({
      grant_type: "authorization_code",
      code: new URL(redirect).searchParams.get("code") ?? "",
      code_verifier: verifier,
    });
    expect(successes(exchanges)).toBe(1);
    const asked = { clientId: DESKTOP.id, account: "Emberlyn#4071" };
    const { refresh_token = "" } = (await server.control("POST", "/tokens", asked)) as TokenBody;
    expect(successes(await redeem({ grant_type: "refresh_token", refresh_token }))).toBe(1);
  });
});
