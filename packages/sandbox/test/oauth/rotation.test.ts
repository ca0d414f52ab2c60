/** S8, S9, S12: lifetimes, rotation, and what a refresh keeps (§3, §5, §8). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DESKTOP, errorOf, openSandbox, type TestSandbox, type TokenBody, WEB } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const desktop = { client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri };
const rotated = async (tokens: TokenBody, client = WEB.id): Promise<TokenBody> =>
  (await (await sandbox.refresh(tokens.refresh_token, client)).json()) as TokenBody;

describe("S12: access tokens", () => {
  it("of a confidential client live 28 days [LC-02] [LM-07] [ER-01]", async () => {
    const tokens = await sandbox.tokensFor();
    expect(tokens.expires_in).toBe(28 * 86_400);
    await sandbox.advance("2419199 seconds");
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
    await sandbox.advance("1 seconds");
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
  });
  it("of a public client live 10 hours [LC-03] [LM-07] [ER-01]", async () => {
    const tokens = await sandbox.tokensFor(desktop);
    expect(tokens.expires_in).toBe(36_000);
    await sandbox.advance("35999 seconds");
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
    await sandbox.advance("1 seconds");
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
  });
  it("of client credentials do not expire [LC-07] [LM-07] [OA-28]", async () => {
    const answer = await sandbox.clientCredentials("account:profile");
    const tokens = (await answer.json()) as TokenBody;
    expect(tokens.expires_in).toBeNull();
    await sandbox.advance("36500 days");
    expect(await sandbox.useToken(tokens.access_token)).toBe(200);
  });
  it("say their lifetime as whole seconds [OA-28]", async () => {
    const tokens = await sandbox.tokensFor();
    expect(Number.isInteger(tokens.expires_in)).toBe(true);
  });
});

describe("S12: refresh tokens", () => {
  it("of a confidential client live 90 days [LC-11] [LM-08]", async () => {
    const young = await sandbox.tokensFor();
    const old = await sandbox.tokensFor();
    await sandbox.advance("7775999 seconds");
    expect((await sandbox.refresh(young.refresh_token)).status).toBe(200);
    await sandbox.advance("1 seconds");
    expect((await errorOf(await sandbox.refresh(old.refresh_token))).error).toBe("invalid_grant");
  });
  it("of a public client live 7 days [LC-12] [LM-08]", async () => {
    const young = await sandbox.tokensFor(desktop);
    const old = await sandbox.tokensFor(desktop);
    await sandbox.advance("604799 seconds");
    expect((await sandbox.refresh(young.refresh_token, DESKTOP.id)).status).toBe(200);
    await sandbox.advance("1 seconds");
    expect((await sandbox.refresh(old.refresh_token, DESKTOP.id)).status).toBe(400);
  });
});

describe("S9: rotation", () => {
  it("gives a new refresh token, and the old one is dead at once [LC-08] [LC-09] [OA-33]", async () => {
    const first = await sandbox.tokensFor();
    const second = await rotated(first);
    expect(second.refresh_token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect((await sandbox.refresh(first.refresh_token)).status).toBe(400);
  });
  it("inherits the first token's expiry through every rotation [LC-10]", async () => {
    let tokens = await sandbox.tokensFor();
    for (let day = 0; day < 89; day += 1) {
      await sandbox.advance("1 days");
      tokens = await rotated(tokens);
      expect(tokens.refresh_token).toBeDefined();
    }
    await sandbox.advance("1 days");
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(400);
  });
  it("inherits it for a public client too [LC-10] [NS-22]", async () => {
    let tokens = await sandbox.tokensFor(desktop);
    for (let day = 0; day < 6; day += 1) {
      await sandbox.advance("1 days");
      tokens = await rotated(tokens, DESKTOP.id);
    }
    await sandbox.advance("23 hours");
    tokens = await rotated(tokens, DESKTOP.id);
    expect(tokens.expires_in).toBe(36_000);
    await sandbox.advance("1 hours");
    expect((await sandbox.refresh(tokens.refresh_token, DESKTOP.id)).status).toBe(400);
  });
  it("keeps the granted scope though an access token was narrowed", async () => {
    const first = await sandbox.tokensFor({ scope: "account:profile account:stashes" });
    const answer = await sandbox.refresh(first.refresh_token, WEB.id, { scope: "account:stashes" });
    const narrow = (await answer.json()) as TokenBody;
    expect(narrow.scope).toBe("account:stashes");
    expect((await rotated(narrow)).scope).toBe("account:profile account:stashes");
  });
  it("keeps account and subject [OA-27]", async () => {
    const first = await sandbox.tokensFor({}, "Quillon#1182");
    const second = await rotated(first);
    expect([second.username, second.sub]).toEqual([first.username, first.sub]);
  });
  it("leaves the earlier access token in force until it expires [NS-32]", async () => {
    const first = await sandbox.tokensFor();
    const second = await rotated(first);
    expect(await sandbox.useToken(first.access_token)).toBe(200);
    expect(await sandbox.useToken(second.access_token)).toBe(200);
  });
});

describe("S8: who may refresh", () => {
  it("a public client with its id alone [NS-21] [NS-22]", async () => {
    const tokens = await sandbox.tokensFor(desktop);
    expect((await sandbox.refresh(tokens.refresh_token, DESKTOP.id)).status).toBe(200);
  });
  it("a confidential client with its secret at every call [OA-20] [OA-37]", async () => {
    const tokens = await sandbox.tokensFor();
    expect(
      (await sandbox.refresh(tokens.refresh_token, WEB.id, { client_secret: "" })).status,
    ).toBe(401);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
  it("no other client of the same kind", async () => {
    const tokens = await sandbox.tokensFor(desktop);
    const stolen = await sandbox.refresh(tokens.refresh_token, "example-tablet");
    expect((await errorOf(stolen)).error).toBe("invalid_grant");
    expect((await sandbox.refresh(tokens.refresh_token, DESKTOP.id)).status).toBe(200);
  });
  it("no application that has refresh tokens turned off: it gets none [OA-33] [OA-49]", async () => {
    const tokens = await sandbox.tokensFor({
      client_id: "example-no-refresh",
      redirect_uri: "https://app.example.net/callback",
    });
    expect("refresh_token" in tokens).toBe(false);
  });
});
