/**
 * `kill -9` in the middle of writing to a file: what was answered with success is there afterwards,
 * and nothing can be redeemed twice.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { pkce } from "../oauth/harness.ts";
import { startProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbox-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** CI writes more. */
const WRITES = process.env["REQUIRE_SERVICES"] === "1" ? 1_000 : 300;
const WORKERS = 8;

/** Changes that the server acknowledged before it died. */
interface Acknowledged {
  /** Access tokens that were issued. */
  readonly access: Set<string>;
  /** Access tokens whose revocation was answered. */
  readonly revoked: Set<string>;
  /** Access tokens whose revocation was sent: without an answer it may have happened or not. */
  readonly inDoubt: Set<string>;
  /** Codes that were exchanged, with what it takes to try again. */
  readonly codes: Array<Record<string, string>>;
  /** Refresh tokens that were used. */
  readonly used: Array<string>;
  /** Names of filters that were created. */
  readonly filters: Array<string>;
}

it("loses no acknowledged write and lets no code or refresh token be used twice", async () => {
  const file = join(folder, "f.db");
  let program = await startProgram("--file", file);
  const secret = program.info.clients[0]?.clientSecret ?? "";
  const credentials = { client_id: "example-web", client_secret: secret };
  const acknowledged: Acknowledged = {
    access: new Set(),
    revoked: new Set(),
    inDoubt: new Set(),
    codes: [],
    used: [],
    filters: [],
  };
  const progress = { done: 0, inFlight: 0 };

  const post = async (url: string, form: Record<string, string>, token?: string) => {
    const response = await fetch(url, {
      method: "POST",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: new URLSearchParams(form),
    });
    return { status: response.status, body: await response.text() };
  };
  const json = async (url: string, body: unknown, token?: string) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.text() };
  };

  const scopes = "account:profile account:item_filter oauth:revoke";
  const round = async (): Promise<void> => {
    const { authUrl, baseUrl, controlUrl } = program.info;
    const { verifier, challenge } = pkce();
    const redirectUri = "https://app.example.com/callback";
    const query = new URLSearchParams({
      client_id: "example-web",
      response_type: "code",
      scope: scopes,
      state: "s",
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const consent = await json(`${controlUrl}/authorize`, {
      url: `${authUrl}/oauth/authorize?${query}`,
    });
    progress.done += 1;
    const { redirect } = JSON.parse(consent.body) as { redirect: string };
    const exchange = {
      ...credentials,
      grant_type: "authorization_code",
      code: new URL(redirect).searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const first = await post(`${authUrl}/oauth/token`, exchange);
    progress.done += 1;
    const tokens = JSON.parse(first.body) as { access_token: string; refresh_token: string };
    acknowledged.access.add(tokens.access_token);
    acknowledged.codes.push(exchange);
    const name = `filter ${progress.done}`;
    const filter = await json(
      `${baseUrl}/item-filter`,
      { filter_name: name, realm: "pc", filter: "Show\n" },
      tokens.access_token,
    );
    progress.done += 1;
    if (filter.status === 200) acknowledged.filters.push(name);
    const second = await post(`${authUrl}/oauth/token`, {
      ...credentials,
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token,
    });
    progress.done += 1;
    const rotated = JSON.parse(second.body) as { access_token: string };
    acknowledged.access.add(rotated.access_token);
    acknowledged.used.push(tokens.refresh_token);
    if (progress.done % 3 !== 0) return;
    acknowledged.inDoubt.add(rotated.access_token);
    await post(
      `${authUrl}/oauth/token/revoke`,
      { token: rotated.access_token },
      tokens.access_token,
    );
    progress.done += 1;
    acknowledged.inDoubt.delete(rotated.access_token);
    acknowledged.revoked.add(rotated.access_token);
  };
  const worker = async (): Promise<void> => {
    while (progress.done < WRITES) {
      progress.inFlight += 1;
      try {
        await round();
      } finally {
        progress.inFlight -= 1;
      }
    }
  };

  const workers = Promise.allSettled(Array.from({ length: WORKERS }, worker));
  while (progress.done < WRITES * 0.9) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(progress.inFlight).toBeGreaterThan(0);
  await program.stop("SIGKILL");
  await workers;

  program = await startProgram("--file", file);
  const { authUrl, baseUrl } = program.info;
  expect(acknowledged.access.size).toBeGreaterThan(WRITES / 10);
  const certain = [...acknowledged.access].filter((token) => !acknowledged.inDoubt.has(token));
  const statuses = await Promise.all(
    certain.map(async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${baseUrl}/profile`, { headers })).status;
    }),
  );
  expect(statuses).toEqual(certain.map((token) => (acknowledged.revoked.has(token) ? 401 : 200)));
  expect(acknowledged.inDoubt.size).toBeLessThanOrEqual(WORKERS);
  const bearer = certain.find((token) => !acknowledged.revoked.has(token));
  const listed = await fetch(`${baseUrl}/item-filter`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  const { filters } = (await listed.json()) as { filters: ReadonlyArray<{ filter_name: string }> };
  expect(filters.map(({ filter_name }) => filter_name)).toEqual(
    expect.arrayContaining(acknowledged.filters),
  );
  expect(acknowledged.filters.length).toBeGreaterThan(0);
  const again = [
    ...acknowledged.codes,
    ...acknowledged.used.map((token) => ({
      ...credentials,
      grant_type: "refresh_token",
      refresh_token: token,
    })),
  ];
  const refusals = await Promise.all(again.map((form) => post(`${authUrl}/oauth/token`, form)));
  expect(refusals.filter(({ status }) => status !== 400)).toEqual([]);
  await program.stop("SIGTERM");
});
