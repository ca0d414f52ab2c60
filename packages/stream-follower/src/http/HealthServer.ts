/**
 * `/metrics` and `/health` as a small HTTP server, for Prometheus and for whatever restarts
 * processes.
 *
 * `/health/live`, `/health/ready` and `/health/caught-up` respond with 200 or 503; `/health`
 * answers the whole report. The server listens on loopback unless told otherwise, and tells nothing
 * but numbers and stream names.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics";
import { createServer, type ServerResponse } from "node:http";
import { HealthServerFailed } from "../Errors.ts";
import * as Parts from "../Parts.ts";
import * as Status from "../Status.ts";

/** Options of the server. */
export interface HealthServerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
}

/** Serves until the scope closes; gives the address. */
export const serve = (
  options: HealthServerOptions = {},
): Effect.Effect<string, HealthServerFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createServer((request, response) => {
          runPromise(handleRequest(request.url ?? "/"))
            .catch(() => BROKEN)
            .then((reply) => send(response, reply))
            // The caller hung up, or the response cannot be sent: nobody is left to be told.
            .catch(() => response.destroy());
        }),
      ),
      (open) =>
        Effect.callback<void>((resume) => {
          open.closeAllConnections();
          open.close(() => resume(Effect.void));
        }),
    );
    yield* Effect.callback<void, HealthServerFailed>((resume) => {
      const fail = (cause: unknown) => resume(Effect.fail(new HealthServerFailed({ cause })));
      server.once("error", fail);
      try {
        server.listen(options.port ?? 0, options.host ?? "127.0.0.1", () => resume(Effect.void));
      } catch (cause) {
        // A port that is none is thrown.
        fail(cause);
      }
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return `http://${options.host ?? "127.0.0.1"}:${port}`;
  });

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/**
 * A metric or a board of the program's own that throws is no reason to leave the caller waiting.
 */
const BROKEN: Reply = { status: 500, type: "application/json", body: "{}" };

/**
 * The reply to a request target, for programs that have a server of their own. A query says nothing
 * here and is passed over.
 */
export const handleRequest = (target: string): Effect.Effect<Reply> =>
  Effect.gen(function* () {
    const [path = ""] = target.split("?", 1);
    if (path === "/metrics") {
      const body = (yield* PrometheusMetrics.format()) + (yield* Parts.metricsText);
      return { status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body };
    }
    const report = yield* Parts.report;
    const verdicts: Readonly<Record<string, boolean>> = {
      "/health": report.live,
      "/health/live": report.live,
      "/health/ready": report.ready,
      "/health/caught-up": report.caughtUp,
    };
    const good = verdicts[path];
    if (good === undefined) return { status: 404, type: "application/json", body: "{}" };
    return { status: good ? 200 : 503, type: "application/json", body: Status.toJson(report) };
  });

const send = (response: ServerResponse, reply: Reply): void => {
  response.writeHead(reply.status, { "content-type": reply.type, "cache-control": "no-store" });
  response.end(reply.body);
};
