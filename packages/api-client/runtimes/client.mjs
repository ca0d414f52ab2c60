// Calls a sandbox with the runtime's own fetch: values, nulls, ladders, raw pages, packed bodies,
// typed errors, retries, limits and aborts.
import assert from "node:assert/strict";
import { createGameApi } from "@game-data/api-client/promise";

const sandbox = JSON.parse(process.env.GAME_DATA_SANDBOX);
const account = sandbox.accounts[0].name;
const { clientId } = sandbox.clients.find(({ kind }) => kind === "public");

const tell = async (method, path, body) => {
  const response = await fetch(`${sandbox.controlUrl}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
};
const tokenFor = async (scopes) =>
  (await tell("POST", "/tokens", { clientId, account, scopes })).access_token;
const fault = (what, when = {}) =>
  tell("POST", "/faults", { match: { endpoint: "profile" }, when, fault: what });

const credentials = await tokenFor([
  "account:profile",
  "account:characters",
  "account:leagues",
  "account:stashes",
]);
const options = {
  baseUrl: sandbox.baseUrl,
  userAgent: { clientId, version: "1.0.0", contact: "dev@example.com" },
  retry: { base: "5 millis" },
};
const api = await createGameApi({ ...options, credentials });

try {
  // Values, with and without what stands around them.
  assert.equal((await api.profile.get()).name, account);
  const responses = [];
  const onResponse = ({ attempts, status }) => responses.push([status, attempts]);
  await api.profile.get({ onResponse });
  assert.deepEqual(responses, [[200, 1]]);
  const [character] = await api.characters.list();
  const whole = await api.characters.get({ name: character.name });
  assert.equal(whole.id, character.id);
  assert.equal(await api.characters.get({ name: "Nobody" }), null);
  const leagues = await api.accountLeagues.list();
  assert.ok(leagues.length > 0);

  // A parameter that does not exist, a scope that is not there, a token that nobody issued.
  await assert.rejects(api.characters.list({ realm: "moon" }), { _tag: "InvalidRequest" });
  await assert.rejects(api.itemFilters.list(), { _tag: "Forbidden", reason: "scope" });
  for (const [token, reason] of [
    ["nobody-issued-this", "refused"],
    ["not a token\n", "no-token"],
  ]) {
    const stranger = await createGameApi({ ...options, credentials: token });
    await assert.rejects(stranger.profile.get(), (error) => {
      assert.deepEqual([error._tag, error.reason], ["Unauthorized", reason]);
      assert.ok(!JSON.stringify(error).includes(token.trim()) && !error.stack.includes(token));
      return true;
    });
    await stranger.close();
  }

  // Broken responses are retried, or named by an error.
  await fault({ kind: "status", status: 503 }, { count: 1 });
  await api.profile.get({ onResponse });
  assert.deepEqual(responses.at(-1), [200, 2]);
  await fault({ kind: "hang" });
  await assert.rejects(api.profile.get({ timeout: 100, retries: 0 }), {
    _tag: "Timeout",
    reason: "attempt",
  });
  const cancelled = new Error("enough");
  const controller = new AbortController();
  setTimeout(() => controller.abort(cancelled), 50);
  await assert.rejects(api.profile.get({ signal: controller.signal }), cancelled);
  await tell("DELETE", "/faults");

  // No server listens on that port.
  const nobody = await createGameApi({ ...options, baseUrl: "http://127.0.0.1:9", credentials });
  await assert.rejects(nobody.profile.get({ retries: 0 }), {
    _tag: "TransportError",
    reason: "connect",
  });
  await nobody.close();
} finally {
  await tell("DELETE", "/faults");
  await api.close();
}
console.log("ok");
// fetch keeps connections open for a while.
process.exit(0);
