/** A sandbox and clients for it, as the tests want them. */
import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import { Effect, Exit, Layer } from "effect";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { afterAll, afterEach, beforeAll } from "vitest";
import {
  type CallOptions,
  GameApi,
  type GameApiError,
  type GameApiOptions,
  type GameApiService,
  type ResponseInfo,
  type LimiterOptions,
} from "../src/index.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
type Options = Partial<GameApiOptions> & { readonly limiter?: LimiterOptions };
/** A call of a client. */
export type Use<A> = (api: GameApiService) => Effect.Effect<A, GameApiError>;

export const userAgent = { clientId: "example-web", version: "1.0.0", contact: "dev@example.com" };

/** Returns the facts about the last response to a call. */
export const lastResponse = async (
  call: (onResponse: NonNullable<CallOptions["onResponse"]>) => Promise<unknown>,
): Promise<ResponseInfo | undefined> => {
  let last: ResponseInfo | undefined;
  await call((response) => {
    last = response;
  });
  return last;
};

/** The error of a call that failed. */
export const failureOf = (exit: Exit.Exit<unknown, unknown>): GameApiError => {
  const error = Exit.findErrorOption(exit);
  if (error._tag === "None") throw new Error(`no error: ${String(exit)}`);
  return error.value as GameApiError;
};

/**
 * A sandbox for the tests of a file, a token that nobody had to sign in for, and clients over undici
 * that have it. Faults end with their test.
 */
export const useSandbox = (
  options: Parameters<typeof startSandbox>[0] = {},
  granted: ReadonlyArray<string> = scopes,
) => {
  const one = {} as { sandbox: Sandbox; token: string };
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(one.sandbox.controlUrl + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const tokenFor = async (wanted: ReadonlyArray<string>): Promise<string> => {
    const account = one.sandbox.accounts[0]?.name;
    const asked = { clientId: "example-web", account, scopes: wanted };
    return (await control("POST", "/tokens", asked)).access_token;
  };
  beforeAll(async () => {
    one.sandbox = await startSandbox({ seed: 1, ...options });
    one.token = await tokenFor(granted);
  });
  afterEach(() => control("DELETE", "/faults"));
  afterAll(() => one.sandbox.close());

  const exit = <A>(use: Use<A>, more: Options = {}) => {
    const { baseUrl } = one.sandbox;
    const own = {
      baseUrl,
      userAgent,
      credentials: one.token,
      retry: { base: "5 millis" },
    } as const;
    const client = GameApi.layer({ ...own, ...more }).pipe(
      Layer.provide(NodeHttpClient.layerUndici),
    );
    return Effect.runPromise(
      Effect.provide(Effect.exit(Effect.flatMap(GameApi, use)), Layer.orDie(client)),
    );
  };
  return Object.assign(one, {
    control,
    tokenFor,
    /** The value of a call. */
    call: async <A>(use: Use<A>, more?: Options): Promise<A> => {
      const result = await exit(use, more);
      if (Exit.isSuccess(result)) return result.value;
      throw new Error(`failed: ${String(result.cause)}`);
    },
    /** The error that a call fails with. */
    failure: async (use: Use<unknown>, more?: Options) => failureOf(await exit(use, more)),
    /** Breaks responses of an endpoint. */
    fault: (endpoint: string, what: object, when: object = {}) =>
      control("POST", "/faults", { match: { endpoint }, when, fault: what }),
    /** Requests that reached the service during `act`. */
    requestsDuring: async (act: () => Promise<unknown>): Promise<number> => {
      await control("DELETE", "/journal");
      await act();
      return (await control("GET", "/journal")).entries.length;
    },
  });
};
