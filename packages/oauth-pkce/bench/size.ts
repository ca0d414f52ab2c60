/**
 * What the package adds to an app that already has Effect's HttpClient and Schema: gzipped bytes of
 * the difference.
 *
 * The app that is compared with makes a JSON request and decodes its answer, with a timeout, a
 * typed error, a secret, a background fiber and a lock: what a client of the data API holds anyway.
 * It also holds the memory store. The budget is for the protocol without the loopback receiver,
 * stores, and what stands on them: both client types, `start`, `validateCallback`, `exchange` and a
 * refresh. `Session`, which keeps its tokens in a store, has a budget of its own; the other figures
 * say what comes on top.
 *
 * `node bench/size.ts [--json]`; exits 1 above a budget. Without `--json` it also lists the
 * minified bytes by module.
 */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Bytes up to and with each of these steps. */
const BUDGETS: Readonly<Record<string, number>> = { "one refresh": 4_000, Session: 4_700 };

/** What the data client needs anyway. */
const APP = `
import { Clock, Context, Deferred, Duration, Effect, Layer, Redacted, Schema, Semaphore, Stream, Struct } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpBody from "effect/http/HttpBody";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import { memory } from "@game-data/oauth-pkce/TokenStore";
const Body = Schema.Struct({ id: Schema.String, at: Schema.optionalKey(Schema.NullOr(Schema.Number)), tags: Schema.Array(Schema.String), kind: Schema.Union([Schema.Number, Schema.Literals(["a", "b"])]), secret: Schema.RedactedFromValue(Schema.String) });
class Failed extends Schema.TaggedError()("Failed", { status: Schema.Number, sent: Schema.Boolean }) {}
const Json = Schema.fromJsonString(Body);
class Body2 extends HttpBody.Uint8Array {}
export const app = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient;
  const now = yield* Clock.currentTimeMillis;
  const request = HttpClientRequest.bearerToken(HttpClientRequest.post("https://a.example/b", { acceptJson: true, body: new Body2(undefined, "a", now) }), Redacted.make("t"));
  const response = yield* client.execute(request).pipe(Effect.timeoutOrElse({ duration: Duration.seconds(1), orElse: () => new Failed({ status: 1, sent: true }) }));
  yield* response.stream.pipe(Stream.runForEach(() => Effect.void));
  const deferred = Deferred.makeUnsafe();
  yield* Effect.forkDetach(Effect.onExit(Effect.void, (exit) => Deferred.done(deferred, exit)));
  return [Schema.decodeUnknownResult(Json)(yield* response.text), Schema.encodeSync(Json), Struct.omit, Semaphore.makeUnsafe(1), yield* Deferred.await(deferred)];
}).pipe(Effect.provide(FetchHttpClient.layer), Effect.catchTag("HttpClientError", () => Effect.void), Effect.fn("x")(function* () {}));
export const service = Context.Reference("x", { defaultValue: () => Layer.empty });
export const store = memory;
`;

/** What a program takes; each step on top of those before it. */
const STEPS = {
  "start, validateCallback, exchange": `
export { publicClient, confidentialClient } from "@game-data/oauth-pkce/OAuthClient";
export { start, validateCallback, exchange } from "@game-data/oauth-pkce/PkceFlow";`,
  "one refresh": `export { request as refresh } from "@game-data/oauth-pkce/RefreshGrant";`,
  Session: `export { forUser } from "@game-data/oauth-pkce/Session";`,
  "client credentials": `export { request as credentials } from "@game-data/oauth-pkce/ClientCredentials";
export { forApplication } from "@game-data/oauth-pkce/Session";`,
  "revoke, introspect": `export { revoke, using } from "@game-data/oauth-pkce/Revocation";
export { introspect } from "@game-data/oauth-pkce/Introspection";`,
};
const PROTOCOL: keyof typeof STEPS = "one refresh";
const COUNTED: keyof typeof STEPS = "Session";

const bundle = async (contents: string) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const modules = Object.values(metafile.outputs)[0]?.inputs ?? {};
  return {
    size: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length,
    bytesOf: (module: string) => modules[module]?.bytesInOutput ?? 0,
    modules: Object.keys(modules),
  };
};

const app = await bundle(APP);
let program = APP;
let before = app.size;
let counted = app;
const steps: Record<string, number> = {};
const sums: Record<string, number> = {};
for (const [step, source] of Object.entries(STEPS)) {
  program += source;
  const grown = await bundle(program);
  steps[step] = grown.size - before;
  sums[step] = grown.size - app.size;
  before = grown.size;
  if (step === COUNTED) counted = grown;
}
const ours = sums[PROTOCOL] ?? 0;
const isWithin = Object.entries(BUDGETS).every(([step, budget]) => (sums[step] ?? 0) <= budget);

if (process.argv.includes("--json")) {
  const figure = {
    name: "oauth-pkce over HttpClient",
    unit: "B gzip",
    ours,
    peers: { app: app.size, ...steps },
    ratio: ours / (BUDGETS[PROTOCOL] ?? 0),
  };
  console.log(JSON.stringify(figure));
} else {
  console.log(`${ours} B gzipped over an app of ${app.size} B\n`);
  for (const [step, size] of Object.entries(steps)) {
    const budget = BUDGETS[step];
    const told = budget === undefined ? "" : ` (up to here ${sums[step]} B of ${budget} B)`;
    console.log(`${String(size).padStart(6)} B gzipped  ${step}${told}`);
  }
  const grown = counted.modules
    .map((module) => ({ module, bytes: counted.bytesOf(module) - app.bytesOf(module) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const isEffect = ({ module }: { readonly module: string }) => module.includes("node_modules");
  const sum = (list: typeof grown) => list.reduce((total, { bytes }) => total + bytes, 0);
  console.log(
    `\nminified: ${sum(grown.filter((m) => !isEffect(m)))} B of ours, ${sum(grown.filter(isEffect))} B more of effect`,
  );
  for (const { module, bytes } of grown)
    if (!isEffect({ module }) && bytes > 0)
      console.log(`${String(bytes).padStart(6)} B  ${module}`);
}
process.exitCode = isWithin ? 0 : 1;
