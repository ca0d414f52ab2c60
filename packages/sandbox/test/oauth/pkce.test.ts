/** S3: PKCE for every client, bound to the code, with no way around it. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DESKTOP, errorOf, openSandbox, pkce, type TestSandbox, WEB } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

it("accepts the verifier of RFC 7636, appendix B [OA-11] [OA-25]", async () => {
  const flow = await sandbox.codeFor({
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  });
  const answer = await sandbox.exchange(flow, {
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  });
  expect(answer.status).toBe(200);
});

it.each([43, 128])("accepts a verifier of %i characters", async (length) => {
  const verifier = "~._-aA0".repeat(20).slice(0, length);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const flow = await sandbox.codeFor({ code_challenge: challenge });
  expect((await sandbox.exchange(flow, { code_verifier: verifier })).status).toBe(200);
});

it("refuses the challenge itself as a verifier: plain is no method here [OA-12]", async () => {
  const { challenge } = pkce();
  const flow = await sandbox.codeFor({ code_challenge: challenge });
  const answer = await sandbox.exchange(flow, { code_verifier: challenge });
  expect((await errorOf(answer)).error).toBe("invalid_grant");
});

it("gives no code without a challenge, for either kind of client [OA-05]", async () => {
  for (const client of [WEB, DESKTOP]) {
    const url = sandbox.authorizeUrl({
      client_id: client.id,
      redirect_uri: client.redirectUri,
      code_challenge: undefined,
      code_challenge_method: undefined,
    });
    const answer = (await (await sandbox.control("/authorize", { url })).json()) as {
      redirect: string;
    };
    expect(new URL(answer.redirect).searchParams.get("error")).toBe("invalid_request");
  }
});

it("binds the challenge to its code: another flow's verifier does not open it [OA-25]", async () => {
  const one = await sandbox.codeFor();
  const other = await sandbox.codeFor();
  const crossed = await sandbox.exchange(one, { code_verifier: other.verifier });
  expect((await errorOf(crossed)).error).toBe("invalid_grant");
  expect((await sandbox.exchange(one)).status).toBe(200);
});
