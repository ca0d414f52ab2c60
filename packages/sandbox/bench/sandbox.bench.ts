/**
 * `pnpm bench sandbox [--json] [--part start|token|profile|page|memory|clients]`: CPU and requests
 * a second at the token endpoint, on the profile and on a page of the stash stream, start-up time
 * and CPU, and memory after 10 000 requests, beside oidc-provider, and beside a bare node:http
 * server that sends the very same bytes.
 *
 * Every server has a process of its own, and rounds alternate between them, so that what else the
 * machine does hits all of them. A ratio is the median of the ratios of the rounds. Rate limits are
 * on and set high: they are part of what a request costs.
 */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { connect } from "node:net";
import { join } from "node:path";
import type { Scope } from "@game-data/contract/Scope";
import { bundleProgram } from "../scripts/bundle.ts";
import { controlOf, type RatePolicies, type SandboxInfo } from "../src/index.ts";
import { type Load, send } from "./load.ts";
import { type Served, start } from "./servers.ts";

interface PeerLine {
  readonly url: string;
}

const ROUNDS = 11;
const STARTS = 5;
const TOKENS_PER_ROUND = 4000;
const PAGES_PER_ROUND = 2_000;
const SOAK = 10_000;
const asJson = process.argv.includes("--json");
const CLIENT = "example-service";
const OIDC = "oidc-provider";
const BARE = "bare node:http";

const FORM = "grant_type=client_credentials&scope=service%3Aleagues";

const tokenLoad = (url: string, secret: string): Load => ({
  urls: [url],
  method: "POST",
  headers: {
    authorization: `Basic ${Buffer.from(`${CLIENT}:${secret}`).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(FORM.length),
  },
  body: FORM,
});

/** The bytes of one answer. */
const capture = async ({ body, headers, method }: Load, url: string) => {
  const response = await fetch(url, {
    ...(method !== undefined && { method }),
    headers: { ...headers, "accept-encoding": "identity" },
    ...(body !== undefined && { body }),
  });
  const skipped = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);
  const plain = Buffer.from(await response.arrayBuffer());
  const isCoded = headers?.["accept-encoding"] === "gzip";
  const bytes = isCoded ? gzipSync(plain, { level: 5 }) : plain;
  return {
    status: response.status,
    headers: {
      ...Object.fromEntries([...response.headers].filter(([name]) => !skipped.has(name))),
      "content-length": String(bytes.length),
      ...(isCoded && { "content-encoding": "gzip" }),
    },
    body: bytes.toString("base64"),
  };
};

/**
 * Prints a row: our value beside those of the peers, and its ratio to the first of them, which is
 * that of the values unless it is given.
 */
const report = (
  name: string,
  unit: string,
  { ours = 0, ...peers }: Readonly<Record<string, number>>,
  ratioOfRounds?: number,
): void => {
  const rounded = (value: number) => Math.round(value * 10) / 10;
  const shown = Object.fromEntries(
    Object.entries(peers).map(([peer, value]) => [peer, rounded(value)]),
  );
  const [first] = Object.values(peers);
  const exact = ratioOfRounds ?? (first === undefined ? undefined : ours / first);
  const ratio = exact === undefined ? null : Math.round(exact * 1000) / 1000;
  if (asJson) console.log(JSON.stringify({ name, unit, ours: rounded(ours), peers: shown, ratio }));
  else console.log(`${name.padEnd(28)} ${rounded(ours)} ${unit}`, shown, `ratio ${ratio}`);
};

/** Servers by their label, `ours` first, each with the load that it gets. */
type Contest = Record<string, { readonly load: Load; readonly server: Served<unknown> }>;

const mapValues = <A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

/**
 * Measures each server in turns: the best round in requests a second, the median of the rounds in
 * microseconds of CPU per request, and the median of the ratios of the rounds.
 */
const compare = async (name: string, contest: Contest, perRound: number): Promise<void> => {
  const rounds: Record<string, Array<{ rate: number; cpu: number; bytes: number }>> = {};
  // V8 compiles a server during its first ten thousand requests.
  for (const { load } of Object.values(contest)) await send(load, 10_000);
  for (let round = 0; round < ROUNDS; round++)
    for (const [label, { load, server }] of Object.entries(contest)) {
      const before = server.cpuMicros();
      const { bytes, rate } = await send(load, perRound);
      (rounds[label] ??= []).push({ bytes, rate, cpu: (server.cpuMicros() - before) / perRound });
    }
  const [ours, bare] = ["ours", BARE].map((label) => rounds[label]![0]!.bytes);
  if (ours !== bare) throw new Error(`the bare server sent ${bare} bytes, the sandbox ${ours}`);
  const median = (all: ReadonlyArray<number>) => all.toSorted((x, y) => x - y)[ROUNDS >> 1]!;
  const cpu = mapValues(rounds, (all) => median(all.map((one) => one.cpu)));
  const rate = mapValues(rounds, (all) => Math.max(...all.map((one) => one.rate)));
  const [, first] = Object.values(rounds);
  const ratios = rounds["ours"]!.map((one, round) => one.cpu / first![round]!.cpu);
  report(`${name}, CPU`, "µs/request", cpu, median(ratios));
  report(name, "requests/s", rate);
};

/** The program as it is published. */
const PROGRAM = "../node_modules/.cache/program";

const startSandbox = () =>
  start<SandboxInfo>(`${PROGRAM}/main.js`, ["--port", "0", "--seed", "1", "--rates", "generous"]);

const startOidcProvider = () => start<PeerLine>("peers/oidc-provider.mjs", []);

const pathOf = (url: string) => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** A bare server that sends the very bytes of a load: of each of its addresses the own ones. */
const startBare = async (load: Load) => {
  const answers: Record<string, unknown> = {};
  for (const url of load.urls) answers[pathOf(url)] = await capture(load, url);
  return start<PeerLine>("peers/bare.mjs", [], answers);
};

/** Starts a sandbox whose limits no load meets, and its peers in the order of their labels. */
const open = async (
  loadOf: (line: SandboxInfo) => Load | Promise<Load>,
  peers: ReadonlyArray<string>,
): Promise<Contest> => {
  const sandbox = await startUnlimited();
  const load = await loadOf(sandbox.line);
  const contest: Contest = { ours: { load, server: sandbox } };
  for (const label of peers) {
    const server = label === OIDC ? await startOidcProvider() : await startBare(load);
    const { url } = server.line;
    const own =
      label === OIDC
        ? tokenLoad(`${url}/token`, "example-secret")
        : { ...load, urls: load.urls.map((each) => url + pathOf(each)) };
    contest[label] = { load: own, server };
  }
  return contest;
};

const close = (contest: Contest) =>
  Promise.all(Object.values(contest).map(({ server }) => server.stop()));

const HIGH = "10000000:10:1,100000000:600:1";

/** The limits of the start, set so high that no load of this program meets them. */
const raiseLimits = async (sandbox: SandboxInfo): Promise<void> => {
  const { control } = controlOf(sandbox);
  const policies = (await control("GET", "/policies")) as RatePolicies;
  const raised = Object.entries(policies.policies).map(([name, rules]) => [
    name,
    Object.fromEntries(Object.keys(rules).map((rule) => [rule, HIGH])),
  ]);
  await control("PUT", "/policies", { ...policies, policies: Object.fromEntries(raised) });
};

/** A data request of a client with a token for some scopes. */
const dataLoad =
  (path: string, clientId: string, scopes: ReadonlyArray<Scope>, more = {}) =>
  async (sandbox: SandboxInfo): Promise<Load> => {
    const token = await controlOf(sandbox).token({ clientId, scopes });
    const headers = { authorization: `Bearer ${token}`, ...more };
    return { urls: [sandbox.baseUrl + path], headers };
  };

const STREAM = ["/public-stash-tabs", CLIENT, ["service:psapi", "service:leagues"]] as const;
const pageLoad = dataLoad(...STREAM);
const gzipLoad = dataLoad(...STREAM, { "accept-encoding": "gzip" });
const profileLoad = dataLoad("/profile", "example-web", ["account:profile"]);

/** The first twenty pages in turn, as many followers at different places ask. */
const turnLoad = async (line: SandboxInfo): Promise<Load> => {
  const load = await pageLoad(line);
  const urls: Array<string> = [];
  let id = "";
  while (urls.length < 20) {
    const url = load.urls[0]! + id;
    const page = await fetch(url, { headers: load.headers ?? {} });
    urls.push(url);
    id = `?id=${((await page.json()) as { readonly next_change_id: string }).next_change_id}`;
  }
  return { ...load, urls };
};

const tokensOf = ({ authUrl, clients }: SandboxInfo): Load =>
  tokenLoad(
    `${authUrl}/oauth/token`,
    clients.find(({ clientId }) => clientId === CLIENT)!.clientSecret!,
  );

/** A sandbox whose limits no load meets. */
const startUnlimited = async (): Promise<Served<SandboxInfo>> => {
  const sandbox = await startSandbox();
  await raiseLimits(sandbox.line);
  return sandbox;
};

/** The best of five starts of each server, in turns: wall time and CPU. */
const measureStart = async (): Promise<void> => {
  const sandbox = await startUnlimited();
  const makers = {
    ours: startSandbox,
    [OIDC]: startOidcProvider,
    [BARE]: () => startBare(tokensOf(sandbox.line)),
  };
  const wall: Record<string, number> = {};
  const cpu: Record<string, number> = {};
  for (let round = 0; round < STARTS; round++)
    for (const [label, make] of Object.entries(makers)) {
      const server = await make();
      wall[label] = Math.min(wall[label] ?? Infinity, server.startMillis);
      cpu[label] = Math.min(cpu[label] ?? Infinity, server.cpuMicros() / 1000);
      await server.stop();
    }
  await sandbox.stop();
  report("start-up", "ms", wall);
  report("start-up, CPU", "ms", cpu);
};

const measureRequests = async (
  name: string,
  loadOf: (line: SandboxInfo) => Load | Promise<Load>,
  perRound: number,
  peers: ReadonlyArray<string> = [BARE],
): Promise<void> => {
  const contest = await open(loadOf, peers);
  await compare(name, contest, perRound);
  await close(contest);
};

const measureMemory = async (): Promise<void> => {
  const contest = await open(tokensOf, [BARE, OIDC]);
  for (const { load } of Object.values(contest)) await send(load, SOAK);
  const bytes = mapValues(contest, ({ server }) => server.residentBytes() / 2 ** 20);
  report("memory after 10 000 requests", "MB", bytes);
  await close(contest);
};

/** 200 busy clients beside 2,000 idle connections, without an error. */
const measureClients = async (): Promise<void> => {
  const sandbox = await startUnlimited();
  const { hostname, port } = new URL(sandbox.line.authUrl);
  const errors: Array<string> = [];
  const idle = await Promise.all(
    Array.from({ length: 2_000 }, () => {
      const socket = connect(Number(port), hostname);
      return new Promise<typeof socket>((resolve, reject) => {
        socket.once("connect", () => {
          socket.off("error", reject);
          socket.on("error", ({ message }) => errors.push(message));
          resolve(socket);
        });
        socket.once("error", reject);
      });
    }),
  );
  const { rate } = await send(tokensOf(sandbox.line), 4_000, 200);
  const closed = idle.filter(({ destroyed }) => destroyed).length;
  for (const socket of idle) socket.destroy();
  if (errors.length + closed > 0) throw new Error(`${errors.length} errors, ${closed} closed`);
  report("200 clients, 2,000 idle sockets", "requests/s", { ours: rate });
  await sandbox.stop();
};

/** Each part starts servers of its own and lasts less than a minute on a quiet machine. */
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  start: measureStart,
  token: () => measureRequests("token endpoint", tokensOf, TOKENS_PER_ROUND, [OIDC, BARE]),
  profile: () => measureRequests("profile", profileLoad, TOKENS_PER_ROUND),
  page: async () => {
    await measureRequests("stream page", pageLoad, PAGES_PER_ROUND);
    await measureRequests("stream page, gzip", gzipLoad, PAGES_PER_ROUND);
    await measureRequests("twenty stream pages in turn", turnLoad, PAGES_PER_ROUND);
  },
  memory: measureMemory,
  clients: measureClients,
};

const folder = join(import.meta.dirname, PROGRAM);
await bundleProgram(folder);
// As in the published package: Node need not find out the kind of its modules.
writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
const at = process.argv.indexOf("--part");
const wanted = at < 0 ? Object.keys(PARTS) : [process.argv[at + 1] ?? ""];
for (const name of wanted) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`--part is one of ${Object.keys(PARTS).join(", ")}`);
  await part();
}
