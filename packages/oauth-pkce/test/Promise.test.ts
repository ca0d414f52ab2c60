import { assert, describe, it } from "vitest";
import { Effect, Exit, Scope } from "effect";
import {
  AccessDenied,
  ConfigurationInvalid,
  createConfidentialOAuth,
  createPublicOAuth,
  deserializePending,
  InvalidGrant,
  memoryStore,
  NotSignedIn,
  reveal,
  serializePending,
  sessionPool,
  TokenSet,
} from "../src/promise/index.ts";
import { REDIRECT } from "./clients.ts";
import { fakeServer, json, rotating, type FakeServer } from "./FakeServer.ts";

const withServer = async (use: (server: FakeServer) => Promise<void>) => {
  const scope = Scope.makeUnsafe();
  try {
    await use(await Effect.runPromise(Effect.provideService(fakeServer(), Scope.Scope, scope)));
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void));
  }
};

const desktop = (authUrl: string) =>
  createPublicOAuth({
    authUrl,
    clientId: "desktop",
    redirectUri: REDIRECT,
  });

const backend = (authUrl: string) =>
  createConfidentialOAuth({
    authUrl,
    clientId: "backend",
    clientSecret: "s3cret",
  });

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail("it resolved"),
    (error: unknown) => error,
  );

describe("sessionPool", () => {
  it("renews each user's token once, drops the longest unused session, and closes", () =>
    withServer(async (server) => {
      server.reply = rotating({ expires_in: 3600 });
      const store = memoryStore();
      const pool = sessionPool(desktop(server.url), { store, max: 2 });
      for (const user of ["a", "b", "c"])
        await pool.get(user).signIn(TokenSet.fromRefreshToken({ refreshToken: `RT-of-${user}` }));
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
    }));
});

describe("the promise face", () => {
  it("signs in, through a web server's session", () =>
    withServer(async (server) => {
      const oauth = desktop(server.url);
      const { url, pending } = await oauth.start({ scopes: ["account:profile"] });
      const kept = reveal(serializePending(pending));
      const state = new URL(url).searchParams.get("state");
      const back = deserializePending(kept)!;
      const callback = await oauth.validateCallback(back, `${REDIRECT}?code=c&state=${state}`);
      const tokens = await oauth.exchange(callback);
      assert.strictEqual(reveal(tokens.accessToken), "AT-1");
      const session = oauth.session({ store: memoryStore() });
      await session.signIn(tokens);
      assert.strictEqual(await session.accessToken(), "AT-1");
      assert.strictEqual(await session.renew("AT-1"), "AT-2");
      assert.strictEqual((await session.tokens()).username, "Account");
      const consentExpiresAt = await session.consentExpiresAt();
      assert.strictEqual(consentExpiresAt?.getTime(), tokens.consentExpiresAt);
      assert.strictEqual(reveal((await oauth.refresh(tokens)).accessToken), "AT-3");
      await session.signOut();
      assert.instanceOf(await rejection(session.accessToken()), NotSignedIn);
    }));

  it("rejects with the errors themselves", () =>
    withServer(async (server) => {
      const oauth = desktop(server.url);
      const { url, pending } = await oauth.start({ scopes: ["account:profile"] });
      const state = new URL(url).searchParams.get("state");
      const denied = await rejection(
        oauth.validateCallback(pending, `?error=access_denied&state=${state}`),
      );
      assert.instanceOf(denied, AccessDenied);
      server.reply = json({ error: "invalid_grant" }, 400);
      const second = await oauth.start({ scopes: ["account:profile"] });
      const callback = await oauth.validateCallback(
        second.pending,
        `?code=c&state=${new URL(second.url).searchParams.get("state")}`,
      );
      assert.instanceOf(await rejection(oauth.exchange(callback)), InvalidGrant);
      assert.throws(() => desktop("http://example.com"), ConfigurationInvalid);
    }));

  it("is cancelled by a signal, with its reason", () =>
    withServer(async (server) => {
      server.reply = () => undefined;
      const reason = new Error("no longer needed");
      const controller = new AbortController();
      const call = backend(server.url).clientCredentials({
        scopes: ["service:psapi"],
        signal: controller.signal,
      });
      setTimeout(() => controller.abort(reason), 20);
      assert.strictEqual(await rejection(call), reason);
    }));

  it("C22: replays a call once that fails with a 401, with a new token [CL-11]", () =>
    withServer(async (server) => {
      server.reply = rotating({ expires_in: null, refresh_token: undefined });
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
    }));

  it("has no store of this package: none knows localStorage, sessionStorage, IndexedDB or cookies [CL-09, NS-23]", async () => {
    const { readdir, readFile } = await import("node:fs/promises");
    const source = new URL("../src/", import.meta.url);
    const files = await readdir(source, { recursive: true });
    const texts = await Promise.all(
      files
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFile(new URL(file, source), "utf8")),
    );
    assert.isAbove(texts.length, 20);
    for (const text of texts)
      assert.notMatch(text, /localStorage|sessionStorage|indexedDB|document\.cookie|cookieStore/);
  });
});
