/**
 * What the package adds to an app that already has Effect's HttpClient and Schema: gzipped bytes of the difference.
 *
 * Without loopback receiver and stores, as `./node` is an entry of its own. `node bench/size.ts [--json]`; exits 1 above
 * the budget.
 */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const BUDGET = 4_000;

/** What the data client needs anyway. */
const APP = `
import { Clock, Context, Deferred, Duration, Effect, Layer, Redacted, Schema, Semaphore, Stream, Struct } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpBody from "effect/http/HttpBody";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
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
`;

const OURS = `
export { OAuthClient, PkceFlow, ClientCredentials, RefreshGrant, Revocation, Introspection, Session } from "@game-data/oauth-pkce";
`;

const size = async (contents: string) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    write: false,
    logLevel: "error",
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
};

const app = await size(APP);
const both = await size(APP + OURS);
const ours = both - app;
const figure = {
  name: "oauth-pkce over HttpClient",
  unit: "B gzip",
  ours,
  peers: { app },
  ratio: ours / BUDGET,
};
console.log(
  process.argv.includes("--json")
    ? JSON.stringify(figure)
    : `${ours} B gzipped over an app of ${app} B (budget ${BUDGET} B)`,
);
process.exitCode = ours <= BUDGET ? 0 : 1;
