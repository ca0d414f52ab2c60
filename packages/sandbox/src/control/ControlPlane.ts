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
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { controlError, misdirectedRequest, unknownPath } from "../http/fallbacks.ts";
import { type HostCheck, makeHostCheck } from "../http/hostCheck.ts";
import { listenerOf } from "../http/Listener.ts";
import { empty, json, pathOf, type RequestInput, type ResponseOutput } from "../http/messages.ts";
import { Router } from "../http/Router.ts";
import { timingSafeEqual } from "../internal/encoding.ts";
import type { Service } from "../Service.ts";
import { accessRoutes } from "./accessRoutes.ts";
import { editRoutes } from "./editRoutes.ts";
import { journalRoutes } from "./journalRoutes.ts";
import { type ControlRoute, failureResponse, route } from "./requests.ts";
import { scenarioRoutes } from "./scenarioRoutes.ts";
import { stateRoutes } from "./stateRoutes.ts";
import { trafficRoutes } from "./traffic.ts";
import { worldRoutes } from "./worldRoutes.ts";

/** Builds the control plane of an application. */
export const makeControlPlane = (
  application: Core,
  service: Service,
  data: DataPart,
): ((request: RequestInput) => ResponseOutput) => {
  const { config, parts } = application;
  const checkHost = makeHostCheck(config, config.hosts);
  const { authUrl, baseUrl, controlUrl, seed } = config;

  const perform = (method: string, path: string, body: unknown): ResponseOutput =>
    answer({
      method,
      url: `/control${path}`,
      header: () => undefined,
      body: new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body)),
      ip: "",
      connection: "",
      hasSocket: false,
      listener: "control",
    });
  const scenarios = scenarioRoutes(service, perform, parts.log);

  const answer = answerer(
    new Router([
      ...stateRoutes(application, service, data, scenarios.clear),
      ...trafficRoutes(application, service, data),
      ...journalRoutes(application, service, data),
      ...accessRoutes(application, service),
      ...worldRoutes(application, data),
      ...editRoutes(application, data),
      ...scenarios.routes,
      route("GET", "/control/ready", () =>
        json({ ready: true, seed, authUrl, baseUrl, controlUrl }),
      ),
      route("GET", "/control/health", () => json({ status: "ok" })),
    ]),
    parts,
  );

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
    return answer(request);
  };
};

/** Answers a request that is let in: from a document, or a route. */
const answerer =
  (router: Router<ControlRoute>, { documents, log }: Core["parts"]) =>
  (request: RequestInput): ResponseOutput => {
    const path = pathOf(request.url);
    if (request.method === "GET" && DOCUMENTS.has(path)) {
      const deferred = documents?.(path);
      return deferred === undefined
        ? controlError("this sandbox was started without its documentation", 404)
        : { ...empty(200), deferred };
    }
    const isControl = listenerOf(path) === "control";
    const match = isControl ? router.find(request.method, path) : undefined;
    if (match === undefined) {
      const allow = router.methods(path).join(", ");
      return allow === "" || !isControl
        ? unknownPath("control", request)
        : { ...controlError(`use ${allow}`, 405), headers: { allow } };
    }
    try {
      return match.route.handle(request, match.params) ?? empty(204);
    } catch (cause) {
      return failureResponse(cause, log);
    }
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
  if (host.refused !== undefined) return misdirectedRequest("control", host.refused);
  const reason = rejectionReason(request.header("origin"), host.origin);
  if (reason !== undefined) return controlError(reason, 403);
  if (key === undefined || hasKey(request, key)) return undefined;
  const headers = { "content-type": "application/json", "www-authenticate": "Bearer" };
  return { ...controlError("send the control key as a bearer token", 401), headers };
};

/**
 * Returns why a request to the control plane is refused, or undefined. `own` is the origin under
 * which the request came.
 */
export const rejectionReason = (
  origin: string | undefined,
  own: string | undefined,
): string | undefined =>
  origin === undefined || origin === own
    ? undefined
    : "web pages of other origins may not use the control plane";

/** Whether a request carries the control key. */
const hasKey = (request: Pick<RequestInput, "header">, key: string): boolean =>
  timingSafeEqual(
    /^bearer +(\S+) *$/iu.exec(request.header("authorization") ?? "")?.[1] ?? "",
    key,
  );
