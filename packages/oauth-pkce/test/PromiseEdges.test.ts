/** The Promise entry writes nothing by itself, leaves no body unread, and takes its own `fetch`. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, assert, beforeAll, describe, expectTypeOf, it, vi } from "vitest";
import * as core from "../src/index.ts";
import * as promise from "../src/promise/index.ts";
import { Redacted } from "effect";

const tokens = (changes: Partial<promise.TokenSet> = {}): promise.TokenSet => ({
  accessToken: Redacted.make("AT-0"),
  refreshToken: Redacted.make("RT-0"),
  expiresAt: Date.now() + 3_600_000,
  issuedAt: Date.now(),
  scopes: [],
  ...changes,
});

/** A public client of a server that is never asked, or only through `options.fetch`. */
const clientWith = (options: Partial<Parameters<typeof promise.createPublicOAuth>[0]> = {}) =>
  promise.createPublicOAuth({
    authUrl: "https://auth.example.com",
    clientId: "desktop",
    redirectUri: "http://127.0.0.1/callback",
    ...options,
  });

/** A response of that address, as `fetch` gives it. */
const respond = (body: object, url: string): Response =>
  Object.defineProperty(Response.json(body), "url", { value: url });

/** A session whose token is refused, and renewed to AT-1, or not. */
const refusedSession = async (send?: typeof fetch) => {
  const body = { access_token: "AT-1", token_type: "bearer", expires_in: 3600 };
  const session = clientWith({
    fetch: send ?? (async (input) => respond(body, String((input as URL).href ?? input))),
  }).session();
  await session.signIn(tokens());
  return session;
};

it("a lost response is told to log, and written nowhere", async () => {
  const write = vi.spyOn(process.stdout, "write");
  const told: Array<string> = [];
  const oauth = clientWith({ fetch: () => Promise.reject(new Error("refresh-sentinel")) });
  const session = oauth.session({ log: (message) => told.push(message) });
  await session.signIn(promise.TokenSet.fromRefreshToken({ refreshToken: "RT" }));
  const error: unknown = await session.accessToken().catch((failure: unknown) => failure);
  assert.propertyVal(error, "_tag", "OAuthTransportError");
  assert.deepStrictEqual(told, ["The response to a token refresh was lost"]);
  assert.strictEqual(write.mock.calls.length, 0);
  write.mockRestore();
});

describe("refused requests", () => {
  const sockets = new Set<object>();
  const server = createServer((request, response) => {
    const isRefused = request.headers.authorization === "Bearer AT-0";
    response.statusCode = isRefused ? 401 : 200;
    // More than a socket's buffers take: unread, it would keep the connection busy.
    response.end(isRefused ? "x".repeat(1_000_000) : `${request.headers.authorization}`);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  it("leave two sockets open at most when the renewal fails, too", async () => {
    const sessionOf = () => refusedSession(() => Promise.reject(new Error("no network")));
    const failed: Array<unknown> = [];
    for (let at = 0; at < 10; at++) {
      const one = await sessionOf();
      const asked = one.withFreshToken((token) =>
        fetch(url, { headers: { authorization: `Bearer ${token}` } }),
      );
      failed.push(await asked.catch((error: unknown) => error));
      const call = promise.authorizedFetch(await sessionOf());
      failed.push(await call(url).catch((error: unknown) => error));
    }
    for (const error of failed) assert.propertyVal(error, "_tag", "OAuthTransportError");
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.isAtMost(sockets.size, 2);
  });

  it("are sent once more by authorizedFetch, a body included", async () => {
    const sent: Array<string> = [];
    const send: typeof fetch = async (input) => {
      const request = input as Request;
      sent.push(`${request.method} ${await request.text()}`);
      const isRefused = request.headers.get("authorization") === "Bearer AT-0";
      return new Response(null, { status: isRefused ? 401 : 200 });
    };
    const call = promise.authorizedFetch(await refusedSession(), { fetch: send });
    assert.strictEqual((await call(url, { method: "POST", body: "text" })).status, 200);
    assert.deepStrictEqual(sent, ["POST text", "POST text"]);
  });

  it("are not sent again by authorizedFetch with a stream", async () => {
    let count = 0;
    const send: typeof fetch = async () => {
      count += 1;
      return new Response(null, { status: 401 });
    };
    const call = promise.authorizedFetch(await refusedSession(), { fetch: send });
    const body = new Response("text").body;
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    assert.strictEqual((await call(url, init)).status, 401);
    assert.strictEqual(count, 1);
  });

  it("go to no other origin than baseUrl with the token", async () => {
    const seen: Array<string | null> = [];
    const send: typeof fetch = async (input) => {
      seen.push((input as Request).headers.get("authorization"));
      return new Response(null);
    };
    const call = promise.authorizedFetch(await refusedSession(), { baseUrl: url, fetch: send });
    await call("https://evil.example/", { headers: { authorization: "Bearer mine" } });
    await call(new URL("x", url));
    assert.deepStrictEqual(seen, [null, "Bearer AT-0"]);
  });
});

describe("plain strings", () => {
  it("are taken as tokens", async () => {
    const forms: Array<string> = [];
    const oauth = clientWith({
      fetch: async (input, init) => {
        const request = new Request(input as URL, init as RequestInit);
        forms.push(`${request.headers.get("authorization")} ${await request.text()}`);
        return respond({ active: true }, request.url);
      },
    });
    await oauth.revoke("AT", { using: "AT" });
    assert.isTrue((await oauth.introspect("AT", { using: "AT" })).active);
    for (const form of forms) assert.match(form, /^Bearer AT .*token=AT/);
  });
});

describe("usedStates", () => {
  it("is asked whether a state is good", async () => {
    const oauth = clientWith({ usedStates: { claim: async () => false } });
    const { pending, url } = await oauth.start({ scopes: ["account:profile"] });
    const state = new URL(url).searchParams.get("state");
    await oauth.validateCallback(pending, `?code=c&state=${state}`).then(
      () => assert.fail("it was good"),
      (error) => assert.strictEqual(error._tag, "StateMismatch"),
    );
  });
});

/** Where the Promise entry has what the root has. */
type Parity = {
  readonly AuthorizedClient: "authorizedFetch";
  readonly ClientCredentials: "createConfidentialOAuth";
  readonly Introspection: "createPublicOAuth";
  readonly OAuthClient: "createPublicOAuth";
  readonly OAuthHttpClient: "createPublicOAuth";
  readonly PendingAuthorization: "serializePending";
  readonly Pkce: "createPublicOAuth";
  readonly PkceFlow: "createPublicOAuth";
  readonly RefreshGrant: "createPublicOAuth";
  readonly Revocation: "createPublicOAuth";
  readonly Session: "createPublicOAuth";
  readonly SessionPool: "sessionPool";
  readonly TokenSet: "TokenSet";
  readonly TokenStore: "memoryStore";
};

describe("the Promise entry", () => {
  it("has a counterpart for everything that the root exports", () => {
    type Root = keyof typeof core;
    type Entry = keyof typeof promise;
    expectTypeOf<Exclude<Root, Entry | keyof Parity>>().toBeNever();
    expectTypeOf<Exclude<keyof Parity, Root>>().toBeNever();
    expectTypeOf<Exclude<Parity[keyof Parity], Entry>>().toBeNever();
    const missing = Object.keys(core).filter((name) => !(name in promise) && !/^[A-Z]/.test(name));
    assert.deepStrictEqual(missing, []);
  });

  it("has every member of a session", () => {
    type Members = Exclude<keyof core.Session.Session, "isRenewing">;
    expectTypeOf<Exclude<Members, keyof promise.PromiseSession>>().toBeNever();
  });
});

describe("a store that does not answer", () => {
  it("is TokenStoreFailed after storeTimeout", async () => {
    const never = () => new Promise<never>(() => undefined);
    const oauth = clientWith();
    const options = { store: { read: never, write: never }, storeTimeout: "20 millis" } as const;
    for (const session of [
      oauth.session(options),
      promise.sessionPool(oauth, options).get("user"),
    ]) {
      const error: unknown = await session.accessToken().catch((failure: unknown) => failure);
      assert.deepInclude(error, { _tag: "TokenStoreFailed", reason: "ETIMEDOUT" });
    }
    assert.throws(() => oauth.session({ storeTimeout: "soon" as never }), /storeTimeout/);
  });
});
