import { assert, describe, it } from "@effect/vitest";
import { Effect, Exit, Redacted } from "effect";
import {
  ClientCredentials,
  PendingAuthorization,
  Introspection,
  PkceFlow,
  RefreshGrant,
  Revocation,
  Session,
  TokenStore,
  type TokenSet,
} from "../src/index.ts";
import { confidentialClient, startedFlow, storedTokens } from "./clients.ts";
import { fakeServer, json, raw, tokenBody, type Reply } from "./FakeServer.ts";
import { observe } from "./sentinels.ts";

const SENTINEL = "SENTINEL";
const SECRET = "SENTINEL-client-secret-0123456789";
const CODE = "SENTINEL-code-0123456789";
const OLD = "SENTINEL-old-token-0123456789";
const NEW = "SENTINEL-new-token-0123456789";

/**
 * The errors that a request may end in; anything else, a defect most of all, is a failure of ours.
 */
const TYPED = [
  "InvalidGrant",
  "InvalidClient",
  "InvalidScope",
  "InsufficientScope",
  "RequestRejected",
  "ServerUnavailable",
  "UnexpectedRedirect",
  "OAuthResponseMalformed",
  "OAuthTransportError",
];

const good = tokenBody({ access_token: NEW, refresh_token: NEW });

/** Everything the request brought, in the answer. */
const echoing =
  (status: number, build: (echo: string) => unknown): Reply =>
  (request, response, count) =>
    json(build(`${request.body} ${decodeURIComponent(request.body)}`), status)(
      request,
      response,
      count,
    );

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

type Outcome = "error" | "any";
const cases: ReadonlyArray<readonly [what: string, outcome: Outcome, Reply]> = [
  // Connections
  ["closes without an answer", "error", (_, response) => response.socket?.end()],
  ["resets the connection", "error", (_, response) => response.socket?.resetAndDestroy()],
  ["never answers", "error", () => undefined],
  [
    "sends headers and then nothing",
    "error",
    (_, response) => response.writeHead(200).flushHeaders(),
  ],
  [
    "stops in the middle of the body",
    "error",
    (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"access_token":"SENTINEL');
    },
  ],
  [
    "resets in the middle of the body",
    "error",
    (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"access_token":"SENTINEL', () => response.socket?.resetAndDestroy());
    },
  ],
  ["sends no HTTP", "error", (_, response) => response.socket?.end("SENTINEL not http\r\n\r\n")],
  [
    "sends a broken chunk",
    "error",
    (_, response) =>
      response.socket?.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nSENTINEL"),
  ],
  // Redirects
  [
    "redirects to a URL with the secret",
    "error",
    raw("", 302, { location: `http://127.0.0.1:9/?x=${SECRET}` }),
  ],
  ["redirects to itself", "error", raw("", 307, { location: "/oauth/token" })],
  ["redirects nowhere", "error", raw("", 308)],
  ["redirects to another scheme", "error", raw("", 301, { location: "javascript:SENTINEL" })],
  ["says 304", "error", raw("", 304)],
  ["says 300 with tokens", "error", json(good, 300)],
  // Sizes and shapes
  ["sends a mebibyte of blanks", "error", raw(Buffer.alloc(1_048_576, 32))],
  ["sends a token of 100 kB", "error", json({ ...good, access_token: "SENTINEL".repeat(12_500) })],
  ["sends an error of 100 kB", "error", json({ error: "SENTINEL".repeat(12_500) }, 400)],
  ["nests 20 000 lists", "error", raw(nested(20_000))],
  ["nests lists in a member", "any", raw(`{"x":${nested(5_000)},${JSON.stringify(good).slice(1)}`)],
  ["sends nothing", "error", raw("")],
  ["sends 204", "error", (_, response) => response.writeHead(204).end()],
  ["sends a BOM", "any", raw(`\ufeff${JSON.stringify(good)}`)],
  ["sends invalid UTF-8", "error", raw(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
  ["sends UTF-16", "error", raw(Buffer.from(JSON.stringify(good), "utf16le"))],
  ["sends half a JSON", "error", raw(JSON.stringify(good).slice(0, -9))],
  ["sends two JSONs", "error", raw(JSON.stringify(good).repeat(2))],
  ["sends a form", "error", raw(`access_token=${NEW}&token_type=bearer`)],
  ["sends a list of tokens", "error", json([good])],
  ["sends a JSON text", "error", json(JSON.stringify(good))],
  [
    "claims gzip and sends none",
    "error",
    raw(JSON.stringify(good), 200, { "content-encoding": "gzip" }),
  ],
  // Types
  ["sends an empty object", "error", json({})],
  ["sends tokens of null", "error", json({ ...good, access_token: null, refresh_token: null })],
  ["sends a token with CR LF", "error", json({ ...good, access_token: `${NEW}\r\nX-Evil: 1` })],
  ["sends a refresh token with CR LF", "error", json({ ...good, refresh_token: `${NEW}\r\n` })],
  ["sends token_type mac", "error", json({ ...good, token_type: "mac" })],
  ["echoes the token as token_type", "error", json({ ...good, token_type: NEW })],
  ["echoes the token as expires_in", "error", json({ ...good, expires_in: NEW })],
  ["echoes the token as scope list", "error", json({ ...good, scope: [NEW] })],
  [
    "sends prototype keys",
    "any",
    raw(`{"__proto__":{"admin":1},"hasOwnProperty":1,"then":1,${JSON.stringify(good).slice(1)}`),
  ],
  ["sends a prototype only", "error", raw(`{"__proto__":${JSON.stringify(good)}}`)],
  // Errors
  ["says 200 with an error", "error", json({ ...good, error: "invalid_grant" })],
  [
    "echoes the request as description",
    "error",
    echoing(400, (echo) => ({ error: "invalid_request", error_description: echo })),
  ],
  ["echoes the request as error", "error", echoing(400, (echo) => ({ error: echo }))],
  [
    "echoes the request as error_uri",
    "error",
    echoing(400, (echo) => ({ error: "invalid_grant", error_uri: echo })),
  ],
  [
    "echoes the request in 200",
    "error",
    echoing(200, (echo) => ({ error: "invalid_client", error_description: echo })),
  ],
  [
    "echoes the request as unknown members",
    "error",
    echoing(400, (echo) => ({ error: "invalid_grant", [echo]: echo })),
  ],
  [
    "echoes the request in a 500",
    "error",
    echoing(500, (echo) => ({ error: echo, error_description: echo })),
  ],
  [
    "echoes the request as HTML",
    "error",
    (request, response) => {
      response.writeHead(400, { "content-type": "text/html" });
      response.end(`<html><script>${request.body}</script></html>`);
    },
  ],
  [
    "echoes the request in headers",
    "error",
    (request, response) => {
      response.writeHead(401, {
        "www-authenticate": `Bearer error="${request.body.slice(0, 400)}", scope="${SECRET}"`,
        "x-echo": request.body.slice(0, 400),
        "set-cookie": `a=${SECRET}`,
      });
      response.end();
    },
  ],
  [
    "echoes the bearer as missing scope",
    "error",
    raw("", 403, {
      "www-authenticate": `Bearer error="insufficient_scope", scope="${OLD} ${SECRET}"`,
    }),
  ],
  [
    "writes to the terminal",
    "error",
    json(
      {
        error: "invalid_grant",
        error_description: "\u001b]0;owned\u0007\u001b[2J\r\n\u202e\u2028x",
      },
      400,
    ),
  ],
  [
    "sends HTML as description",
    "error",
    json({ error: "invalid_grant", error_description: "<img src=x onerror=alert(1)>" }, 400),
  ],
  ["sends error as object", "error", json({ error: { toString: "x", message: SECRET } }, 400)],
  ["sends Retry-After of nonsense", "error", raw("", 429, { "retry-after": `${SECRET}, -1` })],
  ["asks to wait for ages", "error", raw("", 503, { "retry-after": "999999999999" })],
];

const oldTokens: TokenSet.TokenSet = {
  accessToken: Redacted.make(OLD),
  refreshToken: Redacted.make(OLD),
  expiresAt: 0,
  issuedAt: 0,
  scopes: ["account:profile"],
};

/** Text that takes over a terminal, a log line or a page. */
const DANGEROUS = ["\u001b", "\u0007", "\u202e", "\u2028", "<img", "<script"];

describe.concurrent("a hostile token endpoint", () => {
  it.live.each(cases)(
    "C23: that %s leaks nothing and hurts nobody",
    ([, outcome, reply]) =>
      Effect.gen(function* () {
        const server = yield* fakeServer(reply);
        const client = yield* confidentialClient(server.url, {
          clientSecret: SECRET,
          timeout: "400 millis",
        });
        const { pending, state, callback } = yield* startedFlow(client);
        const secrets = [SENTINEL, state, Redacted.value(pending.verifier)];
        const valid = yield* PkceFlow.validateCallback(client, pending, callback({ code: CODE }));
        const store = TokenStore.memory();
        yield* Session.forUser(client, { store }).signIn(oldTokens);
        const token = Redacted.make(OLD);
        const calls: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
          PkceFlow.exchange(client, valid),
          RefreshGrant.request(client, oldTokens),
          Session.forUser(client, { store }).accessToken,
          ClientCredentials.request(client, { scopes: ["service:psapi"] }),
          Introspection.introspect(client, token, { using: token }),
        ];
        const observed = yield* Effect.all(calls.map(observe), { concurrency: "unbounded" });
        for (const { exit, text } of observed) {
          if (Exit.isFailure(exit)) {
            const tags = exit.cause.reasons.map((reason) =>
              reason._tag === "Fail" ? reason.error._tag : reason._tag,
            );
            for (const tag of tags) assert.include(TYPED, tag);
          } else assert.strictEqual(outcome, "any");
          for (const secret of secrets) assert.notInclude(text, secret);
          for (const piece of DANGEROUS) assert.notInclude(text, piece);
          assert.isBelow(text.length, 200_000);
        }
        assert.notProperty({}, "admin");
      }).pipe(Effect.scoped),
    10_000,
  );

  it.live.each(cases.slice(0, 16))("C28: that %s does not break revoking", ([, , reply]) =>
    Effect.gen(function* () {
      const server = yield* fakeServer(reply);
      const client = yield* confidentialClient(server.url, {
        clientSecret: SECRET,
        timeout: "200 millis",
      });
      const using = Redacted.make(OLD);
      const { text } = yield* observe(Revocation.revoke(client, using, { using }));
      assert.notInclude(text, SENTINEL);
    }).pipe(Effect.scoped),
  );
});

it("C23: the suite has at least forty cases for the token endpoint", () => {
  assert.isAtLeast(cases.length, 40);
});

describe("a hostile redirect", () => {
  const callbacks: ReadonlyArray<readonly [what: string, query: string, tag: string]> = [
    ["without anything", "", "StateMismatch"],
    ["with somebody else's state", `code=${CODE}&state=SENTINEL-state`, "StateMismatch"],
    ["with two states", `code=${CODE}&state=STATE&state=STATE`, "StateMismatch"],
    ["with the state in capitals", `code=${CODE}&STATE=STATE`, "StateMismatch"],
    ["with the state as list", `code=${CODE}&state[]=STATE`, "StateMismatch"],
    ["with the state in the fragment", `code=${CODE}#state=STATE`, "StateMismatch"],
    ["with two codes", `code=${CODE}&code=SENTINEL-other&state=STATE`, "CallbackMalformed"],
    [
      "with a code and a line break",
      `code=${CODE}%0d%0aX-Evil:%201&state=STATE`,
      "CallbackMalformed",
    ],
    ["with a code and a NUL", `code=${CODE}%00&state=STATE`, "CallbackMalformed"],
    ["with a code in the fragment", `state=STATE#code=${CODE}`, "CallbackMalformed"],
    ["with tokens and no code", `access_token=${NEW}&state=STATE`, "CallbackMalformed"],
    ["with an error that echoes the state", "error=STATE&state=STATE", "AuthorizationFailed"],
    [
      "with a description that echoes the state",
      "error=x&error_description=STATE&state=STATE",
      "AuthorizationFailed",
    ],
    [
      "with a denial that echoes the verifier",
      "error=access_denied&error_description=VERIFIER&state=STATE",
      "AccessDenied",
    ],
    [
      "with a description that writes to the terminal",
      "error=x&error_description=%1b%5d0;owned%07%0d%0a%e2%80%ae&state=STATE",
      "AuthorizationFailed",
    ],
    [
      "with a description of HTML",
      "error=x&error_description=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&state=STATE",
      "AuthorizationFailed",
    ],
    [
      "with an error of a mebibyte",
      `error=${"x".repeat(1_048_576)}&state=STATE`,
      "AuthorizationFailed",
    ],
    [
      "with 100 000 parameters",
      `${"a=b&".repeat(100_000)}state=STATE&error=x`,
      "AuthorizationFailed",
    ],
    [
      "with broken escapes",
      "error=%E0%A4%A&error_description=%ZZ&state=STATE",
      "AuthorizationFailed",
    ],
    ["with prototype keys", "__proto__=x&constructor=y&error=z&state=STATE", "AuthorizationFailed"],
    [
      "with an error and a code",
      `code=${CODE}&error=server_error&state=STATE`,
      "AuthorizationFailed",
    ],
    ["with an error of another iss", `error=x&iss=${SECRET}&state=STATE`, "IssuerMismatch"],
  ];
  it.effect.each(callbacks)("C23: %s leaks nothing", ([, query, tag]) =>
    Effect.gen(function* () {
      const client = yield* confidentialClient("https://auth.example.com", {
        clientSecret: SECRET,
        issuer: "https://auth.example.com",
        requireIssuer: false,
      });
      const { pending, state } = yield* startedFlow(client);
      const verifier = Redacted.value(pending.verifier);
      const input = `?${query.replaceAll("VERIFIER", verifier).replaceAll("=STATE", `=${state}`)}`;
      const { exit, text } = yield* observe(PkceFlow.validateCallback(client, pending, input));
      assert.isTrue(Exit.isFailure(exit));
      if (Exit.isFailure(exit))
        assert.deepStrictEqual(
          exit.cause.reasons.map((reason) => (reason._tag === "Fail" ? reason.error._tag : "")),
          [tag as never],
        );
      for (const secret of [SENTINEL, state, verifier]) assert.notInclude(text, secret);
      for (const piece of DANGEROUS) assert.notInclude(text, piece);
      assert.isBelow(text.length, 100_000);
    }),
  );

  it("C23: the suite has at least fifteen cases for callbacks", () => {
    assert.isAtLeast(callbacks.length, 15);
  });
});

describe("what succeeds", () => {
  it.live("C23: shows no secret either, in no rendering [CL-07, CL-08]", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(json(good));
      const client = yield* confidentialClient(server.url, { clientSecret: SECRET });
      const store = TokenStore.memory();
      const session = Session.forUser(client, { store });
      // Not observed: the address holds the state, because it goes to the user's browser.
      const { pending, state } = yield* startedFlow(client);
      const verifier = Redacted.value(pending.verifier);
      const { exit, text } = yield* observe(
        Effect.gen(function* () {
          const callback = yield* PkceFlow.validateCallback(
            client,
            pending,
            new URLSearchParams({ code: CODE, state }),
          );
          const tokens = yield* PkceFlow.exchange(client, callback);
          yield* session.signIn(tokens);
          const used = yield* session.withFreshToken(Effect.succeed);
          yield* session.renew(used);
          const stored = yield* storedTokens(store, "backend");
          return {
            client,
            pending,
            serialized: PendingAuthorization.serialize(pending),
            callback,
            tokens,
            stored,
            used,
          };
        }),
      );
      assert.isTrue(Exit.isSuccess(exit));
      for (const secret of [SENTINEL, state, verifier]) assert.notInclude(text, secret);
    }).pipe(Effect.scoped),
  );

  it.live(
    "C23: a flow, and the one read back from text, decode errors included, stay redacted",
    () =>
      Effect.gen(function* () {
        const client = yield* confidentialClient("https://auth.example.com");
        const { pending } = yield* startedFlow(client);
        const back = PendingAuthorization.deserialize(PendingAuthorization.serialize(pending));
        assert.strictEqual(Redacted.value(back!.verifier), Redacted.value(pending.verifier));
        assert.isUndefined(PendingAuthorization.deserialize("{}"));
        assert.isUndefined(PendingAuthorization.deserialize(`{"state":"${SENTINEL}"}`));
        const { text } = yield* observe(Effect.succeed(back));
        assert.notInclude(text, Redacted.value(pending.verifier));
      }),
  );
});
