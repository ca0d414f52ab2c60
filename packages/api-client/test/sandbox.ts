/** A sandbox and clients of it. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import { afterAll, afterEach, beforeAll } from "vitest";
import {
  createGameApi,
  type GameApi,
  type GameApiError,
  type PromiseOptions,
} from "../src/promise.ts";

export const userAgent = { clientId: "example-web", version: "1.0.0", contact: "dev@example.com" };

/** Returns the error of a call that fails. */
export const failure = (call: Promise<unknown>): Promise<GameApiError> =>
  call.then(
    (value) => Promise.reject(new Error(`no error: ${JSON.stringify(value)}`)),
    (error: GameApiError) => error,
  );

/** A sandbox for the tests of a file, and clients of an account. Faults end with their test. */
export const useSandbox = () => {
  const clients: Array<GameApi> = [];
  const service = {} as {
    sandbox: Awaited<ReturnType<typeof startSandbox>>;
    token: string;
    /** A client over undici with all scopes. */
    api: GameApi;
  };
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(service.sandbox.controlUrl + path, {
      method,
      // The server may end an idle connection just as the next request arrives.
      headers: { "content-type": "application/json", connection: "close" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const tokenFor = async (wanted: ReadonlyArray<string>): Promise<string> => {
    const account = service.sandbox.accounts[0]?.name;
    const request = { clientId: "example-web", account, scopes: wanted };
    return (await control("POST", "/tokens", request)).access_token;
  };
  const open = (options: Partial<PromiseOptions> = {}) => {
    const api = createGameApi({
      baseUrl: service.sandbox.baseUrl,
      userAgent,
      credentials: service.token,
      http: NodeHttpClient.layerUndici,
      retry: { base: "5 millis" },
      ...options,
    });
    clients.push(api);
    return api;
  };
  beforeAll(async () => {
    service.sandbox = await startSandbox({ seed: 1 });
    service.token = await tokenFor(scopes);
    service.api = open();
  });
  afterEach(() => control("DELETE", "/faults"));
  afterAll(async () => {
    for (const api of clients) await api.close();
    await service.sandbox.close();
  });
  return Object.assign(service, {
    control,
    open,
    tokenFor,
    /** Breaks responses of an endpoint. */
    fault: (endpoint: string, fault: object, when: object = {}) =>
      control("POST", "/faults", { match: { endpoint }, when, fault }),
    /** Counts the requests that reach the service during `act`. */
    requestsDuring: async (act: () => Promise<unknown>): Promise<number> => {
      await control("DELETE", "/journal");
      await act();
      return (await control("GET", "/journal")).entries.length;
    },
  });
};
