/** A transport that records requests and answers as a test wants. */
import { GameApi } from "../src/index.ts";
import type {
  GameApiOptions,
  IncomingResponse,
  LimiterOptions,
  OutgoingRequest,
  Transport,
} from "../src/index.ts";
import { createGameApi, type PromiseOptions } from "../src/promise.ts";
import { userAgent } from "./sandbox.ts";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
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

/** Returns a transport with the list of the requests that it was given. */
export const recording = (
  answer: (request: OutgoingRequest, index: number) => Answer = () => ({}),
) => {
  const sent: Array<OutgoingRequest> = [];
  const transport: Transport = (request, settle) => {
    const { body = PROFILE, headers, status = 200 } = answer(request, sent.length);
    sent.push(request);
    settle(response(status, body, headers));
    return () => undefined;
  };
  return { sent, transport };
};

export const response = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): IncomingResponse => {
  const chunks = body === "" ? [] : [new TextEncoder().encode(body)];
  return {
    status,
    headers,
    encoding: "identity",
    read: async () => chunks.shift(),
    abort: () => undefined,
  };
};

const USUAL = {
  baseUrl: "https://api.example",
  userAgent,
  credentials: "token",
  retry: { times: 0 },
} as const;

/** Makes a client of promises over a transport. */
export const apiOver = (transport: Transport, options: Partial<PromiseOptions> = {}) =>
  createGameApi({
    ...USUAL,
    ...options,
    transport,
  });

/** Makes a client over a transport. */
export const layerOver = (
  transport: Transport,
  options: Partial<GameApiOptions> & { readonly limiter?: LimiterOptions } = {},
) =>
  GameApi.layerTransport({
    ...USUAL,
    ...options,
    transport,
  });
