// The sandbox without a port and without a Node API: a token, 200 profiles, the bytes of the world,
// a body that is too large.
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

// The same bytes in every runtime, and in whatever order they are asked for.
const view = async (path) => {
  const query = new URLSearchParams({ path });
  const answer = await sandbox.fetch(new Request(`${sandbox.controlUrl}/world?${query}`));
  return answer.text();
};
const hashOf = async (text) => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, 32);
};
await sandbox.fetch(
  new Request(`${sandbox.controlUrl}/clock`, {
    method: "POST",
    body: JSON.stringify({ freeze: true, set: "2026-03-01T12:00:00Z" }),
  }),
);
const { characters } = JSON.parse(await view("/character"));
const { stashes } = JSON.parse(await view("/stash/Standard"));
const paths = [
  ...characters.map(({ name }) => `/character/${name}`),
  ...stashes.map(({ id }) => `/stash/Standard/${id}`),
  ...["xp", "depth"].map((sort) => `/league/Hardcore/ladder?sort=${sort}&limit=200`),
  "/league?limit=50",
  "/pvp-match",
  "/pvp-match/Swiss%20Cup%202%2C%20week%2012/ladder",
  "/character/game2",
  "/account/leagues",
];
let cursor = "";
for (let number = 0; number < 5; number++) {
  paths.push(`/public-stash-tabs/console_a${cursor}`);
  cursor = `?id=${JSON.parse(await view(paths.at(-1))).next_change_id}`;
}
const hour = Date.parse("2026-03-01T00:00:00Z") / 1000;
for (let number = 0; number < 10; number++)
  paths.push(`/currency-exchange/${hour + number * 3600}`);
const forwards = [];
for (const path of paths) forwards.push(await view(path));
const backwards = [];
for (const path of paths.toReversed()) backwards.unshift(await view(path));
assert(forwards.join() === backwards.join(), "the order of requests changes the world");
const hash = await hashOf(forwards.join("\n"));
assert(
  hash === "25d6b65204e9ba877e3db0ab360d213d",
  `the world of seed 1 has other bytes here: ${hash}`,
);
const tooLarge = await token(new URLSearchParams({ filler: "x".repeat(70_000) }));
assert(tooLarge.status === 413, `too large: ${tooLarge.status}`);
