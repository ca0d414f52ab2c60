/**
 * Hundreds of odd requests from a seed: the OAuth server always answers in its own form, and never
 * breaks.
 */
import { OAuthErrorBody } from "@game-data/contract/effect";
import { Schema } from "effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DESKTOP, openSandbox, type TestSandbox, WEB } from "./harness.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ rates: "off" });
});
afterAll(() => sandbox.close());

/** mulberry32: the same requests at every run. */
const makeRandom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};
const random = makeRandom(20_260_301);
const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(random() * items.length)] as A;

const NAMES = [
  "client_id",
  "client_secret",
  "grant_type",
  "code",
  "redirect_uri",
  "scope",
  "code_verifier",
  "refresh_token",
  "response_type",
  "state",
  "code_challenge",
  "code_challenge_method",
  "token",
  "__proto__",
  "constructor",
  "%00",
];
const VALUES = [
  "",
  "x",
  WEB.id,
  DESKTOP.id,
  WEB.redirectUri,
  DESKTOP.redirectUri,
  "authorization_code",
  "client_credentials",
  "refresh_token",
  "account:profile",
  "service:psapi",
  "code",
  "S256",
  "a".repeat(43),
  "a".repeat(5_000),
  "%00",
  "%ff",
  "%",
  "%E2%98%83",
  "é",
  "'; DROP TABLE oauth_grants; --",
  "<script>",
  "\r\nset-cookie: x=y",
  "[]",
  "{}",
  "null",
];
const AUTHORIZATIONS = [
  undefined,
  undefined,
  "",
  "Bearer x",
  "Bearer",
  "Basic",
  "Basic eDp5",
  "Basic Og==",
  "Negotiate x",
];
const TYPES = [
  "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded; charset=utf-8",
  "application/x-www-form-urlencoded; charset=latin1",
  "application/json",
  "text/plain",
  "",
];

const encodeOddly = (value: string): string =>
  random() < 0.5 ? encodeURIComponent(value) : value.replaceAll(/[\r\n #]/gu, "+");
const oddForm = (): string =>
  Array.from({ length: Math.floor(random() * 9) }, () => {
    const separator = pick(["=", "=", "=", "", "=="]);
    return `${pick(NAMES)}${separator}${encodeOddly(pick(VALUES))}`;
  }).join(pick(["&", "&", "&&", ";"]));

/** A form that is right but for its code, with some of its values exchanged for odd ones. */
const spoiltForm = (): string =>
  Object.entries({
    grant_type: pick(["authorization_code", "refresh_token"]),
    client_id: WEB.id,
    client_secret: sandbox.secretOf(WEB.id),
    code: "a".repeat(43),
    refresh_token: "b".repeat(43),
    redirect_uri: WEB.redirectUri,
    code_verifier: "c".repeat(43),
  })
    .map(([name, value]) => `${name}=${encodeOddly(random() < 0.15 ? pick(VALUES) : value)}`)
    .join("&");

it("at the token endpoints: JSON errors of the contract [ER-08]", async () => {
  const statuses = new Set<number>();
  const errors = new Set<string>();
  for (let index = 0; index < 600; index += 1) {
    const authorization = pick(AUTHORIZATIONS);
    const path = pick(["/oauth/token", "/oauth/token/revoke", "/oauth/token/introspect"]);
    const query = random() < 0.1 ? `?${oddForm()}` : "";
    const form = random() < 0.5 ? oddForm() : spoiltForm();
    const response = await sandbox.post(`${path}${query}`, form, {
      "content-type": pick(TYPES),
      ...(authorization === undefined ? {} : { authorization }),
    });
    statuses.add(response.status);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("set-cookie")).toBeNull();
    const body: unknown = await response.json();
    errors.add(Schema.decodeUnknownSync(OAuthErrorBody)(body).error);
  }
  expect([...statuses].toSorted()).toEqual([400, 401]);
  expect([...errors].toSorted()).toEqual([
    "invalid_client",
    "invalid_grant",
    "invalid_request",
    "invalid_token",
    "unsupported_grant_type",
  ]);
});

it("at the pages: a page or a redirect to a registered place", async () => {
  const statuses = new Set<number>();
  for (let index = 0; index < 400; index += 1) {
    const base = random() < 0.5 ? oddForm() : new URL(sandbox.authorizeUrl()).search.slice(1);
    const response = await sandbox.get(
      `${sandbox.authUrl}/oauth/authorize?${base}&${oddForm()}`.replaceAll(/[^\x21-\x7e]/gu, "+"),
    );
    statuses.add(response.status);
    const location = response.headers.get("location");
    if (response.status === 303) expect(location?.startsWith(`${WEB.redirectUri}?`)).toBe(true);
    else expect(location).toBeNull();
    expect(await response.text()).not.toContain("<script");
  }
  expect([...statuses].toSorted()).toEqual([200, 303, 400]);
});
