/**
 * Measures the cost of a call above its parts: undici, `JSON.parse` and the same check. The server
 * is a process of its own; contenders take turns in one run.
 *
 * `node bench/client.bench.ts [--json] [--small]`. Logs go to stderr.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { createSandboxHandler } from "@game-data/sandbox";
import { Context, Effect, Exit, Layer, Scope } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import { Agent, request } from "undici";
import { GameApi, httpClientTransport, type Transport } from "../src/index.ts";
import { checkResult } from "../src/pipeline/decode.ts";
import { createGameApi } from "../src/promise.ts";
import { undiciTransport } from "../src/undici.ts";

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly ratio: number | null;
}

const asJson = process.argv.includes("--json");
const figures: Array<Figure> = [];
const report = (figure: Figure) => {
  figures.push(figure);
  if (asJson) console.log(JSON.stringify(figure));
};

/** A profile, a character and a stash tab of the sizes that the service sends. */
const makeBodies = async () => {
  const sandbox = await createSandboxHandler({ seed: 1 });
  const post = await sandbox.fetch(
    new Request(`${sandbox.controlUrl}/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        clientId: "example-web",
        account: sandbox.accounts[0]?.name,
        scopes: ["account:characters", "account:profile"],
      }),
    }),
  );
  const { access_token } = (await post.json()) as { readonly access_token: string };
  const get = async (path: string) => {
    const response = await sandbox.fetch(
      new Request(`${sandbox.baseUrl}${path}`, {
        headers: { authorization: `Bearer ${access_token}` },
      }),
    );
    return (await response.json()) as Record<string, never>;
  };
  const { characters } = (await get("/character")) as unknown as {
    readonly characters: ReadonlyArray<{ readonly name: string }>;
  };
  const name = encodeURIComponent(characters[0]?.name ?? "");
  const { character } = (await get(`/character/${name}`)) as unknown as {
    readonly character: { readonly equipment: Array<unknown> };
  };
  const profile = JSON.stringify(await get("/profile"));
  await sandbox.close();
  const items = [...character.equipment];
  const grow = <A>(make: (grown: Array<unknown>) => A, bytes: number) => {
    const grown = [...items];
    while (JSON.stringify(make(grown)).length < bytes) grown.push(...items);
    return JSON.stringify(make(grown));
  };
  return {
    profile,
    character: grow((equipment) => ({ character: { ...character, equipment } }), 140_000),
    stash: grow(
      (all) => ({
        stash: { id: "0123456789", name: "Tab", type: "QuadStash", metadata: {}, items: all },
      }),
      1_000_000,
    ),
  };
};

const bodies = await makeBodies();
const server = fork(fileURLToPath(new URL("server.ts", import.meta.url)), {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
const port = await new Promise<number>((resolve) => {
  server.once("message", (message) => resolve(message as number));
  server.send(bodies);
});
const baseUrl = `http://127.0.0.1:${port}`;
const agent = new Agent();
/** The service counts each client by itself: requests of the others are no foreign ones. */
const optionsOf = (clientId: string) => ({
  baseUrl,
  credentials: "token",
  userAgent: { clientId, version: "1", contact: "bench@example.com" },
  dedupe: false,
  limiter: { maxInFlight: 64 },
});

const scope = Scope.makeUnsafe();
const http = await Effect.runPromise(
  Layer.buildWithScope(
    NodeHttpClient.layerUndiciNoDispatcher.pipe(
      Layer.provide(Layer.succeed(NodeHttpClient.Dispatcher, agent)),
    ),
    scope,
  ),
);
const viaHttpClient: Transport = await Effect.runPromise(
  Effect.provideContext(httpClientTransport, http),
);
const overUndici = createGameApi({ ...optionsOf("undici"), transport: undiciTransport(agent) });
const overHttpClient = createGameApi({ ...optionsOf("http"), transport: viaHttpClient });
const overFetch = createGameApi(optionsOf("fetch"));
const effectApi = await Effect.runPromise(
  Effect.map(
    Layer.buildWithScope(
      GameApi.layerTransport({ ...optionsOf("effect"), transport: undiciTransport(agent) }),
      scope,
    ),
    Context.get(GameApi),
  ),
);

const check = (result: string, body: unknown) => {
  if (checkResult(result, body) !== undefined) throw new Error(`bench: ${result}`);
  return body;
};
/** What every contender sends. */
const headers = { authorization: "Bearer token", accept: "application/json" };
const bare = async (path: string, result: string) => {
  const response = await request(`${baseUrl}${path}`, { dispatcher: agent, headers });
  return check(result, JSON.parse(await response.body.text()));
};
const client = Context.get(http, HttpClient.HttpClient);
const effectHttp = (path: string, result: string) =>
  Effect.runPromise(
    client.get(`${baseUrl}${path}`, { headers }).pipe(
      Effect.flatMap((response) => response.json),
      Effect.map((body) => check(result, body)),
    ),
  );

type Run = () => Promise<unknown>;

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Seconds of `calls` calls with `concurrency` of them at once. */
const batch = async (run: Run, calls: number, concurrency: number) => {
  let left = calls;
  const worker = async () => {
    while (left-- > 0) await run();
  };
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpu: (user + system) / 1e6 };
};

/** Medians of interleaved rounds. The first rounds warm up and are left out. */
const measure = async (
  contenders: Readonly<Record<string, Run>>,
  { calls, concurrency, rounds }: { calls: number; concurrency: number; rounds: number },
) => {
  const names = Object.keys(contenders);
  const times = new Map(names.map((name) => [name, [] as Array<{ seconds: number; cpu: number }>]));
  for (let round = -3; round < rounds; round++) {
    for (let index = 0; index < names.length; index++) {
      const name = names[(index + Math.abs(round)) % names.length]!;
      const time = await batch(contenders[name]!, calls, concurrency);
      if (round >= 0) times.get(name)!.push(time);
    }
  }
  return (pick: (time: { seconds: number; cpu: number }) => number) =>
    Object.fromEntries(names.map((name) => [name, median(times.get(name)!.map(pick))]));
};

const UNDICI = "undici + JSON.parse + same check";
const FETCH = "fetch + json() + same check";
const EFFECT = "effect's HttpClient over undici + same check";

const cases = [
  {
    name: "character, 140 kB",
    ours: () => overUndici.characters.get({ name: "x" }),
    viaEffect: () => Effect.runPromise(effectApi.characters.get({ name: "x" })),
    viaClient: () => overHttpClient.characters.get({ name: "x" }),
    viaFetch: () => overFetch.characters.get({ name: "x" }),
    path: "/character/x",
    result: "CharacterResult",
    calls: 60,
    rounds: 24,
  },
  {
    name: "stash tab, 1 MB",
    ours: () => overUndici.stashes.get({ league: "x", stash_id: "0123456789" }),
    viaEffect: () =>
      Effect.runPromise(effectApi.stashes.get({ league: "x", stash_id: "0123456789" })),
    viaClient: () => overHttpClient.stashes.get({ league: "x", stash_id: "0123456789" }),
    viaFetch: () => overFetch.stashes.get({ league: "x", stash_id: "0123456789" }),
    path: "/stash/x/0123456789",
    result: "StashResult",
    calls: 10,
    rounds: 20,
  },
];

const isSmall = process.argv.includes("--small");
for (const each of isSmall ? [] : cases) {
  const { calls, name, ours, path, result, rounds, viaClient, viaEffect, viaFetch } = each;
  const contenders = {
    ours,
    [UNDICI]: () => bare(path, result),
    "ours, Effect entry": viaEffect,
    "ours over effect's HttpClient": viaClient,
    "ours over fetch": viaFetch,
    [EFFECT]: () => effectHttp(path, result),
  };
  const of = await measure(contenders, { calls, rounds, concurrency: 1 });
  for (const [what, pick] of [
    ["time", ({ seconds }) => (seconds * 1000) / calls],
    ["processor time", ({ cpu }) => (cpu * 1000) / calls],
  ] as ReadonlyArray<[string, (time: { seconds: number; cpu: number }) => number]>) {
    const { ours: own = 0, ...peers } = of(pick);
    report({
      name: `client ${what} per call: ${name}`,
      unit: "ms",
      ours: own,
      peers,
      ratio: own / (peers[UNDICI] ?? Number.NaN),
    });
  }
}

const small = await measure(
  {
    ours: () => overUndici.profile.get(),
    [UNDICI]: () => bare("/profile", "Profile"),
    "ours, Effect entry": () => Effect.runPromise(effectApi.profile.get()),
    "ours over effect's HttpClient": () => overHttpClient.profile.get(),
    "ours over fetch": () => overFetch.profile.get(),
    [EFFECT]: () => effectHttp("/profile", "Profile"),
    [FETCH]: async () =>
      check("Profile", await (await fetch(`${baseUrl}/profile`, { headers })).json()),
  },
  { calls: 1500, concurrency: 8, rounds: 14 },
);
const { ours: ownRate = 0, ...rates } = small(({ seconds }) => 1500 / seconds);
report({
  name: "client requests/s, small responses, concurrency 8",
  unit: "requests/s",
  ours: ownRate,
  peers: rates,
  ratio: ownRate / (rates[UNDICI] ?? Number.NaN),
});

const { ours: ownCpu = 0, ...cpus } = small(({ cpu }) => (cpu * 1e6) / 1500);
const { [FETCH]: bareFetch = 0, [UNDICI]: bareUndici = 0, "ours over fetch": ownFetch = 0 } = cpus;
report({
  name: "client processor time per call: profile, small",
  unit: "µs",
  ours: ownCpu,
  peers: cpus,
  ratio: ownCpu / bareUndici,
});
report({
  name: "client processor time per call over fetch: profile, small",
  unit: "µs",
  ours: ownFetch,
  peers: { [FETCH]: bareFetch },
  ratio: ownFetch / bareFetch,
});

for (const api of [overUndici, overHttpClient, overFetch]) await api.close();
await Effect.runPromise(Scope.close(scope, Exit.void));
await agent.close();
server.disconnect();
if (!asJson) {
  for (const { name, ours, peers, ratio, unit } of figures) {
    console.log(`\n${name} (${unit}); ratio to undici ${ratio?.toFixed(2)}`);
    console.table({ ours, ...peers });
  }
}
process.exit(0);
