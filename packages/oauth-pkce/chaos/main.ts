/**
 * The soak of sessions: two application servers share token stores and are disturbed.
 *
 * Every store (a file; Redis and PostgreSQL where their address is given) × both policies, beside a
 * naive store in the same run, through four phases: no fault, SIGTERM with restart, SIGSTOP for
 * less than the rest of a token's life, SIGKILL with restart. The OAuth server rotates refresh
 * tokens and ends the grant when one is used twice. It passes if
 *
 * - without fault, under SIGTERM and under SIGSTOP no refresh token is used twice and no login is
 *   lost, unless its request reached the time limit,
 * - under SIGKILL `signIn` never uses one twice. Every second use under `resend` follows a kill of the
 *   sender after its send, and every lost login a kill of its own sender or of the process whose
 *   intent was given up.
 *
 * `node scripts/with-services.mjs redis,postgres -- node packages/oauth-pkce/chaos/main.ts
 * [--seconds 30] [--json]`; `--seconds 600` is the long run.
 */
import { fork, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import * as Redacted from "effect/Redacted";
import { decode, encode } from "../src/internal/Grant.ts";
import { openStore, type OpenStore } from "./stores.ts";
import { combinationsOf, GRANT, TIMES } from "./plan.ts";

const PHASES = ["none", "SIGTERM", "SIGSTOP", "SIGKILL"] as const;
type Phase = (typeof PHASES)[number];
/**
 * A phase shows nothing before every store was used in it, which takes longer on a busy machine.
 */
const LONGEST_EXTENSION_MILLIS = 120_000;

interface Count {
  refreshes: number;
  doubles: number;
  unexplained: number;
  lost: number;
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    grants: { type: "string", default: "12" },
    json: { type: "boolean", default: false },
  },
});

const folder = await mkdtemp(join(tmpdir(), "oauth-chaos-"));
const addresses: Record<string, string> = { sqlite: `file:${folder}` };
const redis = process.env["GAME_DATA_REDIS_URL"];
const postgres = process.env["GAME_DATA_POSTGRES_URL"];
if (redis) addresses["redis"] = redis;
if (postgres) addresses["postgres"] = postgres;
if (process.env["REQUIRE_SERVICES"] === "1" && !(redis && postgres))
  throw new Error("redis and postgres are required here");
const run = crypto.randomUUID().slice(0, 8);
const specs = Object.entries(addresses).flatMap(([store, address]) =>
  ["resend", "signIn"].map((policy) => `${run} ${store} ${policy}=${policy}@${address}`),
);
const naiveStore = redis ? "redis" : "sqlite";
specs.push(`${run} ${naiveStore} naive=naive@${addresses[naiveStore]}`);
const combinations = combinationsOf(specs);

let phase: Phase = "none";
const counts = new Map<string, Count>();
const count = (combination: string, of: Phase = phase): Count => {
  const name = `${combination}|${of}`;
  const found = counts.get(name) ?? { refreshes: 0, doubles: 0, unexplained: 0, lost: 0 };
  counts.set(name, found);
  return found;
};

// ---- The OAuth server: strict rotation, a delay of 20 to 60 ms on either side of the rotation.
interface Family {
  current: number;
  isRevoked: boolean;
}
const families = new Map<string, Family>();
const firstSends = new Map<string, { readonly pid: number; readonly at: number }>();
const kills = new Map<number, number>();
/** Tokens whose sender closed the connection before the response: it was killed, or gave up. */
const undelivered = new Set<string>();
/** Tokens whose sender gave up at its time limit: the machine was too slow, and the login ends. */
const timedOut = new Set<string>();
/**
 * Whether the sender was killed before it could store the response, or did not get it. A request of a
 * dead process may still arrive after its kill, so there is no lower bound.
 */
const isExplained = (token: string): boolean => {
  if (undelivered.has(token)) return true;
  const sent = firstSends.get(token);
  const killedAt = sent && kills.get(sent.pid);
  return sent !== undefined && killedAt !== undefined && killedAt - sent.at < TIMES.timeoutMillis;
};
/** The last token that each grant sent. */
const lastSends = new Map<string, string>();

const loopDelay = monitorEventLoopDelay();
loopDelay.enable();

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", async () => {
    const form = new URLSearchParams(body);
    const token = form.get("refresh_token") ?? "";
    const [grant = "", id = "", generation = ""] = token.split("~");
    const pid = Number(form.get("client_id")?.slice("soak-".length));
    const counter = count(GRANT.combination(grant));
    const family = families.get(`${grant}~${id}`);
    const arrivedAt = performance.now();
    response.on("close", () => {
      if (response.writableFinished) return;
      undelivered.add(token);
      if (performance.now() - arrivedAt > TIMES.timeoutMillis * 0.9) timedOut.add(token);
    });
    await sleep(20 + Math.random() * 40);
    if (firstSends.has(token)) {
      counter.doubles += 1;
      if (!isExplained(token)) counter.unexplained += 1;
    } else firstSends.set(token, { pid, at: arrivedAt });
    lastSends.set(grant, token);
    response.setHeader("content-type", "application/json");
    if (!family || family.isRevoked || family.current !== Number(generation)) {
      if (family) family.isRevoked = true;
      response.statusCode = 400;
      response.end('{"error":"invalid_grant"}');
      return;
    }
    family.current += 1;
    counter.refreshes += 1;
    const tokens = issue(grant, id, family.current);
    await sleep(20 + Math.random() * 40);
    response.end(JSON.stringify(tokens));
  });
});
// A paused client does not see that an idle connection was closed, and its next request is lost
// without a trace. That is a fault of another kind than the four here.
server.keepAliveTimeout = 0;
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const authUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const issue = (grant: string, id: string, generation: number) => ({
  access_token: `access-${generation}`,
  token_type: "bearer",
  expires_in: TIMES.lifeSeconds,
  scope: "account:profile",
  refresh_token: `${grant}~${id}~${generation}`,
});

// ---- Sign-ins, at the beginning and after a login was lost.
const stores = new Map<string, OpenStore>();
for (const { address } of combinations)
  if (!stores.has(address)) stores.set(address, await openStore(address));
const storeOf = (key: string): OpenStore => {
  const found = combinations.find(({ name }) => name === GRANT.combination(key));
  return stores.get(found?.address ?? "")!;
};

const signIn = async (key: string) => {
  const id = crypto.randomUUID().slice(0, 8);
  families.set(`${key}~${id}`, { current: 1, isRevoked: false });
  const issued = issue(key, id, 1);
  const now = Date.now();
  const tokens = {
    accessToken: Redacted.make(issued.access_token),
    refreshToken: Redacted.make(issued.refresh_token),
    // Spread over a life, so that the grants are not renewed at the same time.
    issuedAt: now - TIMES.lifeSeconds * 500 * Math.random(),
    expiresAt: now + TIMES.lifeSeconds * 1000 * (0.5 + Math.random() / 2),
    consentExpiresAt: now + 3_600_000,
    scopes: ["account:profile"],
  };
  const text = encode({ v: 3, tokens });
  for (;;) {
    const entry = await storeOf(key).read(key);
    const next = { version: crypto.randomUUID(), text };
    if (await storeOf(key).write(key, entry?.version, next)) return;
  }
};

const pending = new Map<string, Promise<void>>();
/** Waits for a sender that was stopped: it stores its result over the end that another wrote. */
const restored = async (key: string): Promise<void> => {
  for (let waited = 0; waited < TIMES.timeoutMillis; waited += 500) {
    const entry = await storeOf(key).read(key);
    if (entry === undefined || decode(entry.text)?.ended?.reason !== "lostAnswer") return;
    await sleep(500);
  }
};
const isEnded = (key: string, text: string | undefined): boolean => {
  const { ended, tokens } = (text && decode(text)) || {};
  const [, id = ""] = tokens ? Redacted.value(tokens.refreshToken!).split("~") : [];
  return ended !== undefined || families.get(`${key}~${id}`)?.isRevoked === true;
};
/** Counts a lost login once, and signs in anew. */
const onEnded = (key: string) => {
  const before = pending.get(key) ?? Promise.resolve();
  const seenIn = phase;
  const settle = async () => {
    await before;
    if (seenIn === "SIGSTOP") await restored(key);
    const entry = await storeOf(key).read(key);
    if (!isEnded(key, entry?.text)) return;
    const counter = count(GRANT.combination(key), seenIn);
    const sent = lastSends.get(key) ?? "";
    if (seenIn === "SIGKILL" || !timedOut.has(sent)) counter.lost += 1;
    const isKilled = isExplained(sent) || hasKilledIntent(entry?.text);
    if (seenIn === "SIGKILL" && !isKilled) counter.unexplained += 1;
    await signIn(key);
  };
  pending.set(key, settle());
};
/**
 * Whether a login was ended for an intent of a process that was killed before it sent: the price of
 * `signIn`. Such an intent is given up within the life of a token, and ends no other login.
 */
const hasKilledIntent = (text = "{}"): boolean => {
  const { ended, pid } = JSON.parse(text);
  const killedAt = kills.get(pid) ?? -Infinity;
  const age = performance.now() - killedAt;
  return ended?.reason === "lostAnswer" && age < TIMES.lifeSeconds * 1000;
};

await Promise.all(
  combinations.flatMap(({ name }) =>
    Array.from({ length: Number(values.grants) }, (_, at) => signIn(GRANT.key(name, at))),
  ),
);

// ---- The application servers, and what happens to them.
const start = () =>
  new Promise<ChildProcess>((resolve, reject) => {
    const child = fork(join(import.meta.dirname, "server.ts"), [authUrl, values.grants, ...specs]);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`a server ended with ${code}`)));
    child.on("message", (message: { readonly ready?: true; readonly ended?: string }) => {
      if (message.ready) resolve(child);
      if (message.ended) onEnded(message.ended);
    });
  });
const exited = (child: ChildProcess) =>
  new Promise<void>((resolve) => child.once("exit", () => resolve()));

const servers = await Promise.all([start(), start()]);
const disturb = async (at: number) => {
  const child = servers[at]!;
  if (phase === "SIGSTOP") {
    child.kill("SIGSTOP");
    await sleep(200 + Math.random() * 1_000);
    child.kill("SIGCONT");
    return;
  }
  const gone = exited(child);
  child.kill(phase === "SIGTERM" ? "SIGTERM" : "SIGKILL");
  if (phase === "SIGKILL" && child.pid) kills.set(child.pid, performance.now());
  await gone;
  servers[at] = await start();
};

const faults: Record<Phase, number> = { none: 0, SIGTERM: 0, SIGSTOP: 0, SIGKILL: 0 };
try {
  for (const next of PHASES) {
    phase = next;
    const end = performance.now() + (Number(values.seconds) / PHASES.length) * 1000;
    const isOver = (): boolean =>
      performance.now() > end + LONGEST_EXTENSION_MILLIS ||
      (performance.now() > end && combinations.every(({ name }) => count(name).refreshes > 0));
    for (let at = 0; !isOver(); at = 1 - at) {
      await sleep(400 + Math.random() * 200);
      if (phase === "none") continue;
      faults[phase] += 1;
      await disturb(at);
    }
  }
} finally {
  for (const child of servers) {
    const gone = exited(child);
    child.kill("SIGTERM");
    await gone;
  }
  await Promise.all(pending.values());
  server.closeAllConnections();
  server.close();
  for (const store of stores.values()) await store.close();
  await rm(folder, { recursive: true, force: true });
}

// ---- The result.
const rows = PHASES.flatMap((of) =>
  combinations.map(({ name, policy }) => {
    const [, store = ""] = name.split(" ");
    const { doubles, lost, refreshes, unexplained } = count(name, of);
    const isGood =
      policy === "naive" ||
      (of === "SIGKILL"
        ? unexplained === 0 && (policy !== "signIn" || doubles === 0)
        : doubles === 0 && lost === 0);
    return {
      fault: of,
      faults: faults[of],
      store,
      policy,
      refreshes,
      doubles,
      lost,
      unexplained,
      isGood,
    };
  }),
);
const total = rows.reduce((sum, { refreshes }) => sum + refreshes, 0);
const isGood =
  rows.every((row) => row.isGood) && total > 0 && rows.every((row) => row.refreshes > 0);
const stallMillis = Math.round(loopDelay.max / 1e6);
// A request that this machine held up for longer than its time limit counts as lost.
if (!isGood && stallMillis > TIMES.timeoutMillis / 2)
  console.error(`This process stalled for ${stallMillis} ms. Run again on a less busy machine.`);
if (values.json) console.log(JSON.stringify({ seconds: Number(values.seconds), rows, isGood }));
else console.table(rows);
process.exitCode = isGood ? 0 : 1;
