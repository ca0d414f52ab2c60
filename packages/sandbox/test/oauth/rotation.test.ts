/** S8, S9, S12: lifetimes, rotation, and what a refresh keeps (§3, §5, §8). */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { describe, expect, it } from "vitest";
import { DESKTOP, errorOf, openSandbox, type TokenBody, tokenOf, WEB } from "./harness.ts";

const sandbox = await openSandbox();

const desktop = { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri };
const rotated = async (tokens: TokenBody, client = WEB.id): Promise<TokenBody> =>
  tokenOf(await sandbox.refresh(tokens.refresh_token, client));

const { accessToken, refreshToken } = Lifetimes;

describe("S12: tokens live as long as the contract says", () => {
  it.each([
    ["a confidential", {}, accessToken.confidential],
    ["a public", desktop, accessToken.public],
  ])(
    "an access token of %s client expires after the contract's lifetime [LC-02] [LC-03] [LM-07] [ER-01]",
    async (_, client, seconds) => {
      const tokens = await sandbox.tokensFor(client);
      expect(tokens.expires_in).toBe(seconds);
      await sandbox.advance(`${seconds - 1} seconds`);
      expect(await sandbox.useToken(tokens.access_token)).toBe(200);
      await sandbox.advance("1 seconds");
      expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    },
  );
  it("an access token by client credentials never expires [LC-07] [LM-07] [OA-28]", async () => {
    const tokens = await tokenOf(await sandbox.clientCredentials("account:profile"));
    expect(tokens.expires_in).toBeNull();
    await sandbox.advance("36500 days");
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
  });
  it.each([
    ["a confidential", {}, refreshToken.confidential],
    ["a public", desktop, refreshToken.public],
  ])(
    "a refresh token of %s client expires after the contract's lifetime [LC-11] [LC-12] [LM-08]",
    async (_, client, seconds) => {
      const [young, old] = [await sandbox.tokensFor(client), await sandbox.tokensFor(client)];
      const id = client === desktop ? DESKTOP.id : WEB.id;
      await sandbox.advance(`${seconds - 1} seconds`);
      expect((await sandbox.refresh(young.refresh_token, id)).status).toBe(200);
      await sandbox.advance("1 seconds");
      const late = await sandbox.refresh(old.refresh_token, id);
      expect((await errorOf(late)).error).toBe("invalid_grant");
    },
  );
});

describe("S9: rotation", () => {
  it.each([
    ["a confidential", {}, WEB.id, refreshToken.confidential],
    ["a public", desktop, DESKTOP.id, refreshToken.public],
  ])(
    "a rotated refresh token of %s client inherits the first token's expiry [LC-10] [NS-22]",
    async (_, of, id, ends) => {
      let tokens = await sandbox.tokensFor(of);
      for (let day = 1; day < ends / 86_400; day += 1) {
        await sandbox.advance("1 days");
        tokens = await rotated(tokens, id);
        expect(tokens.refresh_token).toBeDefined();
      }
      await sandbox.advance("1 days");
      expect((await sandbox.refresh(tokens.refresh_token, id)).status).toBe(400);
    },
  );
  it("a rotated refresh token keeps scope and account, even if an access token was narrowed [OA-27]", async () => {
    const scope = "account:profile account:stashes";
    const first = await sandbox.tokensFor({ scope }, "Quillon#1182");
    const narrow = { scope: "account:stashes" };
    const second = await tokenOf(await sandbox.refresh(first.refresh_token, WEB.id, narrow));
    const { sub, username } = first;
    expect(second).toMatchObject({ ...narrow, sub, username });
    expect(await rotated(second)).toMatchObject({ scope, sub, username });
  });
  it("a refresh leaves the earlier access token valid until it expires [NS-32]", async () => {
    const first = await sandbox.tokensFor();
    const second = await rotated(first);
    for (const { access_token } of [first, second])
      expect(await sandbox.useToken(access_token)).toBe(200);
  });
});

describe("S8: who may refresh", () => {
  it("a public client refreshes without a secret, and another client cannot [NS-21] [NS-22]", async () => {
    const tokens = await sandbox.tokensFor(desktop);
    const stolen = await sandbox.refresh(tokens.refresh_token, "example-tablet");
    expect((await errorOf(stolen)).error).toBe("invalid_grant");
    expect((await sandbox.refresh(tokens.refresh_token, DESKTOP.id)).status).toBe(200);
  });
  it("an application with refresh tokens turned off gets no refresh token [OA-33] [OA-49]", async () => {
    const tokens = await sandbox.tokensFor({
      client_id: "example-no-refresh",
      redirect_uri: "https://app.example.net/callback",
    });
    expect(tokens).not.toHaveProperty("refresh_token");
  });
});
