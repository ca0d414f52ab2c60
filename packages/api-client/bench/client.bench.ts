/**
 * Measures a call beside the libraries that programs would use instead, each with retries and a
 * queue. The server is a process of its own, and the contenders take turns in one run.
 *
 * `node bench/client.bench.ts [--json]`. Logs go to stderr.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { bodies } from "@game-data/contract/results";
import { createSandboxHandler } from "@game-data/sandbox";
import { Octokit } from "@octokit/core";
import { retry } from "@octokit/plugin-retry";
import { Effect, Layer, ManagedRuntime } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import got from "got";
import ky from "ky";
import PQueue from "p-queue";
import { Agent, request } from "undici";
import { createGameApi } from "../src/promise.ts";

type Run = () => Promise<unknown>;

/** A profile, a character and a stash tab of the sizes that the service sends. */
const makeBodies = async () => {
  const sandbox = await createSandboxHandler({ seed: 1 });
  const token = await sandbox.token({
    clientId: "example-web",
    account: sandbox.accounts[0]!.name,
    scopes: ["account:characters", "account:profile"],
  });
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await sandbox.fetch(new Request(sandbox.baseUrl + path, { headers }));
    return (await answer.json()) as any;
  };
  const { characters } = await get("/character");
  const { character } = await get(`/character/${encodeURIComponent(characters[0].name)}`);
  const profile = await get("/profile");
  await sandbox.close();
  /** Repeats the items until the body has the size. */
  const grow = (make: (items: ReadonlyArray<unknown>) => object, bytes: number) => {
    let items = character.equipment;
    while (JSON.stringify(make(items)).length < bytes) items = [...items, ...character.equipment];
    return JSON.stringify(make(items));
  };
  const tab = { id: "0123456789", name: "Tab", type: "QuadStash", metadata: {} };
  return {
    profile: JSON.stringify(profile),
    character: grow((equipment) => ({ character: { ...character, equipment } }), 140_000),
    stash: grow((items) => ({ stash: { ...tab, items } }), 1_000_000),
  };
};

const server = fork(fileURLToPath(new URL("server.ts", import.meta.url)), {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
const messages = await makeBodies();
const port = await new Promise<number>((resolve) => {
  server.once("message", (message) => resolve(message as number));
  server.send(messages);
});
const baseUrl = `http://127.0.0.1:${port}`;
const agent = new Agent();

const undici = NodeHttpClient.layerUndiciNoDispatcher.pipe(
  Layer.provide(Layer.succeed(NodeHttpClient.Dispatcher, agent)),
);
/** The server counts requests by user agent, so contenders are no foreign programs to each other. */
const options = (clientId: string) => ({
  baseUrl,
  credentials: "token",
  userAgent: { clientId, version: "1", contact: "bench@example.com" },
  limiter: { maxInFlight: 64 },
});
const overUndici = createGameApi({ ...options("undici"), http: undici });
const overFetch = createGameApi(options("fetch"));
/** Calls by many users in turn, because no account may send hundreds of requests a second. */
const eachUser = (api: typeof overFetch) => {
  const users = Array.from({ length: 64 }, (_, index) => api.as(`token-${index}`));
  let next = 0;
  return () => users[next++ % users.length]!;
};
const [undiciUser, fetchUser] = [eachUser(overUndici), eachUser(overFetch)];

const check = (name: keyof typeof bodies, body: unknown) => {
  if (!bodies[name].is(body)) throw new Error(`not a ${name}`);
  return body;
};
const headers = { authorization: "Bearer token", accept: "application/json" };
const runtime = ManagedRuntime.make(undici);
const queue = new PQueue({ concurrency: 64 });
const RetryingOctokit = Octokit.plugin(retry);
const octokit = new RetryingOctokit({ baseUrl, auth: "token" });
const gotJson = got.extend({ prefixUrl: baseUrl, headers, retry: { limit: 3 } });
const kyJson = ky.create({ baseUrl, headers, retry: 3 } as object);

const peers = (path: string, name: keyof typeof bodies): Readonly<Record<string, Run>> => ({
  "undici + JSON.parse": async () => {
    const { body } = await request(baseUrl + path, { dispatcher: agent, headers });
    return check(name, JSON.parse(await body.text()));
  },
  "fetch + json()": async () =>
    check(name, await (await fetch(baseUrl + path, { headers })).json()),
  "Effect's HttpClient over undici": () =>
    runtime.runPromise(
      HttpClient.get(baseUrl + path, { headers }).pipe(
        Effect.flatMap((response) => response.json),
        Effect.map((body) => check(name, body)),
      ),
    ),
  "got + p-queue": () =>
    queue.add(async () => check(name, await gotJson.get(path.slice(1)).json())),
  "ky + p-queue": () => queue.add(async () => check(name, await kyJson.get(baseUrl + path).json())),
  "octokit + retry": async () => check(name, (await octokit.request(`GET ${path}`)).data),
});

const lowerQuartile = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]!;

interface Rounds {
  readonly calls: number;
  /** Rounds before the ones that count. */
  readonly warmUp: number;
  readonly rounds: number;
}

/** Microseconds of processor time for a call, from interleaved rounds. */
const measure = async (
  contenders: Readonly<Record<string, Run>>,
  { calls, rounds, warmUp }: Rounds,
) => {
  const times = new Map<string, Array<number>>();
  for (let round = -warmUp; round < rounds; round++)
    for (const [name, run] of Object.entries(contenders)) {
      let rest = calls;
      const worker = async () => {
        while (rest-- > 0) await run();
      };
      const before = process.cpuUsage();
      await Promise.all(Array.from({ length: 8 }, worker));
      const { system, user } = process.cpuUsage(before);
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), (user + system) / calls]);
    }
  return Object.fromEntries([...times].map(([name, values]) => [name, lowerQuartile(values)]));
};

const report = (name: string, ours: number, others: Record<string, number>, base: string) => {
  const figure = { name, unit: "µs", ours, peers: others, ratio: ours / others[base]! };
  if (process.argv.includes("--json")) return console.log(JSON.stringify(figure));
  console.log(`\n${name} (µs of processor time): ${figure.ratio.toFixed(2)} × ${base}`);
  console.table({ ours, ...others });
};

type Api = ReturnType<typeof fetchUser>;
const cases: ReadonlyArray<
  readonly [string, string, keyof typeof bodies, (api: Api) => Promise<unknown>, Rounds]
> = [
  // V8 has optimised the code of a call after some ten thousand of them. Short rounds, because in the
  // seconds of a long one the code and the heap of the others change.
  [
    "small GET",
    "/profile",
    "Profile",
    (api) => api.profile.get(),
    { calls: 300, warmUp: 50, rounds: 30 },
  ],
  [
    "140 kB",
    "/character/x",
    "CharacterResult",
    (api) => api.characters.get({ name: "x" }),
    { calls: 24, warmUp: 2, rounds: 10 },
  ],
  [
    "1 MB",
    "/stash/x/0123456789",
    "StashResult",
    (api) => api.stashes.get({ league: "x", stash_id: "0123456789" }),
    { calls: 6, warmUp: 2, rounds: 10 },
  ],
];

for (const [title, path, name, call, rounds] of cases) {
  const {
    overFetch: fetched,
    overUndici: ours,
    ...others
  } = await measure(
    {
      overUndici: () => call(undiciUser()),
      overFetch: () => call(fetchUser()),
      ...peers(path, name),
    },
    rounds,
  );
  report(`client over undici: ${title}`, ours!, others, "undici + JSON.parse");
  report(`client over fetch: ${title}`, fetched!, others, "fetch + json()");
}

await Promise.all([overUndici.close(), overFetch.close(), runtime.dispose(), agent.close()]);
server.disconnect();
process.exit(0);
