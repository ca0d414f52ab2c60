/**
 * Side by side with oauth4webapi: the same result for callbacks and token responses. Where we differ
 * on purpose, the difference is on a written list with its reason; a difference that is not on the
 * list fails, and so does an entry of the list that no longer occurs.
 */
import { assert } from "@effect/vitest";
import { Effect } from "effect";
import * as oauth from "oauth4webapi";
import { PkceFlow } from "../src/index.ts";
import { publicClient, REDIRECT, startedFlow, validCallback } from "./clients.ts";
import { it } from "./it.ts";

const AUTH = "https://auth.example.com";
const server: oauth.AuthorizationServer = {
  issuer: AUTH,
  authorization_endpoint: `${AUTH}/oauth/authorize`,
  token_endpoint: `${AUTH}/oauth/token`,
};
const theirs: oauth.Client = { client_id: "desktop" };

/** CI's service part compares all of them; only then each listed difference has to occur. */
const IS_WHOLE = process.env["REQUIRE_SERVICES"] === "1";
const CASES = IS_WHOLE ? 3000 : 300;

/** A generator with a seed: every run compares the same cases. */
const seeded = (seed: number) => {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(next() * from.length)]!;
  return { next, pick };
};

type Verdict = "accepted" | "refused";

const verdictOf = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<Verdict> =>
  Effect.match(effect, { onSuccess: () => "accepted", onFailure: () => "refused" });

/** Our verdict, the reason of the difference, and the inputs that it covers. */
type Differences<A> = Readonly<Record<Verdict, Readonly<Record<string, (input: A) => boolean>>>>;

/** Compares verdicts, and demands that every listed difference occurs. */
const compare = <A>(differences: Differences<A>) => {
  const left = new Set(Object.values(differences).flatMap(Object.keys));
  return {
    check: (input: A, ours: Verdict, others: Verdict) => {
      if (ours === others) return;
      const known = Object.entries(differences[ours]).find(([, covers]) => covers(input));
      assert.isDefined(known, `ours: ${ours}, theirs: ${others}, for ${JSON.stringify(input)}`);
      left.delete(known![0]);
    },
    done: () => IS_WHOLE && assert.deepStrictEqual([...left], []),
  };
};

interface Callback {
  readonly query: string;
  readonly issuer: boolean;
}

const callbacks: Differences<Callback> = {
  accepted: {
    "an issuer that isn't configured isn't compared: the specification has no iss": ({
      query,
      issuer,
    }) => !issuer && /(^|&)iss=[^&]/.test(query),
    "parameters of other response types are ignored like all unknown ones (RFC 6749 §4.1.2)": ({
      query,
    }) => /(^|&)(id_token|token|response)=/.test(query),
  },
  refused: {
    "a code is visible ASCII (RFC 6749 Appendix A.11)": ({ query }) =>
      /(^|&)code=(%0A|%C3)/.test(query),
    "two error descriptions are refused (RFC 6749 §3.1)": ({ query }) =>
      (query.match(/error_description=/g) ?? []).length > 1,
  },
};

// Their validation leaves the code to the request, so both together are what ours does in one step.
const theirRequest = ({ issuer, query }: Callback, state: string) =>
  oauth.authorizationCodeGrantRequest(
    server,
    theirs,
    oauth.None(),
    oauth.validateAuthResponse(
      { ...server, authorization_response_iss_parameter_supported: issuer },
      theirs,
      new URLSearchParams(query),
      state,
    ),
    REDIRECT,
    "v".repeat(43),
    { [oauth.customFetch]: async () => new Response() },
  );

it.effect("validateCallback agrees with oauth4webapi, but for listed differences", function* () {
  const { pick, next } = seeded(2);
  const { check, done } = compare(callbacks);
  const maybe = (odds: number, text: string) => (next() < odds ? [text] : []);
  for (let at = 0; at < CASES; at++) {
    const issuer = next() < 0.5;
    const client = yield* publicClient(AUTH, issuer ? { issuer: AUTH } : {});
    const { pending, state } = yield* startedFlow(client);
    const parts = [
      ...maybe(0.9, `code=${pick(["c", "c", "c", "", "%0A", "%C3%A9", "a%20b"])}`),
      ...maybe(0.06, "code=second"),
      ...maybe(0.95, `state=${pick([state, state, state, state, "", "x", state.slice(1)])}`),
      ...maybe(0.04, `state=${state}`),
      ...maybe(0.15, `error=${pick(["access_denied", "server_error", "", "ünknown"])}`),
      ...maybe(0.03, "error=second"),
      ...maybe(0.6, `iss=${pick([AUTH, AUTH, AUTH, `${AUTH}/`, "", "https://evil.example"])}`),
      ...maybe(0.03, `iss=${AUTH}`),
      ...maybe(0.1, pick(["foo=1", "foo=1&foo=2", "access_token=x", "session_state=y"])),
      ...maybe(0.03, pick(["id_token=x", "token=x", "response=x"])),
      ...maybe(0.05, "error_description=a"),
      ...maybe(0.03, "error_description=b&error_description=c"),
    ];
    const input = { query: parts.toSorted(() => next() - 0.5).join("&"), issuer };
    const ours = PkceFlow.validateCallback(client, pending, `?${input.query}`);
    const others = Effect.tryPromise(() => theirRequest(input, state));
    check(input, yield* verdictOf(ours), yield* verdictOf(others));
  }
  done();
});

/** How often a token response has a member, and its values. */
const MEMBERS: Readonly<Record<string, readonly [odds: number, values: ReadonlyArray<unknown>]>> = {
  access_token: [0.97, [..."ttttt", "", null, 1, "a\r\nb", "é", "a b"]],
  token_type: [0.97, ["bearer", "bearer", "Bearer", "BEARER", "mac", "", null, 1]],
  expires_in: [0.8, [3600, 3600, 3600, 0, 1.5, -1, null, "60", "soon", {}, 1e300]],
  scope: [0.7, ["a", "a b", "", null, 1, ["a"]]],
  refresh_token: [0.6, [..."rrr", "", null, 1, "r\n"]],
  error: [0.04, ["invalid_grant", "invalid_client", 1]],
  id_token: [0.03, ["x", 1]],
  username: [0.2, ["x", 1]],
  unknown: [0.05, [1]],
};

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

const isOk = ({ status }: Answer) => status === 200;

const responses: Differences<Answer> = {
  accepted: {
    "expires_in null means that the token never expires (§4.1)": (answer) =>
      isOk(answer) && answer.body["expires_in"] === null,
    "a refresh_token of null or of no characters counts as absent": (answer) =>
      isOk(answer) && ["", null].includes(answer.body["refresh_token"] as null),
    "a scope of null counts as absent": (answer) => isOk(answer) && answer.body["scope"] === null,
    "expires_in in digits is tolerated": (answer) =>
      isOk(answer) && typeof answer.body["expires_in"] === "string",
    "an id_token is ignored: this is OAuth, not OpenID Connect": (answer) =>
      isOk(answer) && "id_token" in answer.body,
    "any 2xx status is fine": ({ status }) => status === 201,
  },
  refused: {
    "tokens are visible ASCII: CR and LF would split headers (RFC 6749 Appendix A.12)": ({
      body,
    }) => /[^\x20-\x7e]/.test(`${String(body["access_token"])}${String(body["refresh_token"])}`),
    "200 with an error is an error (RFC 6749 §5.2 by another status)": ({ body }) =>
      "error" in body,
    "a lifetime beyond a hundred years is no lifetime": ({ body }) =>
      Number(body["expires_in"]) > 1e10,
  },
};

it.effect("token responses get oauth4webapi's verdict, but for listed differences", function* () {
  const { pick, next } = seeded(3);
  const { check, done } = compare(responses);
  for (let at = 0; at < CASES; at++) {
    const answer: Answer = {
      status: next() < 0.9 ? 200 : pick([201, 400, 401, 403, 500, 503]),
      headers: {
        "content-type": next() < 0.95 ? "application/json" : "text/html",
        ...(next() < 0.03 && { "www-authenticate": 'Basic realm="x"' }),
      },
      body: Object.fromEntries(
        Object.entries(MEMBERS).flatMap(([name, [odds, values]]) =>
          next() < odds ? [[name, pick(values)]] : [],
        ),
      ),
    };
    const { body, headers, status } = answer;
    const fetch = async () => Response.json(body, { status, headers });
    const client = yield* publicClient(AUTH, { fetch });
    const ours = PkceFlow.exchange(client, yield* validCallback(client));
    const others = Effect.tryPromise(async () =>
      oauth.processAuthorizationCodeResponse(server, theirs, await fetch(), {}),
    );
    check(answer, yield* verdictOf(ours), yield* verdictOf(others));
  }
  done();
});
