/** Responses of a hostile token endpoint, and what no call may show or do after any of them. */
import { assert } from "@effect/vitest";
import { Effect, Exit, Redacted } from "effect";
import { PkceFlow, Session, TokenCall, TokenRequest, TokenStore } from "../src/index.ts";
import { confidentialClient, startedFlow, tokenSet } from "./clients.ts";
import { fakeServer, json, raw, tokenBody, type Reply } from "./FakeServer.ts";
import { observe } from "./sentinels.ts";

const SENTINEL = "SENTINEL";
export const SECRET = "SENTINEL-client-secret-0123456789";
export const CODE = "SENTINEL-code-0123456789";
const OLD = "SENTINEL-old-token-0123456789";
const NEW = "SENTINEL-new-token-0123456789";

/** Text that takes over a terminal, a log line or a page. */
const DANGEROUS = ["\u001b", "\u0007", "\u202e", "\u2028", "<img", "<script"];

/** Fails if a text shows one of these secrets, or is dangerous or long. */
export const checkText = (text: string, secrets: ReadonlyArray<string>): void => {
  for (const piece of [SENTINEL, ...secrets, ...DANGEROUS]) assert.notInclude(text, piece);
  assert.isBelow(text.length, 200_000);
};

export const good = tokenBody({ access_token: NEW, refresh_token: NEW });
const goodText = JSON.stringify(good);
const refused = (description: string) =>
  json({ error: "invalid_grant", error_description: description }, 400);

/** Everything that the request brought, in the response. */
const echoing =
  (status: number, build: (echo: string) => unknown): Reply =>
  (request, response, count) =>
    json(build(`${request.body} ${decodeURIComponent(request.body)}`), status)(
      request,
      response,
      count,
    );

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

/** Connections that break; revoking is tried through them, too. */
const connections: Readonly<Record<string, Reply>> = {
  "resets the connection": (_, response) => response.socket?.resetAndDestroy(),
  "never answers": () => undefined,
  "sends headers and then nothing": (_, response) => response.writeHead(200).flushHeaders(),
  "stops in the middle of the body": (_, response) =>
    response.writeHead(200, { "content-length": "1000" }).write('{"access_token":"SENTINEL'),
  "resets in the middle of the body": (_, response) =>
    response
      .writeHead(200, { "content-length": "1000" })
      .write('{"access_token":"SENTINEL', () => response.socket?.resetAndDestroy()),
  "sends no HTTP": (_, response) => response.socket?.end("SENTINEL not http\r\n\r\n"),
  "sends a broken chunk": (_, response) =>
    response.socket?.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nSENTINEL"),
};

/** What may give tokens. */
const harmless: Readonly<Record<string, Reply>> = {
  "nests lists in a member": raw(`{"x":${nested(5_000)},${goodText.slice(1)}`),
  "sends a BOM": raw(`\ufeff${goodText}`),
  "sends prototype keys": raw(
    `{"__proto__":{"admin":1},"hasOwnProperty":1,"then":1,${goodText.slice(1)}`,
  ),
};

const replies: Readonly<Record<string, Reply>> = {
  ...connections,
  ...harmless,
  // Redirects
  "redirects to a URL with the secret": raw("", 302, {
    location: `http://127.0.0.1:9/?x=${SECRET}`,
  }),
  "redirects to itself": raw("", 307, { location: "/oauth/token" }),
  "redirects to another scheme": raw("", 301, { location: "javascript:SENTINEL" }),
  "says 300 with tokens": json(good, 300),
  // Sizes and shapes
  "sends a mebibyte of blanks": raw(Buffer.alloc(1_048_576, 32)),
  "sends a token of 100 kB": json({ ...good, access_token: "SENTINEL".repeat(12_500) }),
  "sends an error of 100 kB": json({ error: "SENTINEL".repeat(12_500) }, 400),
  "nests 20 000 lists": raw(nested(20_000)),
  "sends nothing": raw(""),
  "sends 204": (_, response) => response.writeHead(204).end(),
  "sends invalid UTF-8": raw(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  "sends half a JSON": raw(goodText.slice(0, -9)),
  "sends two JSONs": raw(goodText.repeat(2)),
  "sends a list of tokens": json([good]),
  "claims gzip and sends none": raw(goodText, 200, { "content-encoding": "gzip" }),
  // Types
  "sends an empty object": json({}),
  "sends tokens of null": json({ ...good, access_token: null, refresh_token: null }),
  "sends a token with CR LF": json({ ...good, access_token: `${NEW}\r\nX-Evil: 1` }),
  "sends a refresh token with CR LF": json({ ...good, refresh_token: `${NEW}\r\n` }),
  "sends token_type mac": json({ ...good, token_type: "mac" }),
  "echoes the token as token_type": json({ ...good, token_type: NEW }),
  "echoes the token as scope list": json({ ...good, scope: [NEW] }),
  "sends a prototype only": raw(`{"__proto__":${goodText}}`),
  // Errors
  "says 200 with an error": json({ ...good, error: "invalid_grant" }),
  "echoes the request as description": echoing(400, (echo) => ({
    error: "invalid_request",
    error_description: echo,
  })),
  "echoes the request as error": echoing(400, (echo) => ({ error: echo })),
  "echoes the request as unknown members": echoing(400, (echo) => ({
    error: "invalid_grant",
    [echo]: echo,
  })),
  "echoes the request in a 500": echoing(500, (echo) => ({ error: echo, error_description: echo })),
  "echoes the request as HTML": (request, response) =>
    response
      .writeHead(400, { "content-type": "text/html" })
      .end(`<html><script>${request.body}</script></html>`),
  "echoes the request in headers": (request, response) =>
    response
      .writeHead(401, {
        "www-authenticate": `Bearer error="${request.body.slice(0, 400)}", scope="${SECRET}"`,
        "x-echo": request.body.slice(0, 400),
        "set-cookie": `a=${SECRET}`,
      })
      .end(),
  "echoes the bearer as missing scope": raw("", 403, {
    "www-authenticate": `Bearer error="insufficient_scope", scope="${OLD} ${SECRET}"`,
  }),
  "writes to the terminal": refused("\u001b]0;owned\u0007\u001b[2J\r\n\u202e\u2028x"),
  "sends error as object": json({ error: { toString: "x", message: SECRET } }, 400),
  "sends Retry-After of nonsense": raw("", 429, { "retry-after": `${SECRET}, -1` }),
  "asks to wait for ages": raw("", 503, { "retry-after": "999999999999" }),
};

export const names = Object.keys(replies);
export const broken = Object.keys(connections);

const oldTokens = tokenSet({
  accessToken: Redacted.make(OLD),
  refreshToken: Redacted.make(OLD),
  expiresAt: 0,
});

/** The errors that a request may end in; anything else, a defect most of all, is ours to mend. */
const TYPED =
  /^(Invalid(Grant|Client|Scope)|InsufficientScope|RequestRejected|ServerUnavailable|UnexpectedRedirect|OAuth(ResponseMalformed|TransportError))$/;

/** Sends every kind of request to a server that replies so: all end typed, and show nothing. */
export const checkCalls = function* (name: string) {
  const server = yield* fakeServer(replies[name]);
  const options = { clientSecret: SECRET, timeout: "150 millis" } as const;
  const client = yield* confidentialClient(server.url, options);
  const { pending, state, callback } = yield* startedFlow(client);
  const valid = yield* PkceFlow.validateCallback(client, pending, callback({ code: CODE }));
  const store = TokenStore.memory();
  yield* Session.forUser(client, { store }).signIn(oldTokens);
  const token = Redacted.make(OLD);
  const calls: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
    PkceFlow.exchange(client, valid),
    TokenRequest.refresh(client, oldTokens),
    Session.forUser(client, { store }).accessToken,
    TokenRequest.clientCredentials(client, { scopes: ["service:psapi"] }),
    TokenCall.introspect(client, token, { using: token }),
  ];
  const observed = yield* Effect.all(calls.map(observe), { concurrency: "unbounded" });
  for (const { exit, text } of observed) {
    if (Exit.isFailure(exit))
      for (const reason of exit.cause.reasons)
        assert.match(reason._tag === "Fail" ? reason.error._tag : reason._tag, TYPED);
    else assert.property(harmless, name);
    checkText(text, [state, Redacted.value(pending.verifier)]);
  }
  assert.notProperty({}, "admin");
};

/** Revokes at a server that replies so. */
export const checkRevoke = function* (name: string) {
  const server = yield* fakeServer(replies[name]);
  const options = { clientSecret: SECRET, timeout: "100 millis" } as const;
  const client = yield* confidentialClient(server.url, options);
  const using = Redacted.make(OLD);
  checkText((yield* observe(TokenCall.revoke(client, using, { using }))).text, []);
};
