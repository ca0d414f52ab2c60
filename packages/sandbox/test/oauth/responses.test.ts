/**
 * S13, S19, S21: shape and headers of answers, odd parameters, and bearer tokens at the data API.
 */
import { TokenResponse } from "../../src/oauth/TokenGrants.ts";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { bearer, openSandbox, tokenOf } from "./harness.ts";

const sandbox = await openSandbox();

const strictly = { onExcessProperty: "error" } as const;

describe("S13: answers of the token endpoint", () => {
  it("token responses, successes and errors, are JSON that must not be stored [OA-16] [ER-08]", async () => {
    const flow = await sandbox.codeFor();
    for (const changes of [{ code: "unknown" }, {}])
      expect(Object.fromEntries((await sandbox.exchange(flow, changes)).headers)).toMatchObject({
        "content-type": "application/json",
        "cache-control": "no-store",
        pragma: "no-cache",
      });
  });
  it("token responses have exactly the fields of the specification [OA-27] [OA-29] [OA-46]", async () => {
    const tokens = await sandbox.tokensFor();
    expect(Schema.decodeUnknownSync(TokenResponse, strictly)(tokens)).toEqual(tokens);
    expect(Object.keys(tokens).toSorted().join(" ")).toBe(
      "access_token expires_in refresh_token scope sub token_type username",
    );
    expect(tokens.token_type).toBe("bearer");
    expect(tokens.sub).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u,
    );
  });
});

describe("S19: parameters", () => {
  it("the OAuth server ignores unknown parameters, repeated or not", async () => {
    const form = new URLSearchParams(sandbox.exchangeForm(await sandbox.codeFor()));
    form.append("audience", "x");
    form.append("audience", "y");
    expect((await sandbox.post("/oauth/token", String(form))).status).toBe(200);
    const page = await sandbox.get(`${sandbox.authorizeUrl()}&prompt=none&prompt=login`);
    expect(page.status).toBe(200);
  });
  it.each([
    ["an empty scope, which counts as absent", "", "account:profile account:stashes"],
    ["the granted scopes", "account:profile account:stashes", "account:profile account:stashes"],
    ["fewer scopes than granted", "account:stashes", "account:stashes"],
  ])("an exchange may have %s [OA-24] [NS-31]", async (_, scope, granted) => {
    const flow = await sandbox.codeFor({ scope: "account:profile account:stashes" });
    expect((await tokenOf(await sandbox.exchange(flow, { scope }))).scope).toBe(granted);
  });
  it("the token endpoint refuses a too large form with 413, even if no length is announced", async () => {
    const large = `x=${"y".repeat(20_000)}`;
    for (const body of [large, new Blob([large]).stream()]) {
      const response = await sandbox.post("/oauth/token", body);
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: "invalid_request" });
    }
  });
  it.each(["code=%ff", "code=%", "code=%zz", "%c3%28=x", new Uint8Array([0x63, 0x3d, 0xff])])(
    "the token endpoint refuses the form %s, which is not UTF-8",
    async (body) => {
      expect((await sandbox.post("/oauth/token", body)).status).toBe(400);
    },
  );
  it("the token endpoint accepts a form whose content type has a charset", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
    const form = sandbox.exchangeForm(await sandbox.codeFor());
    expect((await sandbox.post("/oauth/token", form, headers)).status).toBe(200);
  });
});

describe("S21: bearer tokens at the data API", () => {
  const profile = (headers: Record<string, string>, query = "") =>
    sandbox.get(`${sandbox.baseUrl}/profile${query}`, headers);

  it("the data API accepts the bearer scheme in any case", async () => {
    const { access_token } = await sandbox.tokensFor();
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"])
      expect((await profile({ authorization: `${scheme} ${access_token}` })).status).toBe(200);
  });
  it("the data API refuses a bearer token that is repeated in a form", async () => {
    const { access_token } = await sandbox.tokensFor({ scope: "account:item_filter" });
    const response = await sandbox.fetch(
      new Request(`${sandbox.baseUrl}/item-filter`, {
        method: "POST",
        headers: bearer(access_token),
        body: new URLSearchParams({ access_token }),
      }),
    );
    expect(response.status).toBe(400);
  });
  it.each(["", "Bearer", "Bearer ", "Basic eDp5", "Token x"])(
    "the data API answers 401 to the Authorization header %j without a bearer token [ER-01]",
    async (authorization) => {
      expect((await profile({ authorization })).status).toBe(401);
    },
  );
  it.each(["Bearer nonsense", "Bearer a b", "Bearer %C3%BC", 'Bearer "x"'])(
    "the data API answers 401 invalid_token to the Authorization header %j [ER-01]",
    async (authorization) => {
      const response = await profile({ authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/u);
    },
  );
});
