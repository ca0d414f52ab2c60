/**
 * The data API's routes: the contract's table with a handler for each endpoint.
 *
 * Every handler stands behind the same steps: access (§5, §7), parameters, the handler itself. Failures have the error shape of the contract.
 */
import { type ContractRoute, ErrorCode, type RouteName, ROUTES } from "../contract.ts";
import { dataError } from "../http/fallbacks.ts";
import { empty, type ResponseOutput } from "../http/messages.ts";
import type { RequestContext, Route } from "../http/Router.ts";
import type { Log } from "../internal/log.ts";
import { pages } from "../internal/PageCache.ts";
import { parseForm } from "../oauth/formBody.ts";
import { INVALID_TOKEN, OAUTH_FAILURES } from "../oauth/OAuthErrors.ts";
import { utf8, utf8Text } from "../internal/encoding.ts";
import { decodeParameters, type Parameters } from "./parameters.ts";
import type { WordsTranslation } from "./words.ts";

interface DataRequest {
  readonly context: RequestContext;
  /** Identifier of the account that the token names. */
  readonly sub: string;
  readonly params: Parameters;
  readonly query: Parameters;
}

/** Answers with a value, which is sent as JSON with status 200, or with a whole response. */
export type DataHandler = (request: DataRequest) => DataAnswer | KeptAnswer | ResponseOutput;

interface DataAnswer {
  readonly value: unknown;
  readonly status?: number;
}

/** A value that never changes under its key, and is made when nobody keeps its bytes. */
interface KeptAnswer {
  readonly cacheKey: string;
  readonly make: () => unknown;
}

/** Handlers by `group.endpoint`: one for each operation of the contract. */
export type DataHandlers = { readonly [Name in RouteName]: DataHandler };

/** The cache of bodies is the process's; a number tells its worlds apart. */
let worlds = 0;

export const dataRoutes = (deps: {
  readonly handlers: DataHandlers;
  readonly words: WordsTranslation | undefined;
  readonly log: Log;
}): ReadonlyArray<Route> => {
  const { handlers, log, words } = deps;
  const world = ++worlds;
  const written = writer(words);

  const answer = (
    name: RouteName,
    route: ContractRoute,
    context: RequestContext,
  ): ResponseOutput => {
    const refused = checkAccess(context, route.scopes);
    if (refused !== undefined) return refused;
    const decoded = decodeParameters(route, context.params, context.request.url);
    if ("problem" in decoded) return dataError(400, ErrorCode.InvalidQuery, decoded.problem);
    const sub = context.credentials.identity!.sub;
    const answered = handlers[name]({ ...decoded, context, sub });
    if ("headers" in answered) return answered;
    if (context.request.method === "HEAD") return HEADERS_ONLY;
    if ("make" in answered) {
      const cacheKey = `${world}/${answered.cacheKey}`;
      const bytes = pages.plain(cacheKey, () => utf8(written(name, answered.make())));
      return { ...bodyOf(bytes), cacheKey };
    }
    const { status = 200, value } = answered;
    return bodyOf(written(name, value), status);
  };

  return (Object.keys(ROUTES) as ReadonlyArray<RouteName>).flatMap((name) => {
    const route = ROUTES[name];
    return formsOf(name, route).map((template): Route => ({
      method: route.method,
      template,
      name,
      scopes: route.scopes,
      handle: (context) => {
        try {
          return answer(name, route, context);
        } catch (cause) {
          log("a request to the data API failed", cause);
          return dataError(500, ErrorCode.InternalError, "Internal error");
        }
      },
    }));
  });
};

/** Makes the writer of an endpoint's value: JSON in the deployment's words. */
const writer =
  (words: WordsTranslation | undefined) =>
  (name: RouteName, value: unknown): string =>
    JSON.stringify(words === undefined ? value : words.bodyToWire(name, value));

/** To `HEAD`: all headers, no content; nothing is computed for it. */
const HEADERS_ONLY = empty(204, { "cache-control": "no-store" });

const bodyOf = (body: string | Uint8Array, status = 200): ResponseOutput => ({
  status,
  headers: {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    vary: "Accept-Encoding",
  },
  body,
  mayCompress: true,
});

/**
 * The templates of an endpoint with an optional realm in its path. `/stash/console_a/x` is the list
 * of a console's league `x`, so the stash `x` of a `pc` league that is called `console_a` has a
 * form of its own, `/stash/pc/console_a/x`.
 */
export const formsOf = (
  name: string,
  { params = {}, path, pcWhen }: ContractRoute,
): ReadonlyArray<string> => {
  const isLast = path.endsWith("/:realm?");
  // An unknown realm at the end of a path is a wrong parameter, unless it may be a name there.
  if (!path.includes("/:realm?") || (isLast && name !== "characters.list")) return [path];
  const words = (params["realm"] as ReadonlyArray<string>).join("|");
  const forms = [path.replace("/:realm?", ""), path.replace("/:realm?", `/:realm(${words})`)];
  if (pcWhen !== undefined)
    forms.push(
      path.replace("/:realm?", "/:realm(pc)").replace(`:${pcWhen}`, `:${pcWhen}(${words})`),
    );
  return forms;
};

/**
 * Every data request carries an access token with the endpoint's scopes (§5, §7). A token in the
 * URL is not looked at; one in a form beside the header is refused (RFC 6750 §2).
 */
const checkAccess = (
  { credentials: { identity, isBearer }, request }: RequestContext,
  scopes: ReadonlyArray<string>,
): ResponseOutput | undefined => {
  if (identity === undefined) {
    const { BearerInvalid, BearerMissing } = OAUTH_FAILURES;
    return dataError(
      401,
      ErrorCode.Unauthorized,
      (isBearer ? BearerInvalid : BearerMissing).description,
      { "www-authenticate": isBearer ? INVALID_TOKEN : "Bearer" },
    );
  }
  if (carriesSecondToken(request.header("content-type") ?? "", request.body))
    return dataError(400, ErrorCode.InvalidQuery, "The request carries two access tokens.");
  const missing = scopes.filter((scope) => !identity.scopes.includes(scope)).join(" ");
  if (missing === "") return undefined;
  return dataError(403, ErrorCode.Forbidden, `The access token lacks the scope ${missing}.`, {
    "www-authenticate": `Bearer error="insufficient_scope", scope="${missing}"`,
  });
};

const carriesSecondToken = (type: string, body: Uint8Array): boolean =>
  type.toLowerCase().startsWith("application/x-www-form-urlencoded") &&
  (parseForm(utf8Text(body) ?? "")?.values.has("access_token") ?? false);
