/** A server on loopback that answers what a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Effect, Layer } from "effect";
import type * as HttpClient from "effect/http/HttpClient";
import { afterEach, beforeEach } from "vitest";
import { GameApi, type GameApiOptions } from "../src/index.ts";
import { createGameApi, type PromiseOptions } from "../src/promise.ts";
import { userAgent, type Use } from "./sandbox.ts";

/**
 * A server for each test of a file: a pool of the test before may hold a connection whose end it has
 * not heard of yet.
 */
export const useServer = (usual: (response: ServerResponse, url: string) => void) => {
  const one = {
    baseUrl: "",
    answer: usual,
    seen: [] as Array<{ readonly request: IncomingMessage; readonly body: string }>,
    /** Sockets of the server that are open. */
    open: new Set<Socket>(),
  };
  const client = <Options extends object>(options: Options) => ({
    baseUrl: one.baseUrl,
    userAgent,
    retry: { times: 0 },
    ...options,
  });
  let end: () => void;
  beforeEach(async () => {
    Object.assign(one, { answer: usual, seen: [], open: new Set() });
    const server = createServer(async (request, response) => {
      one.seen.push({ request, body: await text(request).catch(() => "") });
      one.answer(response, request.url ?? "");
    });
    server.on("connection", (socket) => {
      one.open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => one.open.delete(socket));
    });
    // On a busy machine seconds pass between two calls; a connection is not closed under the next one.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    one.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    end = () => {
      server.closeAllConnections();
      server.close();
    };
  });
  afterEach(() => end());
  return Object.assign(one, {
    /** A client of promises. */
    api: (options: Partial<PromiseOptions> = {}) => createGameApi(client(options)),
    /** What comes of a call of a client for Effect. */
    exit: <A>(
      use: Use<A>,
      options: Partial<GameApiOptions> = {},
      transport: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerUndici,
    ) =>
      GameApi.layer(client(options)).pipe(Layer.provide(transport), Layer.orDie, (layer) =>
        Effect.runPromiseExit(Effect.provide(Effect.flatMap(GameApi, use), layer)),
      ),
  });
};
