/**
 * S22, S23 and the rows of the error table for revoke, introspect and bearer tokens (RFC 7009,
 * 7662, 6750).
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  DESKTOP,
  errorOf,
  NOON,
  openSandbox,
  type TestSandbox,
  type TokenBody,
} from "./harness.ts";

let sandbox: TestSandbox;
let guard: string;
beforeAll(async () => {
  sandbox = await openSandbox();
  const answer = await sandbox.clientCredentials("oauth:revoke oauth:introspect");
  guard = ((await answer.json()) as TokenBody).access_token;
});
afterAll(() => sandbox.close());

const revoke = (token: string, bearer = guard, extra: Record<string, string> = {}) =>
  sandbox.post("/oauth/token/revoke", { token, ...extra }, sandbox.bearer(bearer));
const introspect = (token: string, bearer = guard, extra: Record<string, string> = {}) =>
  sandbox.post("/oauth/token/introspect", { token, ...extra }, sandbox.bearer(bearer));
const seen = async (token: string, bearer = guard) =>
  (await (await introspect(token, bearer)).json()) as Record<string, unknown>;

describe.each(["/oauth/token/revoke", "/oauth/token/introspect"])(
  "%s is guarded [OA-03] [OA-04] [NS-03] [NS-04]",
  (path) => {
    it("401 with a bare challenge without a bearer", async () => {
      const response = await sandbox.post(path, { token: "x" });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    });
    it("401 invalid_token with a bad bearer", async () => {
      const response = await sandbox.post(path, { token: "x" }, sandbox.bearer("nonsense"));
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/u);
      expect((await errorOf(response)).error).toBe("invalid_token");
    });
    it("403 insufficient_scope with a bearer that lacks the scope", async () => {
      const { access_token } = await sandbox.tokensFor();
      const response = await sandbox.post(path, { token: "x" }, sandbox.bearer(access_token));
      expect(response.status).toBe(403);
      expect((await errorOf(response)).error).toBe("insufficient_scope");
    });
    it("400 invalid_request without a token, with two of them, or with two bearers [ER-08]", async () => {
      for (const form of ["", "token=a&token=b", "token=a&access_token=b"]) {
        const response = await sandbox.post(path, form, sandbox.bearer(guard));
        expect(response.status).toBe(400);
        expect((await errorOf(response)).error).toBe("invalid_request");
      }
    });
    it("takes the scheme in any case", async () => {
      const response = await sandbox.post(
        path,
        { token: "x" },
        { authorization: `bEaReR ${guard}` },
      );
      expect(response.status).toBe(200);
    });
    it("ignores a token_type_hint that is wrong or unknown", async () => {
      for (const hint of ["access_token", "refresh_token", "nonsense"]) {
        const form = { token: "x", token_type_hint: hint };
        expect((await sandbox.post(path, form, sandbox.bearer(guard))).status).toBe(200);
      }
    });
    it("demands that a client named beside the bearer is the bearer's, with its secret", async () => {
      const right = { token: "x", client_id: "example-web" };
      const secret = { client_secret: sandbox.secretOf("example-web") };
      const answers = await Promise.all(
        [
          right,
          { ...right, ...secret },
          { ...right, client_secret: "wrong" },
          { token: "x", client_id: "example-service" },
        ].map((form) => sandbox.post(path, form, sandbox.bearer(guard))),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
    });
  },
);

describe("revoke", () => {
  it("ends an access token, and leaves the refresh token [LC-06] [NS-32]", async () => {
    const tokens = await sandbox.tokensFor();
    expect((await revoke(tokens.access_token)).status).toBe(200);
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(200);
  });
  it("of a refresh token ends the family's access tokens [NS-32]", async () => {
    const tokens = await sandbox.tokensFor();
    expect((await revoke(tokens.refresh_token ?? "")).status).toBe(200);
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
    expect((await sandbox.refresh(tokens.refresh_token)).status).toBe(400);
  });
  it("answers 200 to an unknown, an expired and an already revoked token [NS-03]", async () => {
    expect((await revoke("unknown")).status).toBe(200);
    const tokens = await sandbox.tokensFor();
    await revoke(tokens.access_token);
    expect((await revoke(tokens.access_token)).status).toBe(200);
    const old = await sandbox.tokensFor();
    await sandbox.advance("29 days");
    expect((await revoke(old.access_token)).status).toBe(200);
  });
  it("does nothing to another client's token [NS-30]", async () => {
    const foreign = await sandbox.tokensFor({
      client_id: DESKTOP.id,
      redirect_uri: DESKTOP.redirectUri,
    });
    expect((await revoke(foreign.access_token)).status).toBe(200);
    expect(await sandbox.useToken(foreign.access_token)).toBe(200);
  });
  it("with a user's bearer reaches that user's tokens of the client only [NS-30]", async () => {
    const mine = await sandbox.tokensFor({ scope: "account:profile oauth:revoke" });
    const theirs = await sandbox.tokensFor({}, "Quillon#1182");
    await revoke(theirs.access_token, mine.access_token);
    expect(await sandbox.useToken(theirs.access_token)).toBe(200);
    await revoke(mine.access_token, mine.access_token);
    expect(await sandbox.useToken(mine.access_token)).toBe(401);
  });
  it("ends a client-credentials token [LC-07]", async () => {
    const answer = await sandbox.clientCredentials("account:profile");
    const tokens = (await answer.json()) as TokenBody;
    await revoke(tokens.access_token);
    expect(await sandbox.useToken(tokens.access_token)).toBe(401);
  });
});

describe("introspect", () => {
  it("tells what an access token is [NS-04]", async () => {
    const fresh = await openSandbox();
    const { access_token: bearer } = (await (
      await fresh.clientCredentials("oauth:introspect")
    ).json()) as TokenBody;
    const tokens = await fresh.tokensFor({ scope: "account:profile account:stashes" });
    const answer = await fresh.post(
      "/oauth/token/introspect",
      { token: tokens.access_token },
      fresh.bearer(bearer),
    );
    const iat = Date.parse(NOON) / 1_000;
    const body = (await answer.json()) as { iat: number; exp: number };
    expect(body).toEqual({
      active: true,
      scope: "account:profile account:stashes",
      client_id: "example-web",
      username: "Emberlyn#4071",
      sub: tokens.sub,
      token_type: "bearer",
      iat: body.iat,
      exp: body.iat + 28 * 86_400,
    });
    expect(body.iat - iat).toBeLessThanOrEqual(1);
    await fresh.close();
  });
  it("has no exp for a token without one", async () => {
    const self = await seen(guard);
    expect(self["active"]).toBe(true);
    expect("exp" in self).toBe(false);
  });
  it("knows refresh tokens, without a token_type", async () => {
    const tokens = await sandbox.tokensFor();
    const answer = await seen(tokens.refresh_token ?? "");
    expect(answer["active"]).toBe(true);
    expect("token_type" in answer).toBe(false);
  });
  it("says only {active: false} of unknown, expired, used, revoked and foreign tokens [NS-30]", async () => {
    const used = await sandbox.tokensFor();
    await sandbox.refresh(used.refresh_token);
    const revoked = await sandbox.tokensFor();
    await revoke(revoked.access_token);
    const foreign = await sandbox.tokensFor({
      client_id: DESKTOP.id,
      redirect_uri: DESKTOP.redirectUri,
    });
    const old = await sandbox.tokensFor();
    await sandbox.advance("28 days");
    for (const token of [
      "unknown",
      used.refresh_token ?? "",
      revoked.access_token,
      foreign.access_token,
      old.access_token,
    ]) {
      expect(await seen(token)).toEqual({ active: false });
    }
  });
  it("brakes whoever scans for tokens", async () => {
    let status = 200;
    let asked = 0;
    while (status === 200 && asked < 100) {
      status = (await introspect(`guess-${asked}`)).status;
      asked += 1;
    }
    expect(status).toBe(429);
    await sandbox.advance("60 seconds");
    expect((await introspect("guess")).status).toBe(200);
  });
});
