/** A server on loopback that answers what a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { afterEach, beforeEach } from "vitest";
import { createGameApi, type GameApi, type PromiseOptions } from "../src/promise.ts";
import { userAgent } from "./sandbox.ts";

/**
 * A server for each test of a file: a pool of the test before may hold a connection that has ended
 * without its knowledge. Clients use undici and are closed after their test.
 */
export const useServer = (usual: (response: ServerResponse, url: string) => void) => {
  const clients: Array<GameApi> = [];
  const state = {
    baseUrl: "",
    answer: usual,
    seen: [] as Array<{ readonly request: IncomingMessage; readonly body: string }>,
    /** Sockets of the server that are open. */
    open: new Set<Socket>(),
  };
  const server = createServer(async (request, response) => {
    state.seen.push({ request, body: await text(request).catch(() => "") });
    state.answer(response, request.url ?? "");
  });
  server.on("connection", (socket) => {
    state.open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => state.open.delete(socket));
  });
  // On a busy machine seconds pass between two calls; a connection is not closed under the next one.
  server.keepAliveTimeout = 120_000;
  beforeEach(async () => {
    Object.assign(state, { answer: usual, seen: [] });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    state.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const api of clients.splice(0)) await api.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return Object.assign(state, {
    api: (options: Partial<PromiseOptions> = {}) => {
      const { baseUrl } = state;
      const http = NodeHttpClient.layerUndici;
      const api = createGameApi({ baseUrl, userAgent, http, retry: { times: 0 }, ...options });
      clients.push(api);
      return api;
    },
  });
};
