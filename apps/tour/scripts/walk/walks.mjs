// The walks of docs/architecture.md as programs. Each opens what it needs, and returns a function
// that prepares a run and returns what is counted. A run must do all the work again, so it asks for
// something else where the sandbox keeps an answer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { GameApi } from "@game-data/api-client";
import { OAuthClient, PkceFlow } from "@game-data/oauth-pkce";
import { startSandbox } from "@game-data/sandbox";
import { controlOf } from "@game-data/sandbox/control";
import { Follower } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { LeaseSqlite, SinkSqlite } from "@game-data/stream-follower/sqlite";
import { decode } from "@game-data/tree-link";
import { Effect, Layer, ManagedRuntime } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { createLimiter } from "../../../../packages/rate-limit/src/index.ts";
import { startIndex } from "../../../stash-index/test/support/running.ts";

const NOW = "2026-03-01T12:00:00Z";

/** A sandbox in a process of its own: what runs in it is not counted. */
const sandboxBeside = async (stack) => {
  const folder = dirname(fileURLToPath(import.meta.resolve("@game-data/sandbox")));
  const args = [join(folder, "main.ts"), "--seed", "1", "--now", NOW];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  stack.defer(() => {
    child.kill();
    return once(child, "exit");
  });
  const [ready] = await once(createInterface(child.stdout), "line");
  const info = JSON.parse(ready);
  return { ...info, ...controlOf(info) };
};

/** A sandbox in this process. */
const sandboxHere = async (stack) => stack.use(await startSandbox({ seed: 1, now: NOW }));

/** The client's layer over a sandbox. */
const clientOf = async (sandbox, options) =>
  GameApi.layer({
    baseUrl: sandbox.baseUrl,
    credentials: await sandbox.token(options),
    userAgent: { clientId: "example-web", version: "1.0.0", contact: "walk@example.com" },
  }).pipe(Layer.provide(FetchHttpClient.layer));

/** GET of the data API, without a client that would be counted. */
const reader = async (sandbox, scopes) => {
  const headers = { authorization: `Bearer ${await sandbox.token({ scopes })}` };
  return async (path) => (await fetch(`${sandbox.baseUrl}${path}`, { headers })).json();
};

const stashesOfClient = async (stack) => {
  const sandbox = await sandboxBeside(stack);
  const runtime = ManagedRuntime.make(await clientOf(sandbox, { scopes: ["account:stashes"] }));
  stack.defer(() => runtime.dispose());
  const api = await runtime.runPromise(GameApi);
  return () => () => runtime.runPromise(api.stashes.all({ league: "Standard" }));
};

const stashesOfSandbox = async (stack) => {
  const read = await reader(await sandboxHere(stack), ["account:stashes"]);
  const realms = ["/console_a", "/console_b", ""];
  return () => {
    const path = `/stash${realms.shift()}/Standard`;
    return async () => {
      const { stashes } = await read(path);
      await Promise.all(stashes.map(({ id }) => read(`${path}/${id}`)));
    };
  };
};

/** A consent of a public client, up to the redirect. */
const consent = async (sandbox) => {
  const { authUrl } = sandbox;
  const redirectUri = "http://127.0.0.1:8765/callback";
  const clientId = "example-desktop";
  const client = await Effect.runPromise(
    OAuthClient.publicClient({ authUrl, clientId, redirectUri }),
  );
  const started = PkceFlow.start(client, { scopes: ["account:profile"] });
  const { pending, url } = await Effect.runPromise(started);
  const redirect = await sandbox.consent(url);
  const validated = PkceFlow.validateCallback(client, pending, redirect);
  const exchange = (callback) =>
    PkceFlow.exchange(client, callback).pipe(Effect.provide(FetchHttpClient.layer));
  return { exchange, validated };
};

const codeOfClient = async (stack) => {
  const sandbox = await sandboxBeside(stack);
  return async () => {
    const { exchange, validated } = await consent(sandbox);
    return () => Effect.runPromise(Effect.flatMap(validated, exchange));
  };
};

const codeOfSandbox = async (stack) => {
  const sandbox = await sandboxHere(stack);
  return async () => {
    const { exchange, validated } = await consent(sandbox);
    const callback = await Effect.runPromise(validated);
    return () => Effect.runPromise(exchange(callback));
  };
};

const page = async (stack) => {
  const options = { clientId: "example-service", scopes: ["service:psapi"] };
  const api = await clientOf(await sandboxBeside(stack), options);
  const layers = Layer.mergeAll(
    SinkSqlite.layer({ path: ":memory:" }),
    LeaseSqlite.layer({ path: ":memory:" }),
    GameApiSource.layer.pipe(Layer.provide(api)),
  );
  return async () => {
    const runtime = ManagedRuntime.make(layers);
    stack.defer(() => runtime.dispose());
    await runtime.context();
    const run = Follower.run({ source: "stashes", realm: "pc", until: "caughtUp" });
    return () => runtime.runPromise(run);
  };
};

const decision = async () => {
  const route = "GET /tabs";
  const limiter = createLimiter();
  const headers = new Headers({
    "x-rate-limit-policy": "tabs",
    "x-rate-limit-rules": "account",
    "x-rate-limit-account": "30:60:60",
    "x-rate-limit-account-state": "1:60:0",
  });
  await limiter.run({ route }, () => ({ status: 200, headers }));
  return () => () => limiter.acquire({ route });
};

const link = () => () => () => decode("AAAABgMCAghnES0AAboaES0=");

const search = async (stack) => {
  const index = await startIndex();
  stack.defer(() => index.close());
  await index.settle();
  const words = ["ba", "ma", "ru"];
  return () => {
    const q = words.shift();
    return () => index.get("search", { league: "Standard", q, sort: "age" });
  };
};

const audit = async (stack) => {
  const sandbox = await sandboxHere(stack);
  const read = await reader(sandbox, ["account:profile"]);
  return async () => {
    await read("/profile");
    return () => sandbox.control("GET", "/audit");
  };
};

const item = async (stack) => {
  const read = await reader(await sandboxHere(stack), ["account:characters"]);
  const { characters } = await read("/character");
  return () => {
    const { name } = characters.shift();
    return () => read(`/character/${encodeURIComponent(name)}`);
  };
};

/**
 * The walks by the name in the page. `of`: where files are listed; other packages that run are named
 * in a line, and what `without` begins with is not looked at.
 */
export const WALKS = {
  page: { walk: page, of: ["stream-follower/"] },
  code: { walk: codeOfClient, of: ["oauth-pkce/"] },
  stashes: { walk: stashesOfClient, of: ["api-client/", "contract/", "rate-limit/", "schemas/"] },
  tabs: { walk: stashesOfSandbox, of: ["sandbox/", "contract/"] },
  token: { walk: codeOfSandbox, of: ["sandbox/"], without: ["oauth-pkce/"] },
  limiter: { walk: decision, of: ["rate-limit/"] },
  link: { walk: link, of: ["tree-link/"] },
  item: { walk: item, of: ["sandbox/src/world/"], without: ["sandbox/"] },
  audit: { walk: audit, of: ["sandbox/src/audit/"], without: ["sandbox/"] },
  // The follower and the indexer work meanwhile.
  search: { walk: search, of: ["stash-index/src/web/"], without: [""] },
};
