/**
 * Serves the inspector for other programs: builds the page, and listens on 127.0.0.1.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildPage } from "@game-data/pages/build";

/** The page while it is served. */
export interface ServedInspector {
  readonly url: string;
  close(): Promise<void>;
}

/** Headers that have no equivalent in the page. The page has a content security policy of its own. */
const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "frame-ancestors 'none'",
  "cache-control": "no-store",
};

/** Builds the page (a second or two) and serves it at a free port of 127.0.0.1. */
export const serveInspector = async (): Promise<ServedInspector> => {
  const files = await buildPage({ root: import.meta.dirname });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const file =
      request.method === "GET" ? files.get(pathname === "/index.html" ? "/" : pathname) : undefined;
    if (file === undefined) return void response.writeHead(404, HEADERS).end();
    response.writeHead(200, { ...HEADERS, "content-type": file.type }).end(file.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      const closed = server[Symbol.asyncDispose]();
      server.closeAllConnections();
      return closed;
    },
  };
};
