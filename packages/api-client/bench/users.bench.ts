/**
 * Measures a program with 1,000 further users over one client that has as many: memory per user,
 * refused requests, and how evenly the users are served.
 *
 * `node --expose-gc bench/users.bench.ts [--json]`. The service counts three requests in two
 * seconds for each account, and refuses more with a 429.
 */
import type { OutgoingRequest, Transport } from "../src/index.ts";
import { createGameApi, type PromiseApi } from "../src/promise.ts";

const USERS = 1000;
const CALLS = 6;
const WINDOW_MILLIS = 2000;
const MAX = 3;

const asJson = process.argv.includes("--json");
const collect = (globalThis as { readonly gc?: () => void }).gc;
if (collect === undefined) throw new Error("Run with --expose-gc.");

const hits = new Map<string, Array<number>>();
let requests = 0;
let refused = 0;

/** Sliding windows per account, without a wire. */
const serve = ({ headers }: OutgoingRequest) => {
  requests++;
  const now = performance.now();
  const user = headers["authorization"] ?? "";
  const recent = (hits.get(user) ?? []).filter((time) => time > now - WINDOW_MILLIS);
  const isRefused = recent.length >= MAX;
  if (isRefused) refused++;
  else recent.push(now);
  hits.set(user, recent);
  return {
    status: isRefused ? 429 : 200,
    headers: {
      "x-rate-limit-policy": "profile",
      "x-rate-limit-rules": "Account",
      "x-rate-limit-account": `${MAX}:${WINDOW_MILLIS / 1000}:10`,
      "x-rate-limit-account-state": `${recent.length}:${WINDOW_MILLIS / 1000}:${isRefused ? 10 : 0}`,
      ...(isRefused && { "retry-after": "10" }),
    },
  };
};

const BODY = new TextEncoder().encode('{"uuid":"u","name":"n"}');
const transport: Transport = (request, settle) => {
  setTimeout(() => {
    const { headers, status } = serve(request);
    const chunks = [BODY];
    settle({
      status,
      headers,
      encoding: "identity",
      read: async () => chunks.shift(),
      abort: () => undefined,
    });
  }, 5);
  return () => undefined;
};

const api = createGameApi({
  baseUrl: "https://api.example",
  userAgent: { clientId: "bench", version: "1", contact: "bench@example.com" },
  transport,
  dedupe: false,
  retry: { times: 0 },
  limiter: { maxInFlight: 64 },
});

const heap = () => {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
};

const makeUsers = (prefix: string): ReadonlyArray<PromiseApi> =>
  Array.from({ length: USERS }, (_, index) =>
    api.as(`token-${prefix}-${index}`, { identity: `${prefix}-${index}` }),
  );

/** Six calls of each user, all users at once: the milliseconds until each has finished. */
const callAll = (users: ReadonlyArray<PromiseApi>): Promise<ReadonlyArray<number>> => {
  const begun = performance.now();
  return Promise.all(
    users.map(async (user) => {
      for (let call = 0; call < CALLS; call++) await user.profile.get();
      return performance.now() - begun;
    }),
  );
};

// Users before those that count: V8 compiles what all users share while they call, which is some
// 800 kB of code.
const earlier = makeUsers("earlier");
await callAll(earlier);
[requests, refused] = [0, 0];
hits.clear();
const before = heap();
const users = makeUsers("user");
const idle = heap();
const finished = await callAll(users);
const sorted = finished.toSorted((a, b) => a - b);
hits.clear();
const active = heap();
// Both are needed down here, so that the collector has left them alone.
if (new Set([...earlier, ...users]).size !== 2 * USERS) throw new Error("users share a client");
const at = (share: number) => sorted[Math.floor(share * (USERS - 1))] ?? 0;

const figures = [
  {
    name: "client: memory per idle user",
    unit: "B",
    ours: (idle - before) / USERS,
    peers: { budget: 2000 },
    ratio: (idle - before) / USERS / 2000,
  },
  {
    name: "client: memory per user after six calls, its rate-limit record included",
    unit: "B",
    ours: (active - before) / USERS,
    peers: { budget: 2000 },
    ratio: (active - before) / USERS / 2000,
  },
  {
    name: "client: refused requests of 1,000 users",
    unit: "responses 429",
    ours: refused,
    peers: { requests },
    ratio: refused / requests,
  },
  {
    name: "client: six calls of a user, last of 1,000 users against the median",
    unit: "ms",
    ours: at(1),
    peers: { median: at(0.5), first: at(0) },
    ratio: at(1) / at(0.5),
  },
];
for (const figure of figures) console.log(asJson ? JSON.stringify(figure) : figure);
await api.close();
