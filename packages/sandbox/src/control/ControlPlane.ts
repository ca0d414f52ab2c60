/**
 * The control plane: everything about a running sandbox that a test may want to change or see.
 *
 * It has an address of its own, so that the API under test stays clean. On loopback it has no
 * authentication: an `Origin`, which browsers send with everything that changes something, has to
 * be the control plane's own, and programs send none. No CORS header is ever sent. Beyond loopback
 * every request carries the control key as a bearer token.
 *
 * Documents are strict: an unknown member, endpoint, client or account is 400 with its place. The
 * console, a page at `/`, is static: it holds nothing of a sandbox and requests everything from the
 * control plane, with the key of its address's fragment if there is one.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Headers from "effect/http/Headers";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServer from "effect/http/HttpServer";
import * as ServerRequest from "effect/http/HttpServerRequest";
import * as Response from "effect/http/HttpServerResponse";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import type { Incoming } from "../http/Exchange.ts";
import type { HostCheck } from "../http/origins.ts";
import { splitUrl } from "../http/routes.ts";
import { parseJson, timingSafeEqual, utf8, utf8Text } from "../internal/encoding.ts";
import { flatten } from "../internal/issues.ts";
import type { Server } from "../Server.ts";
import type { SandboxState } from "../State.ts";
import { ControlApi, Strict } from "./Api.ts";
import { accessHandlers, journalHandlers, setupHandlers } from "./handlers.ts";
import { refusal } from "./respond.ts";
import { makeScenarios } from "./scenarios.ts";

type Answer = Response.HttpServerResponse;

/** Makes the function that answers requests to the control plane. */
export const makeControlPlane = Effect.fnUntraced(function* (
  state: SandboxState,
  server: Server,
  hasDocuments: boolean,
) {
  const { config } = state;
  const scenarios = yield* makeScenarios(server, (incoming) => answer(incoming));
  const context = { state, server };
  const router = yield* HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(ControlApi).pipe(
      Layer.provide([
        setupHandlers(context, scenarios),
        journalHandlers(context),
        accessHandlers(context),
      ]),
      Layer.provide(strict),
      Layer.provide(HttpServer.layerServices),
    ),
  );

  /** Checks the address and the body of a request, and passes it to its endpoint. */
  const answer = (incoming: Incoming): Effect.Effect<Answer> => {
    const refused = addressProblem(incoming) ?? bodyProblem(incoming.body);
    if (refused !== undefined) return Effect.succeed(refused);
    return router.pipe(
      Effect.provideService(ServerRequest.HttpServerRequest, requestOf(incoming)),
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

  return Effect.fnUntraced(function* (received: Incoming) {
    const [path] = splitUrl(received.url);
    const isProbe = received.method === "HEAD" && path === "/control/health";
    const incoming = isProbe ? { ...received, method: "GET" } : received;
    const isPage = incoming.method === "GET" && CONSOLE.has(path);
    const isOpen = isPage || path === "/control/health";
    const refused = refusalOf(incoming.headers, server.checkHost, isOpen, config.controlKey);
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

const DOCUMENTS: ReadonlySet<string> = new Set(["/openapi.json", "/control/openapi.json"]);

const CONSOLE: ReadonlySet<string> = new Set(["/", "/console.js", "/console.css"]);

/** Reports invalid documents with places: `?name` in a query, a JSON Pointer in a body. */
const strict = HttpApiMiddleware.layerSchemaErrorTransform(Strict, ({ cause, kind }) =>
  Effect.fail(
    refusal(
      flatten(cause.issue).map((issue) =>
        kind === "Query" ? { ...issue, pointer: issue.pointer.replace(/^\//u, "?") } : issue,
      ),
    ),
  ),
);

const problem = (status: number, reason: string, headers: Record<string, string> = {}): Answer =>
  Response.jsonUnsafe({ reason }, { status, headers: { "cache-control": "no-store", ...headers } });

/**
 * Refuses a request with an unknown `Host`, from a page of another origin, or without a required
 * key. An open request (console, health) needs no key, and may come from a link of another site.
 */
const refusalOf = (
  headers: Incoming["headers"],
  checkHost: HostCheck,
  isOpen: boolean,
  key: string | undefined,
): Answer | undefined => {
  const host = checkHost(headers["host"]);
  if (host.refused !== undefined) return problem(421, host.refused);
  const { authorization = "", origin, "sec-fetch-site": site = "none" } = headers;
  const isForeign = !isOpen && site !== "none" && site !== "same-origin";
  if (isForeign || (origin !== undefined && origin !== host.origin))
    return problem(403, "web pages of other origins may not use the control plane");
  const sent = /^bearer +(\S+) *$/iu.exec(authorization)?.[1] ?? "";
  return isOpen || key === undefined || timingSafeEqual(sent, key)
    ? undefined
    : problem(401, "send the control key as a bearer token", { "www-authenticate": "Bearer" });
};

const ENDPOINTS = Object.values(ControlApi.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .map(({ method, path, query }) => ({
    method,
    takesQuery: query !== undefined,
    path: new RegExp(`^${path.replaceAll(/:\w+/gu, "[^/]+")}$`, "u"),
  }));

/**
 * Refuses an unknown path (404), an unknown method (405) and a query (400). The router would answer
 * 404 to an unknown method.
 */
const addressProblem = ({ method, url }: Incoming): Answer | undefined => {
  const [path, query] = splitUrl(url);
  const endpoints = ENDPOINTS.filter((one) => one.path.test(path));
  if (endpoints.length === 0)
    return problem(404, "no such path; /control/openapi.json lists what there is");
  const allow = endpoints.map((one) => one.method).join(", ");
  const endpoint = endpoints.find((one) => one.method === method);
  if (endpoint === undefined) return problem(405, `use ${allow}`, { allow });
  return query === "" || endpoint.takesQuery
    ? undefined
    : problem(400, `${method} ${path} has no query`);
};

const bodyProblem = (body: Uint8Array): Answer | undefined => {
  if (body.length === 0) return undefined;
  const text = utf8Text(body);
  if (text === undefined) return problem(400, "the body is not UTF-8");
  if (depthOf(text) > MAX_DEPTH)
    return problem(400, `the body is nested deeper than ${MAX_DEPTH} levels`);
  return parseJson(text) === undefined ? problem(400, "the body is not JSON") : undefined;
};

/** Makes the router's request. Any body is JSON, because `curl -d` names the type of a form. */
const requestOf = ({ body, connection, headers, method, url }: Incoming) => {
  const hasBody = method !== "GET" && method !== "DELETE";
  const request = new Request(`http://control${url}`, {
    method,
    ...(hasBody && { body: (body.length === 0 ? utf8("{}") : body) as Uint8Array<ArrayBuffer> }),
  });
  return ServerRequest.fromWeb(request).modify({
    headers: Headers.fromInput({ ...headers, "content-type": "application/json" }),
    remoteAddress: Option.some(connection.ip),
  });
};

/**
 * Deepest nesting of a document. Deeper values could overflow the stack, and no record has a tenth
 * of this depth.
 */
const MAX_DEPTH = 500;

/**
 * A JSON string. Also matches an unfinished string at the end, so that its brackets are not
 * counted.
 */
const STRINGS = /"(?:[^"\\]|\\.)*"?/gsu;

/** Returns the deepest nesting of a JSON text. */
const depthOf = (json: string): number => {
  let [depth, deepest] = [0, 0];
  for (const char of json.replaceAll(STRINGS, "")) {
    if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === "]" || char === "}") depth -= 1;
  }
  return deepest;
};
