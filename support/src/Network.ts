/** Finds ports of this machine, for servers that cannot use port 0. */
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** Returns a port on which no server listens. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
      .once("connect", () => {
        resolve(true);
        socket.destroy();
      })
      .once("error", () => resolve(false));
  });
