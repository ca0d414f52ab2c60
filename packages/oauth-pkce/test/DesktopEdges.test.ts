/** The desktop sign-in when the exchange is slow, and when `open` or `paste` fail or hang. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { signedIn, signInDesktop, type DesktopSignInOptions } from "../src/node/promise.ts";
import { createPublicOAuth, reveal } from "../src/promise/index.ts";
import { callbackOf } from "./clients.ts";
import { tokenBody } from "./FakeServer.ts";

const never = new Promise<never>(() => undefined);
let exchanges = 0;
const server = createServer((_, response) => {
  exchanges += 1;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(tokenBody()));
});
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const clientAt = (redirectUri: string) =>
  createPublicOAuth({
    authUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: "desktop",
    redirectUri,
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

describe("the browser's page", () => {
  it("is on this host, whatever the path of the redirect URI", async () => {
    for (const [path, page] of [
      ["/", "/accepted"],
      ["/cb/", "/cb/accepted"],
      ["/cb", "/cb/accepted"],
    ] as const) {
      const { pages } = await run(`http://127.0.0.1${path}`);
      assert.match(pages.join(), new RegExp(`^${page} .*You are signed in`), path);
    }
  });
});

describe("open and paste", () => {
  const failures: ReadonlyArray<readonly [string, () => Promise<never>]> = [
    ["rejects", () => Promise.reject(new Error("no browser"))],
    ["never settles", () => never],
  ];
  it.each(failures)("that %s leave the browser that the user opens", async (_, fails) => {
    for (const option of ["open", "paste"])
      assert.strictEqual((await run("http://127.0.0.1/cb", { [option]: fails })).token, "AT-1");
  });

  it("paste of nothing leaves the browser, and is not asked again and again", async () => {
    let pastes = 0;
    const paste = async () => {
      pastes += 1;
      return "";
    };
    assert.strictEqual((await run("http://127.0.0.1/cb", { paste })).token, "AT-1");
    assert.strictEqual(pastes, 1);
  });
});

describe("signedIn", () => {
  it("runs the flow only where the session has no tokens that work", async () => {
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
    exchanges = 0;
    await signedIn(oauth, session, options);
    await signedIn(oauth, session, options);
    assert.deepStrictEqual([flows, exchanges], [1, 1]);
    await session.signOut();
    await signedIn(oauth, session, options);
    assert.strictEqual(flows, 2);
  });
});
