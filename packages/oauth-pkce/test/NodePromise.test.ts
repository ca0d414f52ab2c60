/** `/node` with promises: a user signs in, a key lives in a keychain, a server drains. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, it, vi } from "vitest";
import { Effect, Exit, Redacted, Scope } from "effect";
import { drainOnSignals, keychainKey, openFileStore, openReceiver } from "../src/node/promise.ts";
import { createPublicOAuth } from "../src/promise/index.ts";
import { callbackOf } from "./clients.ts";
import { fakeServer, json, tokenBody } from "./FakeServer.ts";

const clientAt = (authUrl: string) =>
  createPublicOAuth({ authUrl, clientId: "desktop", redirectUri: "http://127.0.0.1/callback" });

describe("openReceiver", () => {
  it("takes the callback, shows the outcome, and stops", async () => {
    const scope = Scope.makeUnsafe();
    const server = await Effect.runPromise(
      Effect.provideService(fakeServer(json(tokenBody())), Scope.Scope, scope),
    );
    const oauth = clientAt(server.url);
    const receiver = await openReceiver();
    const { redirectUri } = receiver;
    const { pending, url } = await oauth.start({ scopes: ["account:profile"], redirectUri });
    const received = receiver.receive(async (callback) =>
      oauth.exchange(await oauth.validateCallback(pending, callback)),
    );
    // A callback of another flow does not end this one.
    assert.strictEqual((await fetch(`${redirectUri}?code=c&state=other`)).status, 400);
    const page = await fetch(callbackOf(url));
    assert.include(await page.text(), "You are signed in");
    assert.strictEqual(Redacted.value((await received).accessToken), "AT-1");
    await receiver.close();
    await fetch(redirectUri).then(
      () => assert.fail("it still listens"),
      () => undefined,
    );
    await Effect.runPromise(Scope.close(scope, Exit.void));
  });

  it("rejects with the failure of the callback, or the signal's reason", async () => {
    const oauth = clientAt("https://auth.example.com");
    const receiver = await openReceiver();
    const { redirectUri } = receiver;
    const { pending, url } = await oauth.start({ scopes: ["account:profile"], redirectUri });
    const state = new URL(url).searchParams.get("state");
    const received = receiver.receive((callback) => oauth.validateCallback(pending, callback));
    void fetch(`${redirectUri}?error=access_denied&state=${state}`).then((page) => page.text());
    const error = await received.catch((failure: unknown) => failure);
    assert.deepInclude(error, { _tag: "AccessDenied" });
    const aborted = receiver.receive(async () => 1, { signal: AbortSignal.abort("enough") });
    assert.strictEqual(await aborted.catch((reason: unknown) => reason), "enough");
    await receiver.close();
  });
});

describe("keychainKey", () => {
  const keychain = () => {
    const entries = new Map<string, string>();
    const open = async (service: string, account: string) => ({
      getPassword: async () => entries.get(`${service}/${account}`),
      setPassword: async (text: string) => entries.set(`${service}/${account}`, text),
    });
    return { entries, open };
  };

  it("makes a key once, one for each program", async () => {
    const { entries, open } = keychain();
    const key = await keychainKey("one", { open });
    assert.strictEqual(key.length, 32);
    assert.deepStrictEqual(await keychainKey("one", { open }), key);
    assert.notDeepEqual(await keychainKey("two", { open }), key);
    assert.strictEqual(entries.size, 2);
  });

  it("C23: fails typed, without the keychain's text, and never falls back", async () => {
    const open = () => Promise.reject(new Error("entry key-sentinel is locked"));
    const error = await keychainKey("one", { open }).then(
      () => assert.fail("a key came from nowhere"),
      (failure) => failure,
    );
    assert.deepInclude(error, { _tag: "TokenStoreFailed", reason: "the keychain refused" });
    assert.notInclude(JSON.stringify(error) + error.stack, "sentinel");
  });
});

describe("the file store", () => {
  it("may be closed twice", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tokens-"));
    const store = await openFileStore(folder);
    await store.close();
    assert.isUndefined(await store.close());
    rmSync(folder, { recursive: true });
  });
});

it("drainOnSignals closes, and then ends the process although its servers still listen", async () => {
  const log: Array<unknown> = [];
  const ended = new Promise<void>((resolve) => {
    vi.spyOn(process, "exit").mockImplementation((code) => {
      resolve(void log.push(code));
      return undefined as never;
    });
  });
  const stop = drainOnSignals({ close: async () => void log.push("closed") });
  process.emit("SIGTERM");
  stop();
  await ended;
  vi.restoreAllMocks();
  assert.deepStrictEqual(log, ["closed", 0]);
});
