/**
 * `/node` with promises: a user signs in, also where the exchange is slow and where `open` or `paste`
 * fail or hang; a key lives in a keychain; a server drains.
 */
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, assert, beforeAll, beforeEach, describe, it, vi } from "vitest";
import {
  drainOnSignals,
  keychainKey,
  openReceiver,
  signedIn,
  signInDesktop,
  type DesktopSignInOptions,
} from "../src/node/promise.ts";
import { createPublicOAuth, reveal } from "../src/promise/index.ts";
import { callbackOf } from "./clients.ts";
import { json, openFakeServer, tokenBody } from "./FakeServer.ts";

let server: Awaited<ReturnType<typeof openFakeServer>>;
beforeAll(async () => {
  server = await openFakeServer(json(tokenBody()));
});
beforeEach(() => void (server.received.length = 0));
afterAll(() => server.close());

const never = new Promise<never>(() => undefined);

const clientAt = (redirectUri: string) =>
  createPublicOAuth({ authUrl: server.url, clientId: "desktop", redirectUri });

it("openReceiver receives the callback, shows the outcome to the browser, and stops", async () => {
  const oauth = clientAt("http://127.0.0.1/callback");
  const receiver = await openReceiver();
  const { redirectUri } = receiver;
  const { pending, url } = await oauth.start({ scopes: ["account:profile"], redirectUri });
  const received = receiver.receive(async (callback) =>
    oauth.exchange(await oauth.validateCallback(pending, callback)),
  );
  const page = await fetch(callbackOf(url));
  assert.include(await page.text(), "You are signed in");
  assert.strictEqual(reveal((await received).accessToken), "AT-1");
  await receiver.close();
  await fetch(redirectUri).then(
    () => assert.fail("it still listens"),
    () => undefined,
  );
});

it("openReceiver rejects with the failure of the callback, or the signal's reason", async () => {
  const receiver = await openReceiver();
  const failure = new Error("no callback of ours");
  const received = receiver.receive(() => Promise.reject(failure));
  void fetch(`${receiver.redirectUri}?code=c`).then((page) => page.text());
  assert.strictEqual(await received.catch((error: unknown) => error), failure);
  const aborted = receiver.receive(async () => 1, { signal: AbortSignal.abort("enough") });
  assert.strictEqual(await aborted.catch((reason: unknown) => reason), "enough");
  await receiver.close();
});

/** Signs in with a browser that comes back by itself. */
const signInBy = async (options: Partial<DesktopSignInOptions>) => {
  let browsing: Promise<unknown> = Promise.resolve();
  const tokens = await signInDesktop(clientAt("http://127.0.0.1/cb"), {
    scopes: ["account:profile"],
    show: (url) => {
      browsing = fetch(callbackOf(url)).then((response) => response.text());
    },
    open: false,
    ...options,
  });
  await browsing;
  return reveal(tokens.accessToken);
};

it.each([
  ["rejects", () => Promise.reject(new Error("no browser"))],
  ["never settles", () => never],
])("signInDesktop succeeds if the option `open` or `paste` %s", async (_, fails) => {
  for (const option of ["open", "paste"])
    assert.strictEqual(await signInBy({ [option]: fails }), "AT-1");
});

it("signedIn runs the flow only if the session has no working tokens", async () => {
  const oauth = clientAt("http://127.0.0.1/cb");
  const session = oauth.session();
  let flows = 0;
  const options: DesktopSignInOptions = {
    scopes: ["account:profile"],
    show: () => undefined,
    open: async (url) => {
      flows += 1;
      await fetch(callbackOf(url));
    },
  };
  await signedIn(oauth, session, options);
  await signedIn(oauth, session, options);
  assert.deepStrictEqual([flows, server.received.length], [1, 1]);
  await session.signOut();
  await signedIn(oauth, session, options);
  assert.strictEqual(flows, 2);
});

describe("keychainKey", () => {
  it("keychainKey makes one key for each program, and returns the same key later", async () => {
    const entries = new Map<string, string>();
    const open = async (service: string) => ({
      getPassword: async () => entries.get(service),
      setPassword: async (text: string) => entries.set(service, text),
    });
    const key = await keychainKey("one", { open });
    assert.strictEqual(key.length, 32);
    assert.deepStrictEqual(await keychainKey("one", { open }), key);
    assert.notDeepEqual(await keychainKey("two", { open }), key);
  });

  it("keychainKey fails with TokenStoreFailed, without the keychain's text, if the entry is locked", async () => {
    const open = () => Promise.reject(new Error("entry key-sentinel is locked"));
    const error = await keychainKey("one", { open }).then(
      () => assert.fail("a key came from nowhere"),
      (failure) => failure,
    );
    assert.deepInclude(error, { _tag: "TokenStoreFailed", reason: "the keychain refused" });
    assert.notInclude(JSON.stringify(error) + error.stack, "sentinel");
  });
});

it("drainOnSignals finishes open responses, then closes, then ends the process", async () => {
  let arrived = (): void => undefined;
  const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
  const http = createServer((_, response) => {
    arrived();
    setTimeout(() => response.end("whole"), 50);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const log: Array<unknown> = [];
  const isExited = new Promise<void>((resolve) => {
    vi.spyOn(process, "exit").mockImplementation((code) => {
      http.closeAllConnections();
      resolve(void log.push(code));
      return undefined as never;
    });
  });
  const { port } = http.address() as AddressInfo;
  const page = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
  await hasArrived;
  const pool = { close: async () => void log.push("closed") };
  const stop = drainOnSignals(pool, { server: http });
  process.emit("SIGTERM");
  stop();
  assert.strictEqual(await page, "whole");
  await isExited;
  vi.restoreAllMocks();
  assert.deepStrictEqual(log, ["closed", 0]);
});

it("drainOnSignals closes a server of HTTP/2, which has no closeIdleConnections, before the pool", async () => {
  const http2 = createHttp2Server();
  await new Promise<void>((resolve) => http2.listen(0, "127.0.0.1", resolve));
  const log: Array<string> = [];
  const pool = { close: async () => void log.push(`pool closed, listening: ${http2.listening}`) };
  await new Promise<void>((exit) => {
    const stop = drainOnSignals(pool, { server: http2, exit });
    process.emit("SIGTERM");
    stop();
  });
  assert.deepStrictEqual(log, ["pool closed, listening: false"]);
});
