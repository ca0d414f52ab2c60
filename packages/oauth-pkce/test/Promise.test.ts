/** The Promise entry: the same client, without Effect, without output, and with its own `fetch`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, describe, it, onTestFinished, vi } from "vitest";
import * as promise from "../src/promise/index.ts";
import { callbackOf, REDIRECT, tokenSet } from "./clients.ts";
import { openFakeServer, rotating, type Reply } from "./FakeServer.ts";

const { createConfidentialOAuth, memoryStore, reveal, sessionPool } = promise;

/** A server that closes with the test. */
const serve = async (reply: Reply) => {
  const server = await openFakeServer(reply);
  onTestFinished(server.close);
  return server;
};

type PublicOptions = Parameters<typeof promise.createPublicOAuth>[0];
const AUTH = "https://auth.example.com";
const desktop = (authUrl: string, options: Partial<PublicOptions> = {}) =>
  promise.createPublicOAuth({ authUrl, clientId: "desktop", redirectUri: REDIRECT, ...options });
const backend = (authUrl: string) =>
  createConfidentialOAuth({ authUrl, clientId: "backend", clientSecret: "s3cret" });

const rejection = (promised: Promise<unknown>) =>
  promised.then(
    () => assert.fail("it resolved"),
    (error: unknown) => error,
  );

/** A started flow, and the callback that a consent leads to. */
const started = async (oauth: promise.OAuth) => {
  const { pending, url } = await oauth.start({ scopes: ["account:profile"] });
  return { pending, callback: callbackOf(url) };
};

/** A session whose token AT-1 is refused, and renewed to AT-2, or not. */
const refusedSession = async (
  send: typeof fetch = async () =>
    Response.json({ access_token: "AT-2", token_type: "bearer", expires_in: 3600 }),
) => {
  const session = desktop(AUTH, { fetch: send }).session();
  await session.signIn(tokenSet({ expiresAt: Date.now() + 3_600_000 }));
  return session;
};

it("sessionPool renews each user's token once, drops the longest unused session, and closes", async () => {
  const server = await serve(rotating({ expires_in: 3600 }));
  const store = memoryStore();
  const pool = sessionPool(desktop(server.url), { store, max: 2 });
  for (const user of ["a", "b", "c"])
    await pool
      .get(user)
      .signIn(promise.TokenSet.fromRefreshToken({ refreshToken: `RT-of-${user}` }));
  assert.strictEqual(pool.size(), 2);
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, at) => pool.get(at % 2 ? "b" : "c").accessToken()),
  );
  assert.strictEqual(new Set(tokens).size, 2);
  assert.strictEqual(server.received.length, 2);
  await pool.close();
  assert.deepInclude(await rejection(pool.get("b").renew(tokens[1]!)), {
    _tag: "ConfigurationInvalid",
  });
});

describe("the promise face", () => {
  it("the Promise API signs a user in with a flow that was stored in a web server's session", async () => {
    const server = await serve(rotating());
    const oauth = desktop(server.url);
    const { pending, callback } = await started(oauth);
    const back = promise.deserializePending(reveal(promise.serializePending(pending)))!;
    const tokens = await oauth.exchange(await oauth.validateCallback(back, callback));
    const session = oauth.session({ store: memoryStore() });
    await session.signIn(tokens);
    assert.strictEqual(await session.accessToken(), "AT-1");
    assert.strictEqual(await session.renew("AT-1"), "AT-2");
    assert.strictEqual((await session.tokens()).username, "Account");
    const consentExpiresAt = await session.consentExpiresAt();
    assert.strictEqual(consentExpiresAt?.getTime(), tokens.consentExpiresAt);
    assert.strictEqual(reveal((await oauth.refresh(tokens)).accessToken), "AT-3");
    await session.signOut();
    assert.instanceOf(await rejection(session.accessToken()), promise.NotSignedIn);
  });

  it("the Promise API refuses an argument of another step, or without `await`, by its name", async () => {
    const oauth = desktop(AUTH, { fetch: () => assert.fail("a request was sent") });
    const { callback, pending } = await started(oauth);
    const tokens = Promise.resolve(tokenSet({}));
    const text = promise.serializePending(pending);
    const refused: ReadonlyArray<readonly [option: string, (argument: never) => Promise<unknown>]> =
      [
        ["callback", oauth.exchange],
        ["pending", (flow) => oauth.validateCallback(flow, callback)],
        ["tokens", oauth.refresh],
        ["tokens", oauth.session().signIn],
      ];
    const wrong = [undefined, null, "text", text, tokens, { pending, url: callback }];
    for (const [option, call] of refused)
      for (const argument of [...wrong, ...(option === "pending" ? [] : [pending])])
        assert.deepInclude(await rejection(call(argument as never)), {
          _tag: "ConfigurationInvalid",
          option,
        });
    const { message } = (await rejection(oauth.exchange(pending as never))) as Error;
    assert.include(message, "callback must be the awaited result of validateCallback");
    // The flow is still open.
    await oauth.validateCallback(pending, callback);
  });

  it("a call of the Promise API rejects with the reason of its aborted signal", async () => {
    const server = await serve(() => undefined);
    const reason = new Error("no longer needed");
    const controller = new AbortController();
    const { signal } = controller;
    const scopes = ["service:psapi"] as const;
    const call = backend(server.url).clientCredentials({ scopes, signal });
    setTimeout(() => controller.abort(reason), 20);
    assert.strictEqual(await rejection(call), reason);
  });

  it("withFreshToken repeats a call that fails with a 401 once, with a new token [CL-11]", async () => {
    const server = await serve(rotating({ expires_in: null, refresh_token: undefined }));
    const session = backend(server.url).applicationSession({ scopes: ["service:psapi"] });
    const thrown = Object.assign(new Error("refused"), { status: 401 });
    const used: Array<string> = [];
    const send = (failure: Error) => (token: string) => {
      used.push(token);
      return Promise.reject(failure);
    };
    assert.strictEqual(await rejection(session.withFreshToken(send(thrown))), thrown);
    assert.deepStrictEqual(used, ["AT-1", "AT-2"]);
    const other = new Error("something else");
    assert.strictEqual(await rejection(session.withFreshToken(send(other))), other);
    assert.strictEqual(used.length, 3);
  });

  it("no source of the package uses localStorage, sessionStorage, IndexedDB or document.cookie [CL-09, NS-23]", () => {
    const source = join(import.meta.dirname, "../src");
    const files = readdirSync(source, { recursive: true, encoding: "utf8" });
    const texts = files.filter((file) => file.endsWith(".ts"));
    assert.isAbove(texts.length, 20);
    for (const file of texts)
      assert.notMatch(
        readFileSync(join(source, file), "utf8"),
        /localStorage|sessionStorage|indexedDB|document\.cookie|cookieStore/,
      );
  });

  it("revoke and introspect of the Promise API accept tokens as strings", async () => {
    const forms: Array<string> = [];
    const oauth = desktop(AUTH, {
      fetch: async (input, init) => {
        const request = new Request(input as URL, init as RequestInit);
        forms.push(`${request.headers.get("authorization")} ${await request.text()}`);
        return Response.json({ active: true });
      },
    });
    await oauth.revoke("AT", { using: "AT" });
    assert.isTrue((await oauth.introspect("AT", { using: "AT" })).active);
    for (const form of forms) assert.match(form, /^Bearer AT .*token=AT/);
  });

  it("a session fails with TokenStoreFailed if the store does not respond within storeTimeout", async () => {
    const never = () => new Promise<never>(() => undefined);
    const options = { store: { read: never, write: never }, storeTimeout: "20 millis" } as const;
    const failure = { _tag: "TokenStoreFailed", reason: "ETIMEDOUT" };
    for (const session of [
      desktop(AUTH).session(options),
      sessionPool(desktop(AUTH), options).get("user"),
    ])
      assert.deepInclude(await rejection(session.accessToken()), failure);
  });

  it("a session reports a lost token response to the option `log`, and not to the console", async () => {
    // Effect's own logger would write there.
    const log = vi.spyOn(console, "log");
    const told: Array<string> = [];
    const oauth = desktop(AUTH, { fetch: () => Promise.reject(new Error("refresh-sentinel")) });
    const session = oauth.session({ log: (message) => told.push(message) });
    await session.signIn(promise.TokenSet.fromRefreshToken({ refreshToken: "RT" }));
    assert.instanceOf(await rejection(session.accessToken()), promise.OAuthTransportError);
    assert.deepStrictEqual(told, ["The outcome of a refresh is unknown"]);
    assert.strictEqual(log.mock.calls.length, 0);
    log.mockRestore();
  });
});

describe("refused requests", () => {
  it("withFreshToken and authorizedFetch leave at most two sockets open after refused requests", async () => {
    // More than a socket's buffers take: unread, it would keep the connection busy.
    const { received, url } = await serve((_, response) =>
      response.writeHead(401).end("x".repeat(1_000_000)),
    );
    for (let at = 0; at < 10; at++) {
      const session = await refusedSession(() => Promise.reject(new Error("no network")));
      const asked = session.withFreshToken(() => fetch(url));
      assert.instanceOf(await rejection(asked), promise.OAuthTransportError);
      const call = promise.authorizedFetch(session);
      assert.instanceOf(await rejection(call(url)), promise.OAuthTransportError);
    }
    await vi.waitFor(() => {
      const open = new Set(received.map(({ socket }) => socket).filter((s) => !s.destroyed));
      assert.isAtMost(open.size, 2);
    });
    assert.strictEqual(received.length, 20);
  });

  /** A `fetch` that answers 401 to AT-1, and notes what it was given. */
  const refusing = () => {
    const sent: Array<string> = [];
    const send: typeof fetch = async (input) => {
      const { headers, method, body } = input as Request;
      const bearer = headers.get("authorization");
      sent.push(`${method} ${bearer} ${body && (await new Response(body).text())}`);
      return new Response(null, { status: bearer === "Bearer AT-1" ? 401 : 200 });
    };
    return { send, sent };
  };

  it("authorizedFetch repeats a request after a 401 once, with its body and a new token", async () => {
    const { send, sent } = refusing();
    const call = promise.authorizedFetch(await refusedSession(), { fetch: send });
    assert.strictEqual((await call(AUTH, { method: "POST", body: "text" })).status, 200);
    assert.deepStrictEqual(sent, ["POST Bearer AT-1 text", "POST Bearer AT-2 text"]);
  });

  it("authorizedFetch returns the 401 of a request whose body is a stream", async () => {
    const { send, sent } = refusing();
    const call = promise.authorizedFetch(await refusedSession(), { fetch: send });
    const body = new Blob(["text"]).stream();
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    assert.strictEqual((await call(AUTH, init)).status, 401);
    assert.deepStrictEqual(sent, ["POST Bearer AT-1 text"]);
  });

  it("authorizedFetch sends the token to no other origin than that of `baseUrl`", async () => {
    const { send, sent } = refusing();
    const options = { baseUrl: AUTH, fetch: send };
    const call = promise.authorizedFetch(await refusedSession(), options);
    await call("https://evil.example/", { headers: { authorization: "Bearer mine" } });
    await call(new URL("x", AUTH));
    assert.deepStrictEqual(sent, ["GET null null", "GET Bearer AT-1 null", "GET Bearer AT-2 null"]);
  });
});
