/** The server of `client.bench.ts`, in a process of its own. It ends with its parent. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

process.once("message", (bodies: Readonly<Record<string, string>>) => {
  const buffers = Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [name, Buffer.from(body)]),
  );
  /** Instants of the requests of the last second, the window of the policy, by client and user. */
  const clients = new Map<string, Array<number>>();
  const server = createServer((request, response) => {
    const name = request.url?.split("/")[1] ?? "";
    const body = buffers[name] ?? buffers["profile"]!;
    const now = performance.now();
    const client = `${request.headers["user-agent"]} ${request.headers.authorization}`;
    const hits = clients.get(client) ?? [];
    clients.set(client, hits);
    hits.push(now);
    while ((hits[0] ?? now) <= now - 1000) hits.shift();
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": body.byteLength,
      "x-rate-limit-policy": `bench-${name}`,
      "x-rate-limit-rules": "account",
      "x-rate-limit-account": "100000:1:1",
      "x-rate-limit-account-state": `${hits.length}:1:0`,
    });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
});
process.once("disconnect", () => process.exit(0));
