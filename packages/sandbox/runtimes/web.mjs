// The sandbox without a port and without a Node API: a token, 200 profiles, a page of the stream, a
// body that is too large.
import { createWebSandbox } from "@game-data/sandbox/web";

const sandbox = await createWebSandbox({ seed: 1, now: "2026-03-01T12:00:00Z" });
const client = sandbox.clients.find(({ kind }) => kind === "confidential");
const token = async (body) =>
  sandbox.fetch(new Request(`${sandbox.authUrl}/oauth/token`, { method: "POST", body }));
const assert = (isTrue, message) => {
  if (!isTrue) throw new Error(message);
};

const issued = await token(
  new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.clientId,
    client_secret: client.clientSecret,
    scope: "account:profile service:psapi",
  }),
);
assert(issued.status === 200, `token: ${issued.status}`);
const { access_token: bearer } = await issued.json();
const get = (path, headers = {}) =>
  sandbox.fetch(
    new Request(`${sandbox.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${bearer}`, ...headers },
    }),
  );
for (let time = 0; time < 200; time++) {
  const profile = await get("/profile");
  assert(profile.status === 200, `profile: ${profile.status}`);
  assert((await profile.json()).name === "Emberlyn#4071", "the wrong account");
}
const page = await (await get("/public-stash-tabs")).text();
const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(page));
const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"))
  .join("")
  .slice(0, 32);
assert(
  hash === "1f48cb43b965cd1b76cfc316c61c1280",
  `the page of seed 1 has other bytes here: ${hash}`,
);
const tooLarge = await token(new URLSearchParams({ filler: "x".repeat(70_000) }));
assert(tooLarge.status === 413, `too large: ${tooLarge.status}`);
