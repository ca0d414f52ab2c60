/**
 * S22, S23 and the rows of the error table for revoke, introspect and bearer tokens (RFC 7009,
 * 7662, 6750).
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { describe, expect, it } from "vitest";
import { NOON } from "../control/harness.ts";
import { bearer, DESKTOP, openSandbox, tokenOf, WEB } from "./harness.ts";

const sandbox = await openSandbox();
const { access_token: guard } = await tokenOf(
  await sandbox.clientCredentials("oauth:revoke oauth:introspect"),
);

const revoke = async (token: string | undefined, by = guard): Promise<number> =>
  (await sandbox.post("/oauth/token/revoke", { token: token! }, bearer(by))).status;
const introspect = (token: string | undefined) =>
  sandbox.post("/oauth/token/introspect", { token: token! }, bearer(guard));
const seen = async (token: string | undefined) =>
  (await (await introspect(token)).json()) as Record<string, unknown>;
const ofDesktop = () =>
  sandbox.tokensFor({ client_id: DESKTOP.id, redirect_uri: DESKTOP.redirectUri });

describe.each(["/oauth/token/revoke", "/oauth/token/introspect"])(
  "%s is guarded [OA-03] [OA-04] [NS-03] [NS-04] [ER-08]",
  (path) => {
    const ask = (form: Record<string, string> | string, headers: Record<string, string>) =>
      sandbox.post(path, form, headers);
    it.each([
      ["no bearer", 401, "invalid_client", {}, /^Bearer$/u],
      ["a bad bearer", 401, "invalid_token", bearer("nonsense"), /^Bearer error="invalid_token"/u],
    ])(
      "revoke and introspect refuse a request with %s: %i %s and a challenge",
      async (_, status, error, headers, challenge) => {
        const response = await ask({ token: "x" }, headers);
        expect(response.status).toBe(status);
        expect(response.headers.get("www-authenticate")).toMatch(challenge);
        expect(await response.json()).toMatchObject({ error });
      },
    );
    it("revoke and introspect refuse a bearer without the scope with 403 insufficient_scope", async () => {
      const { access_token } = await sandbox.tokensFor();
      const response = await ask({ token: "x" }, bearer(access_token));
      expect(response.status).toBe(403);
      expect(response.headers.get("www-authenticate")).toBe(
        `Bearer error="insufficient_scope", scope="oauth:${path.split("/").at(-1)}"`,
      );
      expect(await response.json()).toMatchObject({ error: "insufficient_scope" });
    });
    it.each(["", "token=a&token=b", "token=a&access_token=b"])(
      "revoke and introspect refuse the form %j with 400 invalid_request",
      async (form) => {
        const response = await ask(form, bearer(guard));
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: "invalid_request" });
      },
    );
    it("revoke and introspect accept a bearer scheme in any case, and any token_type_hint", async () => {
      const headers = { authorization: `bEaReR ${guard}` };
      for (const hint of ["access_token", "refresh_token", "nonsense"]) {
        const answer = await ask({ token: "x", token_type_hint: hint }, headers);
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
      }
    });
    it("revoke and introspect refuse another client id or secret than that of the bearer", async () => {
      const right = { token: "x", client_id: WEB.id };
      const answers = await Promise.all(
        [
          right,
          { ...right, client_secret: sandbox.secretOf(WEB.id)! },
          { token: "x", client_secret: sandbox.secretOf(WEB.id)! },
          { ...right, client_secret: "wrong" },
          { token: "x", client_secret: "wrong" },
          { token: "x", client_id: "example-service" },
        ].map((form) => ask(form, bearer(guard))),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 401]);
    });
  },
);

describe("revoke", () => {
  it("revoke ends an access token, and leaves the refresh token [LC-06] [NS-32]", async () => {
    const tokens = await sandbox.tokensFor({}, "Quillon#1182");
    expect(await revoke(tokens.access_token)).toBe(200);
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
  it("revoke of a refresh token ends the family's access tokens [NS-32]", async () => {
    const tokens = await sandbox.tokensFor();
    expect(await revoke(tokens.refresh_token)).toBe(200);
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(400);
  });
  it("revoke answers 200 for an unknown, an expired and an already revoked token [NS-03]", async () => {
    const { access_token } = await sandbox.tokensFor();
    const old = await sandbox.tokensFor();
    await revoke(access_token);
    await sandbox.advance("29 days");
    for (const token of ["unknown", access_token, old.access_token])
      expect(await revoke(token)).toBe(200);
  });
  it("revoke does not affect tokens of another client, or of another user than the bearer's [NS-30]", async () => {
    const foreign = await ofDesktop();
    expect(await revoke(foreign.access_token)).toBe(200);
    expect(await sandbox.useToken(foreign.access_token)).toBe(200);
    const mine = await sandbox.tokensFor({ scope: "account:profile oauth:revoke" });
    const theirs = await sandbox.tokensFor({}, "Quillon#1182");
    await revoke(theirs.access_token, mine.access_token);
    expect(await sandbox.useToken(theirs.access_token)).toBe(200);
    await revoke(mine.access_token, mine.access_token);
    expect(await sandbox.useToken(mine.access_token)).toBe(401);
  });
});

describe("introspect", () => {
  it("introspect describes a token, without exp if the token never expires [NS-04]", async () => {
    await sandbox.control("POST", "/clock", { set: NOON });
    const scope = "account:profile account:stashes";
    const tokens = await sandbox.tokensFor({ scope });
    const iat = Date.parse(NOON) / 1_000;
    const about = { active: true, scope, client_id: WEB.id, username: "Emberlyn#4071", iat };
    const { sub } = tokens;
    const access = {
      ...about,
      sub,
      token_type: "bearer",
      exp: iat + Lifetimes.accessToken.confidential,
    };
    expect(await seen(tokens.access_token)).toEqual(access);
    const exp = iat + Lifetimes.refreshToken.confidential;
    expect(await seen(tokens.refresh_token)).toEqual({ ...about, sub, exp });
    const self = await seen(guard);
    expect([self["active"], "exp" in self]).toEqual([true, false]);
  });
  it("introspect returns only {active: false} for invalid and other clients' tokens [NS-30]", async () => {
    const [used, revoked, old] = [
      await sandbox.tokensFor(),
      await sandbox.tokensFor(),
      await sandbox.tokensFor(),
    ];
    await sandbox.refresh(used.refresh_token);
    await revoke(revoked.access_token);
    const foreign = await ofDesktop();
    await sandbox.advance("28 days");
    for (const token of [
      "unknown",
      used.refresh_token,
      revoked.access_token,
      foreign.refresh_token,
      old.access_token,
    ])
      expect(await seen(token)).toEqual({ active: false });
  });
  it("introspect throttles clients that scan for tokens, and no others", async () => {
    for (let asked = 0; asked < 100; asked += 1) expect((await introspect(guard)).status).toBe(200);
    let status = 200;
    for (let asked = 0; status === 200 && asked < 100; asked += 1)
      ({ status } = await introspect(`guess-${asked}`));
    expect(status).toBe(429);
    await sandbox.advance("60 seconds");
    expect((await introspect("guess")).status).toBe(200);
  });
});
