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
import type { ControlRequest } from "../audit/scenarios.ts";
import type { Core } from "../Core.ts";
import { type HostCheck, makeHostCheck } from "../http/hostCheck.ts";
import {
  controlError,
  empty,
  json,
  NO_STORE,
  pathOf,
  type RequestInput,
  type ResponseOutput,
  withHeaders,
} from "../http/messages.ts";
import { listenerOf } from "../http/routes.ts";
import type { Log } from "../internal/log.ts";
import { document } from "./docs.ts";
import { Router } from "../http/Router.ts";
import { timingSafeEqual, utf8 } from "../internal/encoding.ts";
import type { Service } from "../Service.ts";
import {
  type ControlRoute,
  failureResponse,
  INTERNAL,
  type Plane,
  readBody,
  readQuery,
  Refusal,
  Sent,
} from "./Route.ts";
import { controlRoutes } from "./routes.ts";
import { makeScenarios } from "./scenarios.ts";

const ROUTES = controlRoutes.map((route) => ({
  method: route.method,
  template: `/control${route.path.replaceAll(/\{(\w+)\}/gu, ":$1")}`,
  route,
}));

export const makeControlPlane = (
  core: Core,
  service: Service,
  log: Log,
  hasDocuments: boolean,
): ((request: RequestInput) => ResponseOutput) => {
  const { config } = core;
  const checkHost = makeHostCheck(config, config.hosts);
  const router = new Router(ROUTES);

  /** Answers a request to a route. Throws what the route refuses. */
  const answer = (request: RequestInput): ResponseOutput => {
    const path = pathOf(request.url);
    const isControl = listenerOf(path) === "control";
    const match = isControl ? router.find(request.method, path) : undefined;
    if (match !== undefined) return answerOf(match.route.route, plane, request, match.params);
    const allow = router.methods(path).join(", ");
    return allow === "" || !isControl
      ? controlError("no such path; /control/openapi.json lists what there is", 404)
      : withHeaders(controlError(`use ${allow}`, 405), { allow });
  };
  const perform = ({ body, method, path }: ControlRequest): void => {
    const bytes = utf8(body === undefined ? "" : JSON.stringify(body));
    const url = `/control${path}`;
    const sent = answer({ ...INTERNAL, method, url, body: bytes });
    if (sent.status < 400) return;
    const { reason } = JSON.parse(String(sent.body)) as { readonly reason: string };
    throw new Refusal(sent.status, reason);
  };
  const plane: Plane = {
    core,
    service,
    scenarios: makeScenarios(service, perform, log),
  };

  return (request) => {
    const path = pathOf(request.url);
    const isPage = request.method === "GET" && CONSOLE.has(path);
    const isOpen = isPage || path === "/control/health";
    const refused = refusalOf(request, checkHost, isOpen ? undefined : config.controlKey);
    if (refused !== undefined) return refused;
    if (isPage)
      return {
        ...empty(200),
        deferred: import("../console/page.ts").then(({ consoleFile }) => consoleFile(path)),
      };
    if (request.method === "GET" && DOCUMENTS.has(path)) {
      return hasDocuments
        ? { ...empty(200), deferred: document(path, config) }
        : controlError("this sandbox was started without its documentation", 404);
    }
    try {
      return answer(request);
    } catch (cause) {
      return failureResponse(cause, log);
    }
  };
};

const answerOf = (
  route: ControlRoute,
  plane: Plane,
  request: RequestInput,
  params: Readonly<Record<string, string>>,
): ResponseOutput => {
  const query = readQuery(request.url, route.query);
  const body = readBody(route.body, request);
  const value = route.handle(plane, { request, params, query, body });
  if (value instanceof Sent) return withHeaders(value.response, NO_STORE);
  return value === undefined ? empty(204) : json(value, route.status, NO_STORE);
};

const DOCUMENTS: ReadonlySet<string> = new Set(["/openapi.json", "/control/openapi.json"]);

const CONSOLE: ReadonlySet<string> = new Set(["/", "/console.js", "/console.css"]);

/**
 * Refuses a request under a foreign name, from a page of another origin, or without the key, where
 * one is asked for.
 */
export const refusalOf = (
  request: RequestInput,
  checkHost: HostCheck,
  key: string | undefined,
): ResponseOutput | undefined => {
  const host = checkHost(request.header("host"));
  if (host.refused !== undefined) return controlError(host.refused, 421);
  const origin = request.header("origin");
  if (origin !== undefined && origin !== host.origin)
    return controlError("web pages of other origins may not use the control plane", 403);
  const sent = /^bearer +(\S+) *$/iu.exec(request.header("authorization") ?? "")?.[1] ?? "";
  if (key === undefined || timingSafeEqual(sent, key)) return undefined;
  return withHeaders(controlError("send the control key as a bearer token", 401), {
    "www-authenticate": "Bearer",
  });
};
