/**
 * `pnpm bench sandbox [--json]`: requests a second at the token endpoint and on a page of the stash
 * stream, start-up time, and memory after 10 000 requests — beside oidc-provider, and beside a bare
 * node:http server that sends the very same bytes.
 *
 * Every server has a process of its own; rounds alternate between them and the best round of each
 * counts, so that what else the machine does hits all of them. Rate limits are on and set high:
 * they are part of what a request costs.
 */
import { type Load, requestsPerSecond } from "./load.ts";
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

const ROUNDS = 3;
const TOKENS_PER_ROUND = 1500;
const PAGES_PER_ROUND = 300;
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

/** The bytes of one answer, for the bare server. */
const capture = async ({ body, headers, method, url }: Load) => {
  const response = await fetch(url, {
    ...(method === undefined ? {} : { method }),
    headers: { ...headers, "accept-encoding": "identity" },
    ...(body === undefined ? {} : { body }),
  });
  const skipped = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !skipped.has(name))),
    body: Buffer.from(await response.arrayBuffer()).toString("base64"),
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

/** The best of several rounds for each server, in turns. */
const compare = async (
  loads: Readonly<Record<string, Load>>,
  perRound: number,
): Promise<Record<string, number>> => {
  const best: Record<string, number> = {};
  for (const load of Object.values(loads)) await requestsPerSecond(load, Math.ceil(perRound / 5));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, load] of Object.entries(loads))
      best[name] = Math.max(best[name] ?? 0, await requestsPerSecond(load, perRound));
  return best;
};

const startSandbox = () =>
  start<SandboxLine>("../src/main.ts", ["--port", "0", "--seed", "1", "--rates", "generous"]);

const startOidcProvider = () => start<PeerLine>("peers/oidc-provider.mjs", []);

const startBare = async (load: Load) => start<PeerLine>("peers/bare.mjs", [], await capture(load));

/** The fastest of three starts. */
const startMillis = async (make: () => Promise<Served<unknown>>): Promise<number> => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const server = await make();
    best = Math.min(best, server.startMillis);
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

const megabytes = (bytes: number) => bytes / 2 ** 20;

/** Memory after `SOAK` requests. */
const soak = async (server: Served<unknown>, load: Load): Promise<number> => {
  await requestsPerSecond(load, SOAK);
  return server.residentBytes();
};

const main = async (): Promise<void> => {
  const starts = {
    ours: await startMillis(startSandbox),
    oidc: await startMillis(startOidcProvider),
  };
  const sandbox = await startSandbox();
  const oidc = await startOidcProvider();
  await raiseLimits(sandbox.line.controlUrl);
  const secret = sandbox.line.clients.find(({ clientId }) => clientId === CLIENT)?.clientSecret;
  if (secret === undefined) throw new Error(`${CLIENT} has no secret`);

  const tokens = tokenLoad(`${sandbox.line.authUrl}/oauth/token`, secret);
  const oidcTokens = tokenLoad(`${oidc.line.url}/token`, "example-secret");
  const page = await pageLoad(sandbox.line);
  const bareTokens = await startBare(tokens);
  const barePage = await startBare(page);
  const servers = [sandbox, oidc, bareTokens, barePage];

  report("start-up", "ms", starts.ours, {
    "oidc-provider": starts.oidc,
    "bare node:http": bareTokens.startMillis,
  });
  const tokenRates = await compare(
    { ours: tokens, oidc: oidcTokens, bare: { ...tokens, url: bareTokens.line.url } },
    TOKENS_PER_ROUND,
  );
  report("token endpoint", "requests/s", tokenRates["ours"] ?? 0, {
    "oidc-provider": tokenRates["oidc"] ?? 0,
    "bare node:http": tokenRates["bare"] ?? 0,
  });
  const pageRates = await compare(
    { ours: page, bare: { ...page, url: barePage.line.url } },
    PAGES_PER_ROUND,
  );
  report("stream page", "requests/s", pageRates["ours"] ?? 0, {
    "bare node:http": pageRates["bare"] ?? 0,
  });
  const memory = await soak(sandbox, tokens);
  report("memory after 10 000 requests", "MB", megabytes(memory), {
    "oidc-provider": megabytes(await soak(oidc, oidcTokens)),
    "bare node:http": megabytes(await soak(bareTokens, { ...tokens, url: bareTokens.line.url })),
  });
  // Reads leave nothing behind. (Tokens do, here: they are kept until they expire. oidc-provider's
  // adapter keeps the newest 1000.)
  const leagues = { ...page, url: `${sandbox.line.baseUrl}/league?limit=5` };
  const warm = await soak(sandbox, leagues);
  report("growth over 10 000 reads", "MB", megabytes((await soak(sandbox, leagues)) - warm), {});
  for (const server of servers) await server.stop();
};

await main();
