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

/** A sandbox that answers a fifth of the requests with faults, and a token for it. */
const startService = async () => {
  const sandbox = await startSandbox({ seed: 3 });
  const control = async (path: string, body?: unknown) => {
    const response = await fetch(`${sandbox.controlUrl}${path}`, {
      method: body === undefined ? "DELETE" : "POST",
      headers: { "content-type": "application/json", connection: "close" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json().catch(() => ({}))) as Record<string, unknown>;
  };
  const [account] = sandbox.accounts;
  const token = { clientId: "example-web", account: account?.name, scopes };
  const { access_token } = await control("/tokens", token);
  const probability = 0.2 / FAULTS.length;
  for (const [index, { fault }] of FAULTS.entries()) {
    const when = { probability, seed: index + 1 };
    await control("/faults", { match: { endpoint: "profile" }, when, fault });
  }
  const close = async () => {
    await control("/faults");
    await sandbox.close();
  };
  return { baseUrl: sandbox.baseUrl, uuid: account?.uuid, token: String(access_token), close };
};

/** Counts how calls end, and what must not be. */
const makeCounts = (uuid: string | undefined) => {
  const allowed = new Set<string>(FAULTS.flatMap(({ may }) => may));
  const counts = { values: 0, errors: {} as Record<string, number>, wrong: [] as Array<string> };
  const count = (exit: Exit.Exit<{ readonly uuid: string }, GameApiError>) => {
    if (Exit.isSuccess(exit)) {
      if (exit.value.uuid === uuid) counts.values++;
      else counts.wrong.push(`value ${JSON.stringify(exit.value).slice(0, 100)}`);
      return;
    }
    const error = Exit.findErrorOption(exit);
    if (error._tag === "None") {
      counts.wrong.push(`defect ${String(exit.cause).slice(0, 300)}`);
      return;
    }
    const { _tag, message } = error.value;
    counts.errors[_tag] = (counts.errors[_tag] ?? 0) + 1;
    if (!allowed.has(_tag)) counts.wrong.push(`${_tag}: ${message}`);
  };
  return { counts, count };
};

/** Runs `calls` calls. */
export const faultSoak = async (calls: number): Promise<SoakSummary> => {
  const service = await startService();
  const { count, counts } = makeCounts(service.uuid);
  const before = sockets();
  const begun = performance.now();
  const layer = GameApi.layer({
    baseUrl: service.baseUrl,
    credentials: service.token,
    userAgent: { clientId: "example-web", version: "1", contact: "dev@example.com" },
    timeout: "2 seconds",
    retry: { base: "2 millis", cap: "10 millis", times: 1 },
    limiter: { maxInFlight: 32, maxClientErrors: calls * 4 },
  }).pipe(Layer.provide(NodeHttpClient.layerUndici));
  const some = (api: GameApi["Service"], times: number) =>
    Effect.forEach(
      Array.from({ length: times }),
      () => Effect.map(Effect.exit(api.profile.get()), count),
      { concurrency: 32, discard: true },
    );
  const heapGrowthBytes = await Effect.runPromise(
    Effect.gen(function* () {
      const api = yield* GameApi;
      const warmUp = Math.floor(calls / 4);
      yield* some(api, warmUp);
      const afterWarmUp = garbageCollected();
      yield* some(api, calls - warmUp);
      return garbageCollected() - afterWarmUp;
    }).pipe(Effect.provide(layer)),
  );
  const seconds = (performance.now() - begun) / 1000;
  await service.close();
  // Closed sockets leave the list a turn later.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const socketsLeft = Math.max(0, sockets() - before);
  const wrong = counts.wrong.slice(0, 20);
  return { calls, ...counts, wrong, socketsLeft, heapGrowthBytes, seconds };
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
