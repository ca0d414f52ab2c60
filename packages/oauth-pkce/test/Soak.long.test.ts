/**
 * Two processes of 200 fibers share one file store. The server rotates refresh tokens and ends the
 * grant when one is used twice, as the strictest servers do.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { Session } from "../src/index.ts";
import { FileStore } from "../src/node/index.ts";
import { publicClient } from "./clients.ts";
import { fakeServer, json, tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";

const SECONDS = 10;
const LIFE_SECONDS = 2;
const WORKER = join(import.meta.dirname, "../chaos/soakWorker.ts");

interface Worked {
  readonly calls: number;
  readonly errors: Readonly<Record<string, number>>;
}

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "oauth-soak-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
);

it.live("C19: two processes of 200 fibers waste no refresh on one store", function* () {
  const path = yield* folder;
  let generation = 1;
  let issuedAt = Date.now();
  const counts = { refreshes: 0, expiries: 0, refused: 0 };
  const server = yield* fakeServer(({ form }, ...rest) => {
    if (form.get("refresh_token") !== `RT-${generation}`) {
      generation = Infinity;
      counts.refused += 1;
      return json({ error: "invalid_grant" }, 400)({} as never, ...rest);
    }
    counts.refreshes += 1;
    // Before half of its life a refresh is wasted, however slow this machine is.
    if (Date.now() - issuedAt >= LIFE_SECONDS * 500) counts.expiries += 1;
    generation += 1;
    issuedAt = Date.now();
    const pair = { access_token: `AT-${generation}`, refresh_token: `RT-${generation}` };
    json(tokenBody({ ...pair, expires_in: LIFE_SECONDS }))({} as never, ...rest);
  });
  const store = yield* FileStore.make(path);
  yield* Session.forUser(yield* publicClient(server.url), { store }).signIn({
    accessToken: Redacted.make("AT-1"),
    refreshToken: Redacted.make("RT-1"),
    expiresAt: issuedAt + LIFE_SECONDS * 1000,
    issuedAt,
    consentExpiresAt: issuedAt + 86_400_000,
    scopes: ["account:profile"],
  });
  const work = Effect.promise(async () => {
    const args = [WORKER, server.url, path, "200", `${SECONDS}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as Worked;
  });
  for (const { calls, errors } of yield* Effect.all([work, work], { concurrency: 2 })) {
    assert.deepStrictEqual(errors, {});
    assert.isAbove(calls, 1000);
  }
  assert.strictEqual(counts.refused, 0);
  assert.strictEqual(counts.refreshes, counts.expiries);
  assert.isAtLeast(counts.refreshes, Math.floor(SECONDS / LIFE_SECONDS));
});
