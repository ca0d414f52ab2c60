/**
 * `/health`, `/health/live`, `/health/ready`, `/health/caught-up` and `/metrics`, computed from
 * `Status` on each request.
 *
 * Add `routes` to the `HttpRouter` of a program, or let `serve` listen on a port of its own. The
 * responses contain no secret. `serve` needs `@effect/platform-node`.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServer from "effect/http/HttpServer";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import * as Layer from "effect/Layer";
import * as Metric from "effect/Metric";
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics";
import type * as Scope from "effect/Scope";
import { createServer } from "node:http";
import { HealthServerFailed } from "./Errors.ts";
import { HOUR_SECONDS } from "./Model.ts";
import * as Status from "./Status.ts";

/** The report as 200 or 503. */
const health = (name: string, isGood: (report: Status.Report) => boolean) =>
  HttpRouter.add(
    "GET",
    `/health${name}`,
    Effect.map(Status.report, (report) =>
      HttpServerResponse.text(toJson(report), {
        status: isGood(report) ? 200 : 503,
        contentType: "application/json",
        headers: { "cache-control": "no-store" },
      }),
    ),
  );

/** Positions become numbers; times stay milliseconds since 1970. */
const toJson = (report: Status.Report): string =>
  JSON.stringify(report, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );

const metrics = Effect.gen(function* () {
  for (const status of (yield* Status.report).streams) {
    const [source = "", realm = ""] = status.stream.split("/");
    yield* update(STREAM_GAUGES, status, { source, realm });
    for (const part of status.parts) {
      const labels = { source, realm, part: part.name };
      yield* update(PART_GAUGES, part, labels);
      const behind = distance(status, part);
      if (behind !== undefined) yield* update(READER_GAUGES, behind, labels);
    }
  }
  const text = yield* PrometheusMetrics.format();
  return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" });
});

type Gauges<Of> = Readonly<
  Record<string, readonly [description: string, value: (of: Of) => number]>
>;

const update = <Of>(gauges: Gauges<Of>, of: Of, labels: Readonly<Record<string, string>>) =>
  Effect.forEach(
    Object.entries(gauges),
    ([name, [description, value]]) => {
      const gauge = Metric.gauge(`game_data_follower_${name}`, { description });
      return Metric.update(Metric.withAttributes(gauge, labels), value(of));
    },
    { discard: true },
  );

const STREAM_GAUGES: Gauges<Status.StreamStatus> = {
  lag_seconds: [
    "Seconds since the last committed page arrived; 0 at the end of the stream, NaN on standby",
    ({ lagSeconds = NaN }) => lagSeconds,
  ],
  head_seq: ["Number of the last committed page", ({ headSeq }) => Number(headSeq)],
  caught_up: [
    "1 if everything that the service has is committed and applied",
    ({ isCaughtUp }) => Number(isCaughtUp),
  ],
  live: ["0 if starting the process again would help", ({ isLive }) => Number(isLive)],
  ready: [
    "1 if the store accepts work and the holder of the lease is known",
    ({ isReady }) => Number(isReady),
  ],
  held: [
    "1 if this process holds the stream",
    ({ holder, state }) => Number(holder === "us" && state !== "halted" && state !== "stopped"),
  ],
};

const PART_GAUGES: Gauges<Status.PartStatus> = {
  part_failures: ["Failed attempts of a part since its last success", ({ failures }) => failures],
  part_stuck: ["1 if an attempt of a part hangs", ({ state }) => Number(state === "stuck")],
};

const READER_GAUGES: Gauges<number> = {
  indexer_behind: [
    "Distance of a reader to the last committed page, in pages or hours",
    (behind) => behind,
  ],
};

const distance = ({ headSeq, stream }: Status.StreamStatus, { seq }: Status.PartStatus) => {
  const unit = stream.startsWith("exchange/") ? HOUR_SECONDS : 1;
  // A reader that has applied no page yet is not behind the hours before its first one.
  if (seq === undefined || (seq === 0n && unit > 1)) return undefined;
  return Math.trunc(Number(headSeq - seq) / unit);
};

/** The routes, for a router of your own. */
export const routes: Layer.Layer<never, never, HttpRouter.HttpRouter> = Layer.mergeAll(
  health("", ({ live }) => live),
  health("/live", ({ live }) => live),
  health("/ready", ({ ready }) => ready),
  health("/caught-up", ({ caughtUp }) => caughtUp),
  HttpRouter.add("GET", "/metrics", metrics),
);

/**
 * Serves the routes until the scope closes, and returns the address. By default it listens on a free
 * port of `127.0.0.1`.
 */
export const serve = Effect.fn("Health.serve")(function* ({
  host = "127.0.0.1",
  port = 0,
}: {
  readonly port?: number;
  readonly host?: string;
} = {}): Effect.fn.Return<string, HealthServerFailed, Scope.Scope> {
  const server = NodeHttpServer.layerServer(createServer, { host, port });
  const served = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true });
  const context = yield* Layer.build(Layer.provideMerge(served, server)).pipe(
    // A port out of range is thrown.
    Effect.catchCause((cause) => new HealthServerFailed({ cause: Cause.squash(cause) })),
  );
  return HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address);
});
