/**
 * Answers in the words of the deployment that the sandbox plays (`--words`).
 *
 * Inside, everything is neutral. On the way in the URL and the body of a filter are translated, on the way out the few
 * members of small bodies that hold a word (`Translation` of the contract). With the specification's own words nothing
 * is touched.
 */
import {
  identityWords,
  isIdentity,
  makeWords,
  matchPath,
  requestFromWire,
  responseToWire,
  urlFromWire,
  type Words,
  type WordsInput,
} from "@game-data/contract";
import { Context, Effect, Layer } from "effect";
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http";
import { SandboxConfig } from "../Config.ts";
import { surfaceOf } from "../internal/surfaces.ts";
import { headersOnly, respond, toBytes } from "./Respond.ts";

/** How data endpoints answer. */
export class Answers extends Context.Service<
  Answers,
  {
    /** Answers a request with a value as JSON; `make` runs for requests that want a body only. */
    answer(
      make: () => unknown,
      status?: number,
    ): Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      never,
      HttpServerRequest.HttpServerRequest
    >;
  }
>()("@game-data/sandbox/Answers") {
  /** Answers in the configured words. */
  static readonly layer: Layer.Layer<Answers, never, SandboxConfig> = Layer.effect(
    Answers,
    Effect.map(SandboxConfig, (config) => {
      const words = wordsOf(config.words);
      const translate = (request: HttpServerRequest.HttpServerRequest, body: unknown) => {
        if (isIdentity(words)) return body;
        const match = matchPath(request.method, pathOf(request.url));
        return match === undefined ? body : responseToWire(match.info, body, words);
      };
      return Answers.of({
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

/** The words that were given at the start; words that cannot work are a mistake of whoever starts the sandbox. */
const wordsOf = (given: unknown): Words =>
  given === undefined || given === null ? identityWords : makeWords(given as WordsInput);

const pathOf = (url: string): string => /^[^?#]*/u.exec(url)![0];

/** The outermost middleware: from here on, every part of the sandbox sees neutral words in the URL. */
export const WordsInUrls = HttpRouter.middleware(
  Effect.map(SandboxConfig, (config) => {
    const words = wordsOf(config.words);
    return (handle) =>
      isIdentity(words)
        ? handle
        : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            surfaceOf(request.url) === "data"
              ? Effect.provideService(
                  handle,
                  HttpServerRequest.HttpServerRequest,
                  request.modify({ url: urlFromWire(request.url, words) }),
                )
              : handle,
          );
  }),
  { global: true },
);

/** Beside the endpoints: the realm in the body of a filter becomes neutral before the contract's schema reads it. */
export const WordsInBodies = HttpRouter.middleware(
  Effect.map(SandboxConfig, (config) => {
    const words = wordsOf(config.words);
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
