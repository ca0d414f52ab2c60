/**
 * The control plane: everything about a running sandbox that a test may want to change or see.
 *
 * It has an address of its own, so that the API under test stays clean. On loopback it has no
 * authentication: an `Origin`, which browsers send with everything that changes something, has to
 * be the control plane's own, and programs send none. No CORS header is ever sent. Beyond loopback
 * every request carries the control key as a bearer token.
 *
 * Documents are strict: an unknown member, endpoint, client or account is 400 with its place. The
 * console, a page at `/`, is static: it holds nothing of a sandbox and asks the control plane for
 * everything, with the key of its address's fragment where there is one.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServer from "effect/http/HttpServer";
import { HttpServerRequest } from "effect/http/HttpServerRequest";
import * as Response from "effect/http/HttpServerResponse";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import * as Layer from "effect/Layer";
import type { SandboxState } from "../State.ts";
import { type Incoming, splitUrl } from "../http/Exchange.ts";
import { type HostCheck, makeHostCheck } from "../http/hostCheck.ts";
import { timingSafeEqual } from "../internal/encoding.ts";
import { flatten } from "../internal/issues.ts";
import type { Server } from "../Server.ts";
import { healthHandlers, signInHandlers, worldHandlers } from "./accessHandlers.ts";
import { ControlApi, Strict } from "./Api.ts";
import { checkBody, findEndpoints, requestOf } from "./incoming.ts";
import { journalHandlers } from "./journalHandlers.ts";
import { type ControlContext, refusal } from "./respond.ts";
import { makeScenarios } from "./scenarios.ts";
import { clockHandlers, stateHandlers } from "./stateHandlers.ts";
import { faultHandlers, policyHandlers, scenarioHandlers } from "./trafficHandlers.ts";

type Answer = Response.HttpServerResponse;

/** Makes the function that answers requests to the control plane. */
export const makeControlPlane = Effect.fnUntraced(function* (
  state: SandboxState,
  server: Server,
  hasDocuments: boolean,
) {
  const { config } = state;
  const checkHost = makeHostCheck(config, config.hosts);
  const scenarios = yield* makeScenarios(server, (incoming) => answer(incoming));
  const router = yield* routerOf({ state, server, scenarios });

  /** Answers a request to an endpoint. */
  const answer = (incoming: Incoming): Effect.Effect<Answer> => {
    const endpoints = findEndpoints(splitUrl(incoming.url)[0]);
    const endpoint = endpoints.find(({ method }) => method === incoming.method);
    if (endpoint === undefined) return Effect.succeed(notFound(endpoints));
    const misfit = checkBody(endpoint, incoming.body);
    if (misfit !== undefined) return Effect.succeed(problem(400, misfit.reason, misfit.issues));
    return router.pipe(
      Effect.provideService(HttpServerRequest, requestOf(incoming)),
      Effect.scoped,
      Effect.map(Response.setHeader("cache-control", "no-store")),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(
              Effect.logError("a request to the control plane failed", cause),
              problem(500, "the sandbox failed to answer; its log says why"),
            ),
      ),
    );
  };

  return Effect.fnUntraced(function* (incoming: Incoming) {
    const [path] = splitUrl(incoming.url);
    const isPage = incoming.method === "GET" && CONSOLE.has(path);
    const isOpen = isPage || path === "/control/health";
    const refused = refusalOf(incoming.headers, checkHost, isOpen ? undefined : config.controlKey);
    if (refused !== undefined) return refused;
    if (isPage) {
      const { consolePage } = yield* Effect.promise(() => import("../console/page.ts"));
      return consolePage(path);
    }
    if (incoming.method !== "GET" || !DOCUMENTS.has(path)) return yield* answer(incoming);
    if (!hasDocuments) return problem(404, "this sandbox was started without its documentation");
    const { document } = yield* Effect.promise(() => import("./docs.ts"));
    return Response.jsonUnsafe(document(path, config));
  });
});

/** The endpoints' answers, built from the table. */
const routerOf = (context: ControlContext) =>
  HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(ControlApi).pipe(
      Layer.provide([
        clockHandlers(context),
        stateHandlers(context),
        faultHandlers(context),
        policyHandlers(context),
        scenarioHandlers(context),
        journalHandlers(context),
        signInHandlers(context),
        worldHandlers(context),
        healthHandlers(context),
      ]),
      Layer.provide(strict),
      Layer.provide(HttpServer.layerServices),
    ),
  );

/** Parameters of a query have `?name` as their place, members of a body a JSON Pointer. */
const strict = HttpApiMiddleware.layerSchemaErrorTransform(Strict, ({ cause, kind }) =>
  Effect.fail(
    refusal(
      flatten(cause.issue).map((issue) =>
        kind === "Query" ? { ...issue, pointer: issue.pointer.replace(/^\//u, "?") } : issue,
      ),
    ),
  ),
);

const problem = (status: number, reason: string, issues?: ReadonlyArray<object>): Answer =>
  Response.jsonUnsafe(
    { reason, ...(issues !== undefined && { issues }) },
    { status, headers: { "cache-control": "no-store" } },
  );

const notFound = (endpoints: ReadonlyArray<{ readonly method: string }>): Answer => {
  const allow = endpoints.map(({ method }) => method).join(", ");
  return allow === ""
    ? problem(404, "no such path; /control/openapi.json lists what there is")
    : Response.setHeader(problem(405, `use ${allow}`), "allow", allow);
};

const DOCUMENTS: ReadonlySet<string> = new Set(["/openapi.json", "/control/openapi.json"]);

const CONSOLE: ReadonlySet<string> = new Set(["/", "/console.js", "/console.css"]);

/**
 * Refuses a request under a foreign name, from a page of another origin, or without the key, where
 * one is asked for.
 */
const refusalOf = (
  headers: Incoming["headers"],
  checkHost: HostCheck,
  key: string | undefined,
): Answer | undefined => {
  const host = checkHost(headers["host"]);
  if (host.refused !== undefined) return problem(421, host.refused);
  const { authorization = "", origin } = headers;
  if (origin !== undefined && origin !== host.origin)
    return problem(403, "web pages of other origins may not use the control plane");
  const sent = /^bearer +(\S+) *$/iu.exec(authorization)?.[1] ?? "";
  if (key === undefined || timingSafeEqual(sent, key)) return undefined;
  return Response.setHeader(
    problem(401, "send the control key as a bearer token"),
    "www-authenticate",
    "Bearer",
  );
};
