/** The listening sockets of a sandbox: one per listener, on loopback unless told otherwise. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Addresses, publicAddresses, type SandboxOptions } from "../Config.ts";
import { SandboxStartError } from "../Errors.ts";
import { isLoopbackHost } from "@game-data/contract/SecureUrl";
import { type Listener, LISTENERS } from "./Listener.ts";
import { nameConnections } from "./nodeListener.ts";

/** Milliseconds that open connections are given to finish when the sandbox stops. */
const GRACE_MILLIS = 2_000;

/** At most so many headers, and so many bytes of them, are read of a request. */
const MAX_HEADERS = 100;
const MAX_HEADER_BYTES = 16 * 1024;

/** Sockets that listen; requests are answered once `serve` has run. */
export interface Sockets {
  readonly addresses: Addresses;
  /** Answers requests; a listener is undefined where one port serves all three. */
  serve(listenerOf: (listener: Listener | undefined) => RequestListener): void;
  /** Stops listening and waits for open connections. */
  close(): Promise<void>;
}

/** Opens the sockets. Rejects with a `SandboxStartError` where an address is forbidden or taken. */
export const openSockets = (options: SandboxOptions): Promise<Sockets> =>
  openServers(options).catch((cause: Error) => {
    throw new SandboxStartError({ reason: cause.message, cause });
  });

const openServers = async (options: SandboxOptions): Promise<Sockets> => {
  const {
    allowRemote = false,
    host = "127.0.0.1",
    port = 0,
    publicUrl,
    singlePort = false,
  } = options;
  if (!isLoopbackHost(host.toLowerCase()) && !allowRemote)
    throw new Error(
      `${host} can be reached from other machines, and the sandbox protects nothing (allow it with allowRemote)`,
    );
  const served = singlePort ? [undefined] : LISTENERS;
  const servers: Array<Server> = [];
  const close = async (): Promise<void> => void (await Promise.all(servers.map(closeServer)));
  try {
    for (const index of served.keys())
      servers.push(await listen(host, port === 0 ? 0 : port + index));
  } catch (cause) {
    await close();
    throw cause;
  }
  const url = (index: number): string => {
    const address = (servers[index] ?? servers[0]!).address() as AddressInfo;
    const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
    return `http://${name}:${address.port}`;
  };
  return {
    addresses:
      publicUrl === undefined
        ? { authUrl: url(0), baseUrl: url(1), controlUrl: `${url(2)}/control` }
        : publicAddresses(publicUrl, singlePort),
    serve: (listenerOf) => {
      for (const [index, listener] of served.entries())
        servers[index]!.on("request", listenerOf(listener));
    },
    close,
  };
};

const listen = (host: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });
    server.maxHeadersCount = MAX_HEADERS;
    nameConnections(server);
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MILLIS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
