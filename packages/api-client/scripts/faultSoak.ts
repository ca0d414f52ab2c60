/**
 * Calls under fire: thousands of calls against a sandbox of which a fifth of the answers are broken
 * in every way it knows.
 *
 * Each call must end in the right value or in a right error, and nothing may be left over: sockets,
 * fibers, memory. `node scripts/faultSoak.ts [--calls 20000] [--json]`; also run, shorter, by the
 * tests.
 */
import { scopes } from "@game-data/contract";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { startSandbox } from "@game-data/sandbox";
import { Effect, Exit, Layer } from "effect";
import { GameApi } from "../src/index.ts";
import type { GameApiError } from "../src/index.ts";

/** The result of a soak. */
export interface SoakSummary {
  readonly calls: number;
  readonly values: number;
  readonly errors: Readonly<Record<string, number>>;
  /** Ends that should not be: wrong values, wrong errors, defects. */
  readonly wrong: ReadonlyArray<string>;
  readonly socketsLeft: number;
  readonly heapGrowthBytes: number;
  readonly seconds: number;
}

/** Faults and the errors that they may end in when retries do not help. */
const FAULTS: ReadonlyArray<{
  readonly fault: Record<string, unknown>;
  readonly may: ReadonlyArray<GameApiError["_tag"]>;
}> = [
  { fault: { kind: "status", status: 500 }, may: ["ServerError"] },
  { fault: { kind: "status", status: 503, retryAfter: 0 }, may: ["ServerError"] },
  { fault: { kind: "status", status: 400 }, may: ["InvalidRequest"] },
  { fault: { kind: "status", status: 401 }, may: ["Unauthorized"] },
  { fault: { kind: "status", status: 403 }, may: ["Forbidden"] },
  { fault: { kind: "status", status: 404 }, may: ["NotFound"] },
  { fault: { kind: "reset" }, may: ["TransportError"] },
  { fault: { kind: "truncate", atByte: 30 }, may: ["TransportError"] },
  { fault: { kind: "truncate", atByte: 30, ending: "reset" }, may: ["TransportError"] },
  { fault: { kind: "contentLength", differsBy: 7 }, may: ["TransportError", "Timeout"] },
  { fault: { kind: "contentLength", differsBy: -7 }, may: ["TransportError", "Timeout"] },
  { fault: { kind: "malformedJson", at: "head" }, may: ["ResponseMalformed"] },
  { fault: { kind: "malformedJson", at: "tail" }, may: ["ResponseMalformed", "TransportError"] },
  { fault: { kind: "dribble", bytes: 64, everyMilliseconds: 1 }, may: ["Timeout"] },
  { fault: { kind: "delay", milliseconds: 5, jitterMilliseconds: 20 }, may: [] },
  { fault: { kind: "hang" }, may: ["Timeout"] },
];

const garbageCollected = () => {
  (globalThis as { readonly gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
};

/** Sockets that connect to somebody. */
const sockets = () =>
  process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;

/** Runs `calls` calls. */
export const faultSoak = async (calls: number): Promise<SoakSummary> => {
  const sandbox = await startSandbox({ seed: 3 });
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${sandbox.controlUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const { access_token } = await post("/tokens", {
    clientId: "example-web",
    account: sandbox.accounts[0]?.name,
    scopes,
  });
  const share = 0.2 / FAULTS.length;
  for (const [index, { fault }] of FAULTS.entries()) {
    await post("/faults", {
      match: { endpoint: "profile" },
      when: { probability: share, seed: index + 1 },
      fault,
    });
  }
  const allowed = new Set<string>(FAULTS.flatMap(({ may }) => may));
  const errors: Record<string, number> = {};
  const wrong: Array<string> = [];
  let values = 0;
  const before = sockets();
  const begun = performance.now();
  let heapAfterWarmUp = 0;
  let heapAtEnd = 0;
  const layer = GameApi.layer({
    baseUrl: sandbox.baseUrl,
    credentials: String(access_token),
    userAgent: { clientId: "example-web", version: "1", contact: "dev@example.com" },
    timeout: "400 millis",
    retry: { base: "2 millis", cap: "10 millis", times: 1 },
    limiter: { maxInFlight: 32, maxClientErrors: calls * 4 },
  }).pipe(Layer.provide(NodeHttpClient.layerUndici));
  const one = (api: GameApi["Service"]) =>
    Effect.map(Effect.exit(api.profile.get()), (exit) => {
      if (Exit.isSuccess(exit)) {
        if (exit.value.uuid === sandbox.accounts[0]?.uuid) values++;
        else wrong.push(`value ${JSON.stringify(exit.value).slice(0, 100)}`);
        return;
      }
      const error = Exit.findErrorOption(exit);
      if (error._tag === "None") wrong.push(`defect ${String(exit.cause).slice(0, 300)}`);
      else {
        errors[error.value._tag] = (errors[error.value._tag] ?? 0) + 1;
        if (!allowed.has(error.value._tag))
          wrong.push(`${error.value._tag}: ${error.value.message}`);
      }
    });
  const some = (api: GameApi["Service"], count: number) =>
    Effect.forEach(Array.from({ length: count }), () => one(api), {
      concurrency: 32,
      discard: true,
    });
  await Effect.runPromise(
    Effect.gen(function* () {
      const api = yield* GameApi;
      const warmUp = Math.floor(calls / 4);
      yield* some(api, warmUp);
      heapAfterWarmUp = garbageCollected();
      yield* some(api, calls - warmUp);
      heapAtEnd = garbageCollected();
    }).pipe(Effect.provide(layer)),
  );
  const seconds = (performance.now() - begun) / 1000;
  await fetch(`${sandbox.controlUrl}/faults`, {
    method: "DELETE",
    headers: { connection: "close" },
  });
  await sandbox.close();
  // Closed sockets leave the list a turn later.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return {
    calls,
    values,
    errors,
    wrong: wrong.slice(0, 20),
    socketsLeft: Math.max(0, sockets() - before),
    heapGrowthBytes: heapAtEnd - heapAfterWarmUp,
    seconds,
  };
};

if (import.meta.main) {
  const at = process.argv.indexOf("--calls");
  const summary = await faultSoak(at === -1 ? 20_000 : Number(process.argv[at + 1]));
  console.log(JSON.stringify(summary));
  const ends =
    summary.values + Object.values(summary.errors).reduce((sum, count) => sum + count, 0);
  process.exit(
    summary.wrong.length === 0 && ends === summary.calls && summary.socketsLeft === 0 ? 0 : 1,
  );
}
