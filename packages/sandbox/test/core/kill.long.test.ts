/**
 * `kill -9` in the middle of writing to a file: what was answered with success is there afterwards,
 * and nothing can be redeemed twice.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { controlOf } from "@game-data/sandbox";
import { authorizeQuery, bearer, pkce, type TokenBody, WEB } from "../oauth/harness.ts";
import { startProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbox-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

const tokensIn = (text: string) => JSON.parse(text || "{}") as TokenBody;

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
  /** Uses of refresh tokens. */
  readonly used: Array<Record<string, string>>;
  /** Names of filters that were created. */
  readonly filters: Array<string>;
}

it("a killed sandbox loses no acknowledged write, and accepts no used code or refresh token", async () => {
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

  const post = async (path: string, form: Record<string, string>, token?: string) => {
    const headers = token === undefined ? {} : bearer(token);
    const body = new URLSearchParams(form);
    const response = await fetch(program.info.authUrl + path, { method: "POST", headers, body });
    return { status: response.status, tokens: tokensIn(await response.text()) };
  };
  const scope = "account:profile account:item_filter oauth:revoke";
  const round = async (): Promise<void> => {
    const { authUrl, baseUrl } = program.info;
    const { challenge, verifier } = pkce();
    const query = authorizeQuery({ scope, code_challenge: challenge });
    const redirect = await controlOf(program.info).consent(`${authUrl}/oauth/authorize?${query}`);
    progress.done += 1;
    const exchange = {
      ...credentials,
      grant_type: "authorization_code",
      code: new URL(redirect).searchParams.get("code") ?? "",
      redirect_uri: WEB.redirectUri,
      code_verifier: verifier,
    };
    const { tokens } = await post("/oauth/token", exchange);
    progress.done += 1;
    acknowledged.access.add(tokens.access_token);
    acknowledged.codes.push(exchange);
    const name = `filter ${progress.done}`;
    const filter = await fetch(`${baseUrl}/item-filter`, {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer(tokens.access_token) },
      body: JSON.stringify({ filter_name: name, realm: "pc", filter: "Show\n" }),
    });
    progress.done += 1;
    if (filter.status === 200) acknowledged.filters.push(name);
    const refresh_token = tokens.refresh_token!;
    const refresh = { ...credentials, grant_type: "refresh_token", refresh_token };
    const { access_token: token } = (await post("/oauth/token", refresh)).tokens;
    progress.done += 1;
    acknowledged.access.add(token);
    acknowledged.used.push(refresh);
    if (progress.done % 3 !== 0) return;
    acknowledged.inDoubt.add(token);
    await post("/oauth/token/revoke", { token }, tokens.access_token);
    progress.done += 1;
    acknowledged.inDoubt.delete(token);
    acknowledged.revoked.add(token);
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
  const { baseUrl } = program.info;
  expect(acknowledged.access.size).toBeGreaterThan(WRITES / 10);
  const certain = [...acknowledged.access].filter((token) => !acknowledged.inDoubt.has(token));
  const statuses = await Promise.all(
    certain.map(async (token) => {
      return (await fetch(`${baseUrl}/profile`, { headers: bearer(token) })).status;
    }),
  );
  expect(statuses).toEqual(certain.map((token) => (acknowledged.revoked.has(token) ? 401 : 200)));
  expect(acknowledged.inDoubt.size).toBeLessThanOrEqual(WORKERS);
  const live = certain.find((token) => !acknowledged.revoked.has(token));
  const listed = await fetch(`${baseUrl}/item-filter`, { headers: bearer(live!) });
  const { filters } = (await listed.json()) as { filters: ReadonlyArray<{ filter_name: string }> };
  expect(filters.map(({ filter_name }) => filter_name)).toEqual(
    expect.arrayContaining(acknowledged.filters),
  );
  expect(acknowledged.filters.length).toBeGreaterThan(0);
  const again = [...acknowledged.codes, ...acknowledged.used];
  const refusals = await Promise.all(again.map((form) => post("/oauth/token", form)));
  expect(refusals.filter(({ status }) => status !== 400)).toEqual([]);
  await program.stop("SIGTERM");
});
