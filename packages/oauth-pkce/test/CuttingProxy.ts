/** A proxy on loopback: passes the first bytes of each response, then cuts the connection. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The end of a connection. */
export type Cut = "reset" | "end";

export interface CuttingProxy {
  readonly url: string;
  /** Bytes of a response that pass. */
  limit: number;
  /** The end of the connection after them. */
  cut: Cut;
  /** Bytes of a whole response: it is cut only after the server has sent all of it. */
  length: number;
  /** Bytes of the last response that arrived from the server. */
  received: number;
  readonly close: () => void;
}

/** Starts a proxy in front of the server at `url`. */
export const startCuttingProxy = async (url: string): Promise<CuttingProxy> => {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    keep(client);
    keep(upstream);
    let response = Buffer.alloc(0);
    client.on("data", (chunk) => {
      response = Buffer.alloc(0);
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      response = Buffer.concat([response, chunk]);
      proxy.received = response.length;
      if (proxy.limit === Infinity) client.write(chunk);
      else if (response.length >= proxy.length) {
        upstream.destroy();
        client.write(response.subarray(0, proxy.limit), () => {
          if (proxy.cut === "end") client.end();
          // The bytes leave before the reset does.
          else setImmediate(() => client.resetAndDestroy());
        });
      }
    });
    upstream.on("end", () => client.end());
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limit: Infinity,
    cut: "reset",
    length: Infinity,
    received: 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return proxy;
};
