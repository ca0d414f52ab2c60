/**
 * `/node` with promises: a user signs in, also where the exchange is slow and where `open` or `paste`
 * fail or hang; a key lives in a keychain; a server drains.
 */
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

it("openReceiver takes the callback, shows the outcome, and stops", async () => {
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

/** Signs in with a browser that comes back by itself; gives its pages, and the token. */
const run = async (redirectUri: string, options: Partial<DesktopSignInOptions> = {}) => {
  const pages: Array<string> = [];
  let browsing: Promise<unknown> = Promise.resolve();
  const browse = async (url: string) => {
    const response = await fetch(callbackOf(url));
    pages.push(`${new URL(response.url).pathname} ${await response.text()}`);
  };
  const tokens = await signInDesktop(clientAt(redirectUri), {
    scopes: ["account:profile"],
    show: (url) => {
      browsing = browse(url);
    },
    open: false,
    ...options,
  });
  await browsing;
  return { pages, token: reveal(tokens.accessToken) };
};

describe("open and paste", () => {
  const failures: ReadonlyArray<readonly [string, () => Promise<never>]> = [
    ["rejects", () => Promise.reject(new Error("no browser"))],
    ["never settles", () => never],
  ];
  it.each(failures)(
    "open and paste functions that %s leave the browser that the user opens",
    async (_, fails) => {
      for (const option of ["open", "paste"])
        assert.strictEqual((await run("http://127.0.0.1/cb", { [option]: fails })).token, "AT-1");
    },
  );
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
  const keychain = () => {
    const entries = new Map<string, string>();
    const open = async (service: string, account: string) => ({
      getPassword: async () => entries.get(`${service}/${account}`),
      setPassword: async (text: string) => entries.set(`${service}/${account}`, text),
    });
    return { entries, open };
  };

  it("keychainKey makes a key once, one for each program", async () => {
    const { entries, open } = keychain();
    const key = await keychainKey("one", { open });
    assert.strictEqual(key.length, 32);
    assert.deepStrictEqual(await keychainKey("one", { open }), key);
    assert.notDeepEqual(await keychainKey("two", { open }), key);
    assert.strictEqual(entries.size, 2);
  });

  it("keychainKey fails typed, without the keychain's text, and never falls back", async () => {
    const open = () => Promise.reject(new Error("entry key-sentinel is locked"));
    const error = await keychainKey("one", { open }).then(
      () => assert.fail("a key came from nowhere"),
      (failure) => failure,
    );
    assert.deepInclude(error, { _tag: "TokenStoreFailed", reason: "the keychain refused" });
    assert.notInclude(JSON.stringify(error) + error.stack, "sentinel");
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
