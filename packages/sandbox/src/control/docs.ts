/**
 * OpenAPI documents and pages to read them: `/docs` for the service, `/docs/control` for the
 * control plane.
 *
 * The pages are Scalar's, with its script inside the page. Nothing is loaded from elsewhere, and a
 * content security policy sees to that. Script and documents come with Effect, so this module is
 * loaded when somebody first asks for one of them.
 */
import { openApiDocument } from "@game-data/contract/server";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpApi from "effect/http-api/HttpApi";
import * as HttpApiScalar from "effect/http-api/HttpApiScalar";
import type { Addresses } from "../Config.ts";
import { json, type ResponseOutput } from "../http/messages.ts";
import { controlOpenApi } from "./openApi.ts";

/** The response to one of the four paths. */
export const document = async (path: string, addresses: Addresses): Promise<ResponseOutput> => {
  const isControl = path.startsWith("/control") || path.endsWith("/control");
  const spec = isControl
    ? controlOpenApi(new URL(addresses.controlUrl).origin)
    : serviceOpenApi(addresses);
  if (path.endsWith(".json")) return json(spec);
  return {
    status: 200,
    headers: { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8" },
    body: page(
      isControl ? "Control plane · Game Data sandbox" : "Game Data API",
      spec,
      await scalarScript(),
      isControl ? {} : { hideTestRequestButton: true },
    ),
  };
};

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

/** The service's document, with the addresses at which it is; the OAuth server has its own. */
const serviceOpenApi = ({ authUrl, baseUrl }: Addresses): object => {
  const spec = openApiDocument({ servers: { authUrl, baseUrl } });
  return {
    ...spec,
    info: {
      ...spec.info,
      title: "Game Data API",
      description: "The OAuth server and the data API, as this sandbox serves them.",
    },
  };
};

/** No bar and button that lead to Scalar's own services, no fonts, and no telemetry. */
const QUIET = {
  _integration: "html",
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  telemetry: false,
  showOperationId: true,
};

/** Darker secondary text than Scalar's own, for a contrast of 4.5 to 1 (WCAG 1.4.3). */
const STYLE = `
.light-mode { --scalar-color-2: #3f3f46; --scalar-color-3: #52525b; --scalar-color-green: #13693a;
  --scalar-color-orange: #8a4b00; --scalar-color-blue: #1d4ed8; --scalar-color-red: #b91c1c;
  --scalar-color-purple: #6b21a8; --scalar-color-yellow: #7a5b00 }
.dark-mode { --scalar-color-2: #d4d4d8; --scalar-color-3: #b4b4bd }`;

let script: Promise<string> | undefined;

/** Scalar's script, as Effect brings it: taken out of the page that Effect makes with it. */
const scalarScript = (): Promise<string> =>
  (script ??= (async () => {
    const layer = HttpApiScalar.layer(HttpApi.make("empty"), { path: "/docs" });
    const { dispose, handler } = HttpRouter.toWebHandler(layer, { disableLogger: true });
    const text = await (await handler(new Request("http://localhost/docs"))).text();
    await dispose();
    const begin = text.indexOf("<script>");
    return text.slice(begin, text.lastIndexOf("<script>"));
  })());

const page = (title: string, spec: object, source: string, config: object): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>${STYLE}</style>
  </head>
  <body>
    <main id="api-reference-container"></main>
    ${source}
    <script>
      window.Scalar.createApiReference(document.getElementById("api-reference-container"), ${escaped(
        { ...QUIET, ...config, content: spec },
      )})
    </script>
  </body>
</html>`;

/** JSON that cannot end its script element. */
const escaped = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
