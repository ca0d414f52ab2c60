/**
 * Responses in the words of the deployment that the sandbox plays (`--words`).
 *
 * Inside, everything is neutral. On the way in the URL and the body of a filter are translated, on
 * the way out the few members of small bodies that hold a word (`Translation` of the contract).
 * With the specification's own words nothing is touched.
 */
import {
  InvalidQueryError,
  isIdentity,
  matchPath,
  requestFromWire,
  responseToWire,
  urlFromWire,
  type Words,
} from "@game-data/contract";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import type * as HttpServerResponse from "effect/http/HttpServerResponse";
import { SandboxConfig } from "../Config.ts";
import { listenerOf } from "../http/Listener.ts";
import type { Realm } from "../world/Realm.ts";
import { type CaptureQuery, Replay } from "./Replay.ts";
import { headersOnly, respond, toBytes } from "../http/jsonResponse.ts";

/** How data endpoints answer. */
export class Responses extends Context.Service<
  Responses,
  {
    /** Responses a request with a value as JSON; `make` runs for requests that want a body only. */
    answer(
      make: () => unknown,
      status?: number,
    ): Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      never,
      HttpServerRequest.HttpServerRequest
    >;
    /** A handler that looks for a captured answer first (`--replay`). */
    captureOr<Asked extends object, A, E, R>(
      handler: (asked: Asked) => Effect.Effect<A, E, R>,
    ): (
      asked: Asked,
    ) => Effect.Effect<
      A | HttpServerResponse.HttpServerResponse,
      E | InvalidQueryError,
      R | HttpServerRequest.HttpServerRequest
    >;
  }
>()("@game-data/sandbox/Responses") {
  /** Responses in the configured words. */
  static readonly layer: Layer.Layer<Responses, never, SandboxConfig | Replay> = Layer.effect(
    Responses,
    Effect.gen(function* () {
      const config = yield* SandboxConfig;
      const { find } = yield* Replay;
      const { words } = config;
      const translate = (request: HttpServerRequest.HttpServerRequest, body: unknown) => {
        if (isIdentity(words)) return body;
        const match = matchPath(request.method, pathOf(request.url));
        return match === undefined ? body : responseToWire(match.info, body, words);
      };
      return Responses.of({
        captureOr: (handler) => (asked) => {
          const captured = find?.(questionOf(asked));
          if (captured === undefined) return handler(asked);
          if (captured.kind === "unknownId") {
            return InvalidQueryError.because("The id belongs to no captured page.");
          }
          return respond(captured.kind === "bytes" ? captured.bytes : toBytes(captured.body));
        },
        answer: (make, status = 200) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            request.method === "HEAD"
              ? Effect.succeed(headersOnly)
              : respond(toBytes(translate(request, make())), status),
          ),
      });
    }),
  );
}

/**
 * A request of the framework as a question: it carries its endpoint and group besides its decoded
 * parts.
 */
const questionOf = (asked: object): CaptureQuery => {
  const { endpoint, group, params, query } = asked as {
    readonly endpoint: { readonly identifier: string };
    readonly group: { readonly identifier: string };
    readonly params?: Readonly<Record<string, unknown>>;
    readonly query?: Readonly<Record<string, unknown>>;
  };
  return {
    endpoint: `${group.identifier}.${endpoint.identifier.replace(/(?:OfRealm|NamedLikeRealm)$/u, "")}`,
    realm: (params?.["realm"] ?? query?.["realm"] ?? "pc") as Realm,
    params: params ?? {},
    query: query ?? {},
  };
};

const pathOf = (url: string): string => /^[^?#]*/u.exec(url)![0];

/**
 * The outermost middleware: from here on, every part of the sandbox sees neutral words in the URL.
 */
export const translateUrls = HttpRouter.middleware(
  Effect.map(SandboxConfig, (config) => {
    const { words } = config;
    return (handle) =>
      isIdentity(words)
        ? handle
        : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            listenerOf(request.url) === "data"
              ? Effect.provideService(
                  handle,
                  HttpServerRequest.HttpServerRequest,
                  request.modify({ url: neutralUrl(request.url, words) }),
                )
              : handle,
          );
  }),
  { global: true },
);

/**
 * A URL in neutral words. A deployment does not know the neutral words that it has replaced: they
 * are made unknown here too, so that a client that forgets to translate is told so.
 */
const neutralUrl = (url: string, words: Words): string => {
  const [path = "", ...queries] = url.split("?");
  const isReplaced = (word: string) =>
    REALMS.some((realm) => realm === word) && !REALMS.some((realm) => words[realm] === word);
  const match = METHODS.map((method) => matchPath(method, path, words)).find(Boolean);
  if (match === undefined && METHODS.some((method) => matchPath(method, path) !== undefined)) {
    return `/unknown-realm${path}`;
  }
  const last = path.slice(path.lastIndexOf("/") + 1);
  const segment = match?.info.segments.at(-1);
  const isRealm = segment?.kind === "param" && segment.name === "realm";
  if (isRealm && isReplaced(last)) return `${path}-unknown`;
  const query = queries
    .join("?")
    .replace(/(^|&)realm=([^&]*)/gu, (pair, before: string, word: string) =>
      isReplaced(word) ? `${before}realm=${word}-unknown` : pair,
    );
  return urlFromWire(queries.length === 0 ? path : `${path}?${query}`, words);
};

const METHODS = ["GET", "POST"];
const REALMS = ["console_a", "console_b", "game2"] as const;

/**
 * Beside the endpoints: the realm in the body of a filter becomes neutral before the contract's
 * schema reads it.
 */
export const translateBodies = HttpRouter.middleware(
  Effect.map(SandboxConfig, (config) => {
    const { words } = config;
    return (handle) =>
      isIdentity(words)
        ? handle
        : Effect.gen(function* () {
            const request = yield* HttpServerRequest.HttpServerRequest;
            const match = matchPath(request.method, pathOf(request.url));
            if (match?.info.group !== "itemFilters" || request.method !== "POST")
              return yield* handle;
            const text = yield* Effect.orDie(request.text);
            const neutral = neutralText(text, (body) => requestFromWire(match.info, body, words));
            const web = new Request(`http://sandbox.localhost${request.url}`, {
              method: "POST",
              headers: request.headers,
              body: neutral,
            });
            return yield* Effect.provideService(
              handle,
              HttpServerRequest.HttpServerRequest,
              HttpServerRequest.fromWeb(web).modify({
                url: request.url,
                headers: request.headers,
              }),
            );
          });
  }),
  { global: true },
);

/** A body that is no JSON is left for the endpoint to refuse. */
const neutralText = (text: string, translate: (body: unknown) => unknown): string => {
  try {
    return JSON.stringify(translate(JSON.parse(text)));
  } catch {
    return text;
  }
};
