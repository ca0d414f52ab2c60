/**
 * Hundreds of odd requests from a seed: the OAuth server always answers in its own form, and never
 * breaks.
 */
import { Schema } from "effect";
import { expect, it } from "vitest";
import { wordsOf } from "../../src/internal/words.ts";
import { prng } from "../../src/world/Prng.ts";
import { DESKTOP, openSandbox, WEB } from "./harness.ts";

const sandbox = await openSandbox({ rates: "off" });

/** The same requests at every run. */
const draw = prng("odd requests");
const pick = <A>(items: ReadonlyArray<A>): A => draw.pick(items);

const NAMES = wordsOf(`
  client_id client_secret grant_type code redirect_uri scope code_verifier refresh_token
  response_type state code_challenge code_challenge_method token __proto__ constructor %00
`);
const VALUES = [
  ...Object.values(WEB),
  ...Object.values(DESKTOP),
  ...wordsOf("authorization_code client_credentials refresh_token account:profile service:psapi"),
  ...wordsOf("x code S256 %00 %ff % %E2%98%83 é <script> [] {} null"),
  ...["", "a".repeat(43), "a".repeat(5_000)],
  ...["'; DROP TABLE oauth_grants; --", "\r\nset-cookie: x=y"],
];
const AUTHORIZATIONS = [
  ...[undefined, undefined, "", "Bearer x", "Bearer"],
  ...["Basic", "Basic eDp5", "Basic Og==", "Negotiate x"],
];
const FORM = "application/x-www-form-urlencoded";
const TYPES = [
  ...[FORM, FORM, `${FORM}; charset=utf-8`, `${FORM}; charset=latin1`],
  ...["application/json", "text/plain", ""],
];

const encodeOddly = (value: string): string =>
  draw.chance(0.5) ? encodeURIComponent(value) : value.replaceAll(/[\r\n #]/gu, "+");
const oddForm = (): string =>
  Array.from({ length: draw.int(0, 8) }, () => {
    const separator = pick(["=", "=", "=", "", "=="]);
    return `${pick(NAMES)}${separator}${encodeOddly(pick(VALUES))}`;
  }).join(pick(["&", "&", "&&", ";"]));

/** A form that is right but for its code, with some of its values exchanged for odd ones. */
const spoiltForm = (): string =>
  Object.entries({
    grant_type: pick(["authorization_code", "refresh_token"]),
    client_id: WEB.id,
    client_secret: sandbox.secretOf(WEB.id)!,
    code: "a".repeat(43),
    refresh_token: "b".repeat(43),
    redirect_uri: WEB.redirectUri,
    code_verifier: "c".repeat(43),
  })
    .map(([name, value]) => `${name}=${encodeOddly(draw.chance(0.15) ? pick(VALUES) : value)}`)
    .join("&");

/** RFC 6749 §5.2. */
const OAuthErrorBody = Schema.Struct({
  error: Schema.NonEmptyString,
  error_description: Schema.optionalKey(Schema.String),
});
const decode = Schema.decodeUnknownSync(OAuthErrorBody, { onExcessProperty: "error" });

it("600 malformed requests to the token endpoints get JSON errors of the contract [ER-08]", async () => {
  const statuses = new Set<number>();
  const errors = new Set<string>();
  for (let index = 0; index < 600; index += 1) {
    const authorization = pick(AUTHORIZATIONS);
    const path = pick(["/oauth/token", "/oauth/token/revoke", "/oauth/token/introspect"]);
    const query = draw.chance(0.1) ? `?${oddForm()}` : "";
    const form = draw.chance(0.5) ? oddForm() : spoiltForm();
    const response = await sandbox.post(`${path}${query}`, form, {
      "content-type": pick(TYPES),
      ...(authorization === undefined ? {} : { authorization }),
    });
    statuses.add(response.status);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("set-cookie")).toBeNull();
    const body: unknown = await response.json();
    const { error, error_description: said } = decode(body);
    // RFC 6749 §5.2.
    expect(said).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/u);
    errors.add(error);
  }
  expect([...statuses].toSorted()).toEqual([400, 401]);
  expect([...errors].toSorted()).toEqual(
    wordsOf("invalid_client invalid_grant invalid_request invalid_token unsupported_grant_type"),
  );
});

it("400 malformed requests to the OAuth pages get a page, or a redirect to a registered URI", async () => {
  const statuses = new Set<number>();
  for (let index = 0; index < 400; index += 1) {
    const base = draw.chance(0.5) ? oddForm() : new URL(sandbox.authorizeUrl()).search.slice(1);
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
