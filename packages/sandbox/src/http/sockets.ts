/**
 * The listening sockets of a sandbox: one per listener, on loopback unless told otherwise.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Addresses, SandboxOptions } from "../Config.ts";
import type { ListenerHandler } from "../Application.ts";
import { isLoopback } from "./hostCheck.ts";
import type { Listener } from "./Listener.ts";

const LISTENERS: ReadonlyArray<Listener> = ["auth", "data", "control"];

/** Milliseconds that open connections are given to finish when the sandbox stops. */
const GRACE_MILLIS = 2_000;

/**
 * Opens the sockets and answers their addresses; requests are served once `handle` has run. Fails
 * with the reason.
 */
export const openListeners = Effect.fnUntraced(function* (options: SandboxOptions) {
  const host = options.host ?? "127.0.0.1";
  if (!isLoopback(host.toLowerCase()) && options.allowRemote !== true) {
    return yield* Effect.fail(
      `${host} can be reached from other machines, and the sandbox protects nothing (allow it with allowRemote)`,
    );
  }
  const port = options.port ?? 0;
  const servers = yield* Effect.forEach(LISTENERS, (_, index) =>
    listen(host, port === 0 ? 0 : port + index),
  );
  const url = (index: number) => {
    const address = (servers[index] as Server).address() as AddressInfo;
    const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
    return `http://${name}:${address.port}`;
  };
  const addresses: Addresses = {
    authUrl: url(0),
    baseUrl: url(1),
    controlUrl: `${url(2)}/control`,
  };
  const handle = Effect.fnUntraced(function* (handlerOf: ListenerHandler) {
    const scope = yield* Effect.scope;
    for (const [index, listener] of LISTENERS.entries()) {
      const handler = yield* NodeHttpServer.makeHandler(handlerOf(listener), { scope });
      (servers[index] as Server).on("request", handler);
    }
  });
  return { addresses, handle };
});

const listen = (host: string, port: number): Effect.Effect<Server, string, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, string>((resume) => {
      const server = createServer();
      server.once("error", (error) => resume(Effect.fail(error.message)));
      server.listen(port, host, () => resume(Effect.succeed(server)));
    }),
    close,
  );

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MILLIS);
    server.close(() => {
      clearTimeout(cut);
      resume(Effect.void);
    });
    server.closeIdleConnections();
  });
