// Signs in to a sandbox, refreshes, and keeps the tokens in a file: in every runtime that has files
// and sockets.
import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect } from "effect";
import { createPublicOAuth, OAuthTransportError } from "@game-data/oauth-pkce/promise";
import { LoopbackReceiver } from "@game-data/oauth-pkce/node";
import { openFileStore } from "@game-data/oauth-pkce/node/promise";

const sandbox = JSON.parse(process.env.GAME_DATA_SANDBOX);
const { clientId, redirectUris } = sandbox.clients.find(({ kind }) => kind === "public");
const clientOf = (authUrl) =>
  createPublicOAuth({
    authUrl,
    clientId,
    redirectUri: redirectUris[0],
    allowInsecureLoopback: true,
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

// A redirect is refused, whatever this runtime's fetch would like to do; a dead server is a typed
// error.
const nobody = clientOf("http://127.0.0.1:9");
await assert.rejects(nobody.refresh(tokens), (error) => error instanceof OAuthTransportError);
console.log("ok");
// fetch keeps connections open for a while.
process.exit(0);
