/**
 * Costs of sessions, beside the store alone, in interleaved rounds of one run:
 *
 * - 200 new sessions that each want a fresh token at once, against 200 reads of the same store;
 * - the two writes of a renewal, against one update, and a whole renewal against one without the
 *   protocol: a read, the refresh, one update (the OAuth server answers from memory);
 * - memory of an idle session that has its tokens in memory.
 *
 * Every store takes part whose address is given: `node scripts/with-services.mjs redis,postgres --
 * pnpm bench sessions [--json]`. It fails when a store needs a write, or more than one read, for a
 * fresh token.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Redacted } from "effect";
import { openStore, type OpenStore } from "../chaos/stores.ts";
import { makeSealer, sealed } from "../src/makeSealer.ts";
import { OAuthClient, Session, TokenRequest, TokenSet, TokenStore } from "../src/index.ts";
import { memoryStore, type Backend } from "../src/promise/index.ts";

const SESSIONS = 200;
const ROUNDS = 21;
const RENEWALS = 61;
const IDLE = 5_000;

const isJson = process.argv.includes("--json");

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly ratio: number;
}

const print = (figure: Figure, target: number): void => {
  const peers = Object.entries(figure.peers).map(([name, value]) => `${name} ${value}`);
  console.log(
    isJson
      ? JSON.stringify({ ...figure, target })
      : `${figure.ratio <= target ? "ok  " : "MISS"} ${figure.name}: ${figure.ours} ${figure.unit}; ${peers.join("; ")}; ratio ${figure.ratio} of ${target}`,
  );
};

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Ends an entry, so that its key is free. */
const forget = async (store: Backend, key: string) =>
  store.write(key, (await store.read(key))?.version, { version: "", text: "", ttlMillis: 0 });

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await run();
  return performance.now() - started;
};

/** Runs both in turns, who begins changing, and compares round by round. */
const interleave = async (
  rounds: number,
  ours: () => Promise<unknown>,
  peer: () => Promise<unknown>,
) => {
  const pairs: Array<readonly [number, number]> = [];
  for (let at = -3; at < rounds; at++) {
    const first = at % 2 === 0 ? await timed(ours) : 0;
    const theirs = await timed(peer);
    const mine = at % 2 === 0 ? first : await timed(ours);
    if (at >= 0) pairs.push([mine, theirs]);
  }
  return {
    ours: round(median(pairs.map(([mine]) => mine))),
    peer: round(median(pairs.map(([, theirs]) => theirs))),
    ratio: round(median(pairs.map(([mine, theirs]) => mine / theirs))),
  };
};

/** An OAuth server without a network: what is left is the session and its store. */
let generation = 0;
const client = await Effect.runPromise(
  OAuthClient.publicClient({
    authUrl: "https://auth.example.com",
    clientId: "bench",
    redirectUri: "http://127.0.0.1/callback",
    fetch: async () => {
      generation += 1;
      return Response.json({
        access_token: `access-${generation}-${"x".repeat(60)}`,
        token_type: "bearer",
        expires_in: 36_000,
        refresh_token: `refresh-${generation}-${"y".repeat(60)}`,
        scope: "account:characters account:stashes",
      });
    },
  }),
);
const run = Effect.runPromise;

const tokens = (at: number): TokenSet.TokenSet => ({
  accessToken: Redacted.make(`access-${at}-${"x".repeat(60)}`),
  refreshToken: Redacted.make(`refresh-${at}-${"y".repeat(60)}`),
  expiresAt: Date.now() + 36_000_000,
  issuedAt: Date.now(),
  consentExpiresAt: Date.now() + 7 * 86_400_000,
  scopes: ["account:characters", "account:stashes"],
  username: "Account",
  sub: "3f1f4c5e-0000-4000-8000-000000000001",
});

const all = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>): Effect.Effect<void, E> =>
  Effect.all(effects, { concurrency: "unbounded", discard: true });

const prefix = crypto.randomUUID();
const keys = Array.from({ length: SESSIONS }, (_, at) => `${prefix}:${at}`);

const freshTokens = async (name: string, backend: Backend): Promise<void> => {
  const counts = { reads: 0, writes: 0 };
  const counting: Backend = {
    read: (key) => {
      counts.reads += 1;
      return backend.read(key);
    },
    write: (...entry) => {
      counts.writes += 1;
      return backend.write(...entry);
    },
  };
  const store = TokenStore.fromBackend(counting);
  const open = (key: string) => Session.forUser(client, { store, key });
  for (const [at, key] of keys.entries()) await run(open(key).signIn(tokens(at)));
  Object.assign(counts, { reads: 0, writes: 0 });
  await run(all(keys.map((key) => open(key).accessToken)));
  if (counts.writes > 0 || counts.reads > SESSIONS)
    throw new Error(`${name}: ${counts.reads} reads and ${counts.writes} writes`);
  const figure = await interleave(
    ROUNDS,
    () => run(all(keys.map((key) => open(key).accessToken))),
    () => run(all(keys.map((key) => store.read(key)))),
  );
  print(
    {
      name: `${SESSIONS} new sessions at once, ${name}`,
      unit: "ms",
      ours: figure.ours,
      peers: { [`${SESSIONS} reads`]: figure.peer },
      ratio: figure.ratio,
    },
    1.5,
  );
};

const renewals = async (name: string, backend: Backend): Promise<void> => {
  const [key = "", other = ""] = keys;
  let writing = 0;
  const timing: Backend = {
    read: backend.read,
    write: async (...entry) => {
      const started = performance.now();
      const isWritten = await backend.write(...entry);
      writing += performance.now() - started;
      return isWritten;
    },
  };
  const session = Session.forUser(client, { store: TokenStore.fromBackend(timing), key });
  const update = async (text: string) => {
    const entry = await backend.read(other);
    const started = performance.now();
    const next = { version: crypto.randomUUID(), text };
    if (!(await backend.write(other, entry?.version, next))) throw new Error("nothing was written");
    return performance.now() - started;
  };
  const renew = async () => run(session.renew(await run(session.accessToken)));
  const naive = async () => {
    const stored = TokenSet.fromJson((await backend.read(other))?.text ?? "");
    if (stored === undefined) throw new Error("there are no tokens");
    return update(TokenSet.toJson(await run(TokenRequest.refresh(client, stored))));
  };
  await update(TokenSet.toJson(tokens(1)));
  // The programs that sessions run in are warm.
  for (let at = 0; at < 200; at++) await run(TokenRequest.refresh(client, tokens(at)));
  const writes: Array<number> = [];
  const updates: Array<number> = [];
  const figure = await interleave(
    RENEWALS,
    async () => {
      writing = 0;
      await renew();
      writes.push(writing);
    },
    async () => updates.push(await naive()),
  );
  const ratio = round(median(writes.map((value, at) => value / (updates[at] ?? Number.NaN))));
  const peers = { "one update": round(median(updates)) };
  const unit = "ms";
  print(
    { name: `two writes of a renewal, ${name}`, unit, ours: round(median(writes)), peers, ratio },
    2.5,
  );
  print(
    {
      name: `a renewal, ${name}`,
      unit,
      ours: figure.ours,
      peers: { "without the protocol": figure.peer },
      ratio: figure.ratio,
    },
    2.5,
  );
};

const memory = async (): Promise<void> => {
  const store = TokenStore.fromBackend(memoryStore());
  const many = Array.from({ length: IDLE }, (_, at) => `idle:${at}`);
  for (const [at, key] of many.entries())
    await run(Session.forUser(client, { store, key }).signIn(tokens(at)));
  // Allocations that all sessions share are not counted.
  await run(Session.forUser(client, { store, key: many[0] ?? "" }).accessToken);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const sessions: Array<Session.Session> = [];
  for (const key of many) {
    const session = Session.forUser(client, { store, key });
    await run(session.accessToken);
    sessions.push(session);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  globalThis.gc?.();
  const bytes = Math.round((process.memoryUsage().heapUsed - before) / sessions.length);
  print(
    {
      name: "memory of an idle session",
      unit: "B",
      ours: bytes,
      peers: { budget: 4_000 },
      ratio: round(bytes / 4_000),
    },
    1,
  );
};

const folder = await mkdtemp(join(tmpdir(), "sessions-bench-"));
const addresses: Record<string, string | undefined> = {
  "a file": `file:${folder}`,
  Redis: process.env["GAME_DATA_REDIS_URL"],
  PostgreSQL: process.env["GAME_DATA_POSTGRES_URL"],
};
const opened: Array<OpenStore> = [];
try {
  await memory();
  const sealer = await makeSealer({
    current: "k",
    keys: { k: crypto.getRandomValues(new Uint8Array(32)) },
    purpose: "tokens",
  });
  for (const [name, address] of Object.entries(addresses)) {
    if (address === undefined) continue;
    const store = await openStore(address);
    opened.push(store);
    await freshTokens(name, store);
    await renewals(name, store);
    for (const key of keys) await forget(store, key);
    await freshTokens(`${name}, sealed`, sealed(store, sealer));
    for (const key of keys) await forget(store, key);
  }
} finally {
  for (const store of opened) await store.close();
  await rm(folder, { recursive: true, force: true });
}
