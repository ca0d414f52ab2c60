/**
 * Serves a stream of synthetic pages from a process of its own, so that its CPU is not the
 * follower's.
 *
 * Usage: node pageServer.ts PAGES LATENCY_MILLIS — two fifths of the latency pass before the first
 * byte, the rest while the body comes. Pages insert new stashes and update old ones.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { pageText } from "./page.ts";

const pages = Number(process.argv[2]);
const latency = Number(process.argv[3]);
const bodies = Array.from({ length: pages }, (_, page) => gzipSync(pageText(page), { level: 1 }));
const PIECES = 6;

const server = createServer((request, response) => {
  const id = Number(new URL(request.url ?? "/", "http://x.invalid").searchParams.get("id") ?? 0);
  const end = id >= pages;
  const body = end
    ? gzipSync(`{"next_change_id":"${id}","stashes":[]}`)
    : (bodies[id] ?? Buffer.alloc(0));
  const send = async () => {
    if (latency > 0) await sleep(latency * 0.4);
    response.writeHead(200, {
      "content-type": "application/json",
      "content-encoding": "gzip",
      "content-length": String(body.length),
    });
    const size = Math.ceil(body.length / PIECES);
    for (let at = 0; at < body.length; at += size) {
      response.write(body.subarray(at, at + size));
      if (latency > 0) await sleep((latency * 0.6) / PIECES);
    }
    response.end();
  };
  send().catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.stdout.write(`http://127.0.0.1:${address?.port}\n`);
});
