/**
 * OpenAPI documents and pages to read them: `/docs` for the service, `/docs/control` for the
 * control plane.
 *
 * The pages are Scalar's, with its script inside the page. Nothing is loaded from elsewhere, and a
 * content security policy sees to that. The script is three megabytes, so a page is made when it is
 * first asked for, not when the sandbox starts.
 */
import { GameDataApi } from "@game-data/contract";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import type * as HttpApi from "effect/http-api/HttpApi";
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiScalar from "effect/http-api/HttpApiScalar";
import * as OpenApi from "effect/http-api/OpenApi";
import { SandboxConfig } from "../Config.ts";
import { DocumentedControlApi } from "./TestHelpersApi.ts";

const PAGE_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

const DocumentedApi = GameDataApi.annotateMerge(
  OpenApi.annotations({
    title: "Game Data API",
    description: "The OAuth server and the data API, as this sandbox serves them.",
  }),
);

/** The documentation's routes. */
export const DocsRoutes: Layer.Layer<never, never, HttpRouter.HttpRouter | SandboxConfig> =
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { authUrl, baseUrl, controlUrl } = yield* SandboxConfig;
      const service = located(DocumentedApi, baseUrl, authUrl);
      const control = located(DocumentedControlApi, new URL(controlUrl).origin);
      const ofService = yield* Effect.cached(Effect.sync(() => OpenApi.fromApi(service)));
      const ofControl = yield* Effect.cached(Effect.sync(() => OpenApi.fromApi(control)));
      const servicePage = yield* Effect.cached(
        scalarPage(service, { hideTestRequestButton: true }),
      );
      const controlPage = yield* Effect.cached(scalarPage(control, {}));
      yield* router.add("GET", "/openapi.json", Effect.map(ofService, json));
      yield* router.add("GET", "/control/openapi.json", Effect.map(ofControl, json));
      yield* router.add("GET", "/docs", Effect.map(servicePage, html));
      yield* router.add("GET", "/docs/control", Effect.map(controlPage, html));
    }),
  );

const json = (document: unknown) => HttpServerResponse.jsonUnsafe(document);

const html = (page: string) =>
  HttpServerResponse.html(page).pipe(HttpServerResponse.setHeaders(PAGE_HEADERS));

/**
 * The API with its addresses here in its document and on its page; the OAuth server has one of its
 * own.
 */
const located = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  url: string,
  authUrl = url,
): HttpApi.HttpApi<Id, Groups> => {
  const before = Context.getOrUndefined(api.annotations, OpenApi.Transform);
  return api.annotateMerge(
    OpenApi.annotations({
      transform: (document) =>
        withServers((before?.(document) ?? document) as OpenApi.OpenAPISpec, url, authUrl),
    }),
  );
};

const withServers = (document: OpenApi.OpenAPISpec, url: string, authUrl: string) => ({
  ...document,
  servers: [{ url }],
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      path.startsWith("/oauth/") ? { ...item, servers: [{ url: authUrl }] } : item,
    ]),
  ),
});

/**
 * Options of Scalar that Effect's type does not list: no bar and button that lead to Scalar's own
 * services, and no telemetry.
 */
const QUIET: object = {
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  telemetry: false,
};

/**
 * Scalar's page, made by a router of its own: the layer would read the script as soon as it is
 * built.
 */
const scalarPage = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  config: HttpApiScalar.ScalarConfig,
): Effect.Effect<string> =>
  Effect.promise(async () => {
    const scalar = HttpApiScalar.layer(api, {
      path: "/docs",
      scalar: { ...QUIET, showOperationId: true, ...config },
    });
    const { dispose, handler } = HttpRouter.toWebHandler(scalar, { disableLogger: true });
    const page = await handler(new Request("http://localhost/docs"));
    const text = await page.text();
    await dispose();
    return text;
  });
