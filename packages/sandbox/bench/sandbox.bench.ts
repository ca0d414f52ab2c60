/**
 * `pnpm bench sandbox [--json] [--part start|token|profile|page|memory|clients]`: CPU and requests
 * a second at the token endpoint, on the profile and on a page of the stash stream, start-up time
 * and CPU, and memory after 10 000 requests, beside oidc-provider, and beside a bare node:http
 * server that sends the very same bytes.
 *
 * Every server has a process of its own; rounds alternate between them and the best round of each
 * counts, so that what else the machine does hits all of them. Rate limits are on and set high:
 * they are part of what a request costs.
 */
import { gzipSync } from "node:zlib";
import { connect } from "node:net";
import { join } from "node:path";
import { bundleProgram } from "../scripts/bundle.ts";
import { type Load, send } from "./load.ts";
import { type Served, start } from "./servers.ts";

interface SandboxLine {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly clients: ReadonlyArray<{ readonly clientId: string; readonly clientSecret?: string }>;
}
interface PeerLine {
  readonly url: string;
}

const ROUNDS = 5;
const TOKENS_PER_ROUND = 4000;
const PAGES_PER_ROUND = 2_000;
const SOAK = 10_000;
const asJson = process.argv.includes("--json");
const CLIENT = "example-service";

const FORM = "grant_type=client_credentials&scope=service%3Aleagues";

const tokenLoad = (url: string, secret: string): Load => ({
  url,
  method: "POST",
  headers: {
    authorization: `Basic ${Buffer.from(`${CLIENT}:${secret}`).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(FORM.length),
  },
  body: FORM,
});

/** The bytes of one answer. */
const capture = async ({ body, headers, method, url }: Load) => {
  const response = await fetch(url, {
    ...(method === undefined ? {} : { method }),
    headers: { ...headers, "accept-encoding": "identity" },
    ...(body === undefined ? {} : { body }),
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

const report = (
  name: string,
  unit: string,
  ours: number,
  peers: Readonly<Record<string, number>>,
): void => {
  const rounded = (value: number) => Math.round(value * 10) / 10;
  const shown = Object.fromEntries(
    Object.entries(peers).map(([peer, value]) => [peer, rounded(value)]),
  );
  const first = Object.values(peers)[0];
  const ratio = first === undefined ? null : Math.round((ours / first) * 1000) / 1000;
  if (asJson) console.log(JSON.stringify({ name, unit, ours: rounded(ours), peers: shown, ratio }));
  else console.log(`${name.padEnd(28)} ${rounded(ours)} ${unit}`, shown);
};

interface Measured {
  /** The best round, in requests a second. */
  readonly rate: number;
  /** The median of the rounds, in microseconds of CPU per request. */
  readonly cpu: number;
}

/** Measures each server in turns. */
const compare = async (
  loads: Readonly<Record<string, { readonly load: Load; readonly server: Served<unknown> }>>,
  perRound: number,
): Promise<Record<string, Measured>> => {
  const rounds: Record<string, Array<Measured & { readonly bytes: number }>> = {};
  for (const { load } of Object.values(loads)) await send(load, Math.ceil(perRound / 2));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, { load, server }] of Object.entries(loads)) {
      const before = server.cpuMicros();
      const { bytes, rate } = await send(load, perRound);
      (rounds[name] ??= []).push({ bytes, rate, cpu: (server.cpuMicros() - before) / perRound });
    }
  const [ours, bare] = [rounds["ours"], rounds["bare"]].map((all) => all?.[0]?.bytes);
  if (ours !== bare) throw new Error(`the bare server sent ${bare} bytes, the sandbox ${ours}`);
  return Object.fromEntries(
    Object.entries(rounds).map(([name, all]) => [
      name,
      {
        rate: Math.max(...all.map(({ rate }) => rate)),
        cpu: all.map(({ cpu }) => cpu).toSorted((x, y) => x - y)[Math.floor(all.length / 2)]!,
      },
    ]),
  );
};

const reportAll = (
  name: string,
  measured: Readonly<Record<string, Measured>>,
  labels: Readonly<Record<string, string>>,
): void => {
  const ours = measured["ours"]!;
  const peers = (pick: (one: Measured) => number) =>
    Object.fromEntries(Object.entries(labels).map(([key, label]) => [label, pick(measured[key]!)]));
  report(
    `${name}, CPU`,
    "µs/request",
    ours.cpu,
    peers(({ cpu }) => cpu),
  );
  report(
    name,
    "requests/s",
    ours.rate,
    peers(({ rate }) => rate),
  );
};

/** The program as it is published. */
const PROGRAM = "../node_modules/.cache/program";

const startSandbox = () =>
  start<SandboxLine>(`${PROGRAM}/main.js`, ["--port", "0", "--seed", "1", "--rates", "generous"]);

const startOidcProvider = () => start<PeerLine>("peers/oidc-provider.mjs", []);

const pathOf = (url: string) => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** A bare server that sends the very bytes of a load: of each of its addresses the own ones. */
const startBare = async (load: Load) => {
  const answers: Record<string, unknown> = {};
  for (const url of load.urls ?? [load.url]) answers[pathOf(url)] = await capture({ ...load, url });
  return start<PeerLine>("peers/bare.mjs", [], answers);
};

/** A load at the bare server that sends its bytes. */
const atBare = (load: Load, { line }: Served<PeerLine>): Load => {
  const { urls = [load.url] } = load;
  return { ...load, urls: urls.map((url) => line.url + pathOf(url)) };
};

/** The best of five starts of each server, in turns: wall time and CPU. */
const starts = async (servers: Readonly<Record<string, () => Promise<Served<unknown>>>>) => {
  const best: Record<string, { wall: number; cpu: number }> = {};
  for (let round = 0; round < 5; round++)
    for (const [name, make] of Object.entries(servers)) {
      const server = await make();
      const known = best[name] ?? { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
      best[name] = {
        wall: Math.min(known.wall, server.startMillis),
        cpu: Math.min(known.cpu, server.cpuMicros() / 1000),
      };
      await server.stop();
    }
  return best;
};

const HIGH = "10000000:10:1,100000000:600:1";

/** The limits of the start, set so high that no load of this program meets them. */
const raiseLimits = async (controlUrl: string): Promise<void> => {
  const policies = (await (await fetch(`${controlUrl}/policies`)).json()) as {
    readonly policies: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  const raised = Object.entries(policies.policies).map(([name, rules]) => [
    name,
    Object.fromEntries(Object.keys(rules).map((rule) => [rule, HIGH])),
  ]);
  const response = await fetch(`${controlUrl}/policies`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...policies, policies: Object.fromEntries(raised) }),
  });
  if (!response.ok) throw new Error(await response.text());
};

const pageLoad = async (line: SandboxLine): Promise<Load> => {
  const response = await fetch(`${line.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId: CLIENT, scopes: ["service:psapi", "service:leagues"] }),
  });
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return {
    url: `${line.baseUrl}/public-stash-tabs`,
    headers: { authorization: `Bearer ${access_token}` },
  };
};

const gzipLoad = async (line: SandboxLine): Promise<Load> => {
  const load = await pageLoad(line);
  return { ...load, headers: { ...load.headers, "accept-encoding": "gzip" } };
};

/** The first twenty pages in turn, as many followers at different places ask. */
const turnLoad = async (line: SandboxLine): Promise<Load> => {
  const load = await pageLoad(line);
  const urls: Array<string> = [];
  let id = "";
  while (urls.length < 20) {
    const url = load.url + id;
    const page = await fetch(url, { headers: load.headers ?? {} });
    urls.push(url);
    id = `?id=${((await page.json()) as { readonly next_change_id: string }).next_change_id}`;
  }
  return { ...load, urls };
};

const profileLoad = async (line: SandboxLine): Promise<Load> => {
  const response = await fetch(`${line.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId: "example-web", scopes: ["account:profile"] }),
  });
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return {
    url: `${line.baseUrl}/profile`,
    headers: { authorization: `Bearer ${access_token}` },
  };
};

const megabytes = (bytes: number) => bytes / 2 ** 20;

/** Memory after `SOAK` requests. */
const soak = async (server: Served<unknown>, load: Load): Promise<number> => {
  await send(load, SOAK);
  return server.residentBytes();
};

const secretOf = ({ clients }: SandboxLine): string => {
  const secret = clients.find(({ clientId }) => clientId === CLIENT)?.clientSecret;
  if (secret === undefined) throw new Error(`${CLIENT} has no secret`);
  return secret;
};

/** A sandbox whose limits no load meets. */
const startUnlimited = async (): Promise<Served<SandboxLine>> => {
  const sandbox = await startSandbox();
  await raiseLimits(sandbox.line.controlUrl);
  return sandbox;
};

const tokensOf = ({ line }: Served<SandboxLine>): Load =>
  tokenLoad(`${line.authUrl}/oauth/token`, secretOf(line));
const oidcTokensOf = ({ line }: Served<PeerLine>): Load =>
  tokenLoad(`${line.url}/token`, "example-secret");

const measureStart = async (): Promise<void> => {
  const sandbox = await startUnlimited();
  const tokens = tokensOf(sandbox);
  const started = await starts({
    ours: startSandbox,
    oidc: startOidcProvider,
    bare: () => startBare(tokens),
  });
  await sandbox.stop();
  for (const [name, key] of [
    ["start-up", "wall"],
    ["start-up, CPU", "cpu"],
  ] as const)
    report(name, "ms", started["ours"]![key], {
      "oidc-provider": started["oidc"]![key],
      "bare node:http": started["bare"]![key],
    });
};

const measureTokens = async (): Promise<void> => {
  const sandbox = await startUnlimited();
  const oidc = await startOidcProvider();
  const tokens = tokensOf(sandbox);
  const bare = await startBare(tokens);
  const measured = await compare(
    {
      ours: { load: tokens, server: sandbox },
      oidc: { load: oidcTokensOf(oidc), server: oidc },
      bare: { load: atBare(tokens, bare), server: bare },
    },
    TOKENS_PER_ROUND,
  );
  reportAll("token endpoint", measured, { oidc: "oidc-provider", bare: "bare node:http" });
  for (const server of [sandbox, oidc, bare]) await server.stop();
};

const measureBesideBare = async (
  name: string,
  loadOf: (line: SandboxLine) => Promise<Load>,
  perRound: number,
): Promise<void> => {
  const sandbox = await startUnlimited();
  const load = await loadOf(sandbox.line);
  const bare = await startBare(load);
  const measured = await compare(
    {
      ours: { load, server: sandbox },
      bare: { load: atBare(load, bare), server: bare },
    },
    perRound,
  );
  reportAll(name, measured, { bare: "bare node:http" });
  for (const server of [sandbox, bare]) await server.stop();
};

const measureMemory = async (): Promise<void> => {
  const sandbox = await startUnlimited();
  const oidc = await startOidcProvider();
  const tokens = tokensOf(sandbox);
  const bare = await startBare(tokens);
  report("memory after 10 000 requests", "MB", megabytes(await soak(sandbox, tokens)), {
    "bare node:http": megabytes(await soak(bare, atBare(tokens, bare))),
    "oidc-provider": megabytes(await soak(oidc, oidcTokensOf(oidc))),
  });
  for (const server of [sandbox, oidc, bare]) await server.stop();
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
  const { rate } = await send(tokensOf(sandbox), 4_000, 200);
  const closed = idle.filter(({ destroyed }) => destroyed).length;
  for (const socket of idle) socket.destroy();
  if (errors.length + closed > 0) throw new Error(`${errors.length} errors, ${closed} closed`);
  report("200 clients, 2,000 idle sockets", "requests/s", rate, {});
  await sandbox.stop();
};

/** Each part starts servers of its own and lasts less than a minute on a quiet machine. */
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  start: measureStart,
  token: measureTokens,
  profile: () => measureBesideBare("profile", profileLoad, TOKENS_PER_ROUND),
  page: async () => {
    await measureBesideBare("stream page", pageLoad, PAGES_PER_ROUND);
    await measureBesideBare("stream page, gzip", gzipLoad, PAGES_PER_ROUND);
    await measureBesideBare("twenty stream pages in turn", turnLoad, PAGES_PER_ROUND);
  },
  memory: measureMemory,
  clients: measureClients,
};

await bundleProgram(join(import.meta.dirname, PROGRAM));
const at = process.argv.indexOf("--part");
const wanted = at < 0 ? Object.keys(PARTS) : [process.argv[at + 1] ?? ""];
for (const name of wanted) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`--part is one of ${Object.keys(PARTS).join(", ")}`);
  await part();
}
