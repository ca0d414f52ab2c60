/** An HTTP client that records requests and answers as a test wants. */
import { Effect, Layer } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientError from "effect/http/HttpClientError";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import { GameApi, type GameApiLayerOptions } from "../src/index.ts";
import { createGameApi, type PromiseOptions } from "../src/promise.ts";
import { userAgent } from "./sandbox.ts";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Aborted if the client gives the request up. */
  readonly signal: AbortSignal;
}

/** An item filter, as a program uploads it. */
export const FILTER = {
  filter_name: "a",
  realm: "pc",
  filter: "Show",
  description: "",
  version: "1",
} as const;

export const PROFILE = '{"uuid":"u","name":"n"}';

/** The answer to a request: a response, now or later, a broken connection, or none. */
export type Reply = Answer | Promise<Answer> | "drop" | "silence";

/** Returns an HTTP client with the list of the requests that it was given. */
export const recording = (answer: (request: SentRequest, index: number) => Reply = () => ({})) => {
  const sent: Array<SentRequest> = [];
  const http = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url, signal) => {
      const { body: payload, headers, method } = request;
      const body =
        payload._tag === "Uint8Array" ? new TextDecoder().decode(payload.body) : undefined;
      const sentRequest = { method, url: url.href, headers: { ...headers }, body, signal };
      const reply = answer(sentRequest, sent.length);
      sent.push(sentRequest);
      if (reply === "silence") return Effect.never;
      const respond = (response: Answer) => HttpClientResponse.fromWeb(request, web(response));
      if (reply instanceof Promise) return Effect.promise(async () => respond(await reply));
      if (reply !== "drop") return Effect.succeed(respond(reply));
      const reason = new HttpClientError.TransportError({ request, cause: new Error("dropped") });
      return Effect.fail(new HttpClientError.HttpClientError({ reason }));
    }),
  );
  return { sent, http };
};

const web = ({ body = PROFILE, headers, status = 200 }: Answer): Response => {
  // `Response` refuses statuses that a server can send all the same.
  const response = new Response(body === "" ? null : body, { ...(headers && { headers }) });
  return Object.defineProperty(response, "status", { value: status });
};

const USUAL = {
  baseUrl: "https://api.example",
  userAgent,
  credentials: "token",
  retry: { times: 0 },
} as const;

type Http = Layer.Layer<HttpClient.HttpClient>;

/** Makes a client of promises over an HTTP client. */
export const apiOver = (http: Http, options: Partial<PromiseOptions> = {}) =>
  createGameApi({ ...USUAL, ...options, http });

/** Makes a client over an HTTP client. */
export const layerOver = (http: Http, options: Partial<GameApiLayerOptions> = {}) =>
  GameApi.layer({ ...USUAL, ...options }).pipe(Layer.provide(http));
