// Signs in to a sandbox, refreshes, keeps the tokens in a file, and serves the web sign-in by the
// runtime's own server: in every runtime that has files and sockets.
import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect } from "effect";
import { createPublicOAuth, memoryStore, OAuthTransportError } from "@game-data/oauth-pkce/promise";
import { LoopbackReceiver, toNode } from "@game-data/oauth-pkce/node";
import { openFileStore } from "@game-data/oauth-pkce/node/promise";
import { createSignIn } from "@game-data/oauth-pkce/web";

const sandbox = JSON.parse(process.env.GAME_DATA_SANDBOX);
const { clientId, redirectUris } = sandbox.clients.find(({ kind }) => kind === "public");
const clientOf = (authUrl) =>
  createPublicOAuth({
    authUrl,
    clientId,
    redirectUri: redirectUris[0],
  });
const oauth = clientOf(sandbox.authUrl);

const consent = async (url) => {
  const response = await fetch(`${sandbox.controlUrl}/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url, account: sandbox.accounts[0].name }),
  });
  return (await response.json()).redirect;
};

// The loopback receiver takes the browser's callback.
const callback = await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const receiver = yield* LoopbackReceiver.make();
      const { url, pending } = yield* Effect.promise(() =>
        oauth.start({ scopes: ["account:profile"], redirectUri: receiver.redirectUri }),
      );
      const redirect = yield* Effect.promise(() => consent(url));
      setTimeout(() => void fetch(redirect).then((response) => response.text()), 50);
      return yield* receiver.receive((arrived) =>
        Effect.tryPromise({
          try: () => oauth.validateCallback(pending, arrived),
          catch: (error) => error,
        }),
      );
    }),
  ),
);
const tokens = await oauth.exchange(callback);
assert.equal(tokens.username, sandbox.accounts[0].name);

// Many callers, one refresh, in a file that only its owner can read.
const folder = await mkdtemp(join(tmpdir(), "oauth-runtime-"));
try {
  const store = await openFileStore(join(folder, "tokens"));
  const session = oauth.session({ store });
  await session.signIn(tokens);
  const first = await session.accessToken();
  const renewed = await Promise.all(Array.from({ length: 20 }, () => session.renew(first)));
  assert.equal(new Set(renewed).size, 1);
  assert.notEqual(renewed[0], first);
  const response = await session.withFreshToken((token) =>
    fetch(`${sandbox.baseUrl}/profile`, { headers: { authorization: `Bearer ${token}` } }),
  );
  assert.equal(response.status, 200);
  await response.text();
  const files = readdirSync(join(folder, "tokens"));
  assert.ok(files.length > 0);
  if (process.platform !== "win32")
    for (const file of files)
      assert.equal((await stat(join(folder, "tokens", file))).mode & 0o777, 0o600);
  await store.close();
} finally {
  await rm(folder, { recursive: true });
}

// The web sign-in, served as its guide says for this runtime.
let handle;
let origin;
let stop;
if (globalThis.Bun) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => handle(request) });
  origin = `http://127.0.0.1:${server.port}`;
  stop = () => server.stop(true);
} else if (globalThis.Deno) {
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => undefined };
  const server = Deno.serve(options, (request) => handle(request));
  origin = `http://127.0.0.1:${server.addr.port}`;
  stop = () => server.shutdown();
} else {
  const server = createServer((request, response) => handle(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  stop = () => server.closeAllConnections();
}
const { client } = createPublicOAuth({
  authUrl: sandbox.authUrl,
  clientId,
  redirectUri: origin + new URL(redirectUris[0]).pathname,
});
const signIn = await createSignIn({
  client,
  scopes: ["account:profile"],
  store: memoryStore(),
  keys: { current: "k", keys: { k: crypto.getRandomValues(new Uint8Array(32)) } },
});
const nameOf = async (request) => {
  const state = await signIn.user(request);
  return state._tag === "SignedIn" ? state.user.username : "nobody";
};
if (globalThis.Bun || globalThis.Deno)
  handle = async (request) => (await signIn.handle(request)) ?? new Response(await nameOf(request));
else {
  const glue = toNode(signIn);
  handle = (request, response) =>
    glue(request, response, async () => {
      response.end(await nameOf(request));
    });
}
const cookies = new Map();
const visit = async (path, options = {}) => {
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const response = await fetch(new URL(path, origin), {
    redirect: "manual",
    ...options,
    headers: { cookie, ...options.headers },
  });
  for (const line of response.headers.getSetCookie()) {
    const [name, value] = line.split(";")[0].split("=");
    if (line.includes("Max-Age=0")) cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
};
assert.equal(await (await visit("/me")).text(), "nobody");
const login = await visit("/auth/login?returnTo=/me%3Fa%3D1");
assert.equal(login.status, 303);
const back = await visit(await consent(login.headers.get("location")));
assert.deepEqual([back.status, back.headers.get("location")], [303, "/me?a=1"]);
assert.equal(await (await visit("/me")).text(), sandbox.accounts[0].name);
const foreign = { method: "POST", headers: { "sec-fetch-site": "cross-site" } };
assert.equal((await visit("/auth/logout", foreign)).status, 403);
const own = { method: "POST", headers: { origin } };
assert.equal((await visit("/auth/logout", own)).status, 303);
assert.equal(await (await visit("/me")).text(), "nobody");
await signIn.close();
await stop();

// A redirect is refused, whatever this runtime's fetch would like to do; a dead server is a typed
// error.
const nobody = clientOf("http://127.0.0.1:9");
await assert.rejects(nobody.refresh(tokens), (error) => error instanceof OAuthTransportError);
console.log("ok");
// fetch keeps connections open for a while.
process.exit(0);
