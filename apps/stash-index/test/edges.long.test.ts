/**
 * The edges of HTTP: every method, spelling and body has an answer of one form, and one address that
 * asks much holds up itself, not another.
 */
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkOf } from "../src/web/guards.ts";
import { QueryPool } from "../src/web/QueryPool.ts";
import { openIndex } from "./support/changes.ts";
import { startServer } from "./support/running.ts";

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a request as it is written here, which a client of HTTP would mend or refuse. */
const send = async (
  origin: string,
  line: string,
  headers: ReadonlyArray<string> = [],
  body = "",
): Promise<Reply | undefined> => {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => (text += chunk));
  // The answer may come, and the connection close, before the body is written.
  socket.on("error", () => undefined);
  const host = headers.some((header) => header.startsWith("host")) ? [] : ["host: x"];
  const head = [`${line} HTTP/1.1`, ...host, "connection: close", ...headers];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  await once(socket, "close");
  if (text === "") return undefined;
  const [top = "", ...rest] = text.split("\r\n\r\n");
  const [status = "", ...fields] = top.split("\r\n");
  const pairs = fields.map((field) => field.split(/: (.*)/su).slice(0, 2) as [string, string]);
  return {
    status: Number(status.split(" ")[1]),
    headers: new Headers(pairs),
    body: rest.join("\r\n\r\n"),
  };
};

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());

describe("an answer", () => {
  const ask = (line: string, headers?: ReadonlyArray<string>, body?: string) =>
    send(server.origin, line, headers, body);

  it.each(["/api/status", "/", "/health", "/openapi.json", "/api/search", "/api/live"])(
    "to HEAD %s is that to GET, without its body",
    async (path) => {
      const reply = await ask(`HEAD ${path}`);
      const whole = await fetch(`${server.origin}${path}`);
      await whole.body?.cancel();
      expect(reply).toMatchObject({ status: whole.status, body: "" });
      expect(reply!.headers.get("content-type")).toBe(whole.headers.get("content-type"));
      expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  it.each([
    ...["OPTIONS", "TRACE", "POST", "PUT", "DELETE", "PROPFIND"].flatMap((method) =>
      ["/api/status", "//API/%73tatus", "/", "/health/live"].map(
        (path) => [method, path, "GET, HEAD"] as const,
      ),
    ),
    ["GET", "/api/filters", "POST"] as const,
    ["HEAD", "/api/filters", "POST"] as const,
  ])("to %s %s is 405, and allows %s", async (method, path, allowed) => {
    const reply = await ask(`${method} ${path}`);
    expect([reply!.status, reply!.headers.get("allow")]).toEqual([405, allowed]);
    expect(reply!.headers.get("content-type")).toBe("application/problem+json");
  });

  const typed = "content-type: application/json";
  const large = " ".repeat(70_000);
  const chunked = "transfer-encoding: chunked";
  const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  it.each([
    [404, "GET /nowhere", [], ""],
    [404, "POST /nowhere", [], ""],
    [404, "GET /api/../api/status", [], ""],
    [404, "GET /%2561pi/status", [], ""],
    [404, "GET //[::1/api/status", [], ""],
    [404, `GET /api/sellers/${"a".repeat(8000)}`, [], ""],
    [400, `GET /api/suggest?q=${"a".repeat(15_000)}`, [], ""],
    [400, "GET /api/status?%ff=1", [], ""],
    [413, "POST /api/filters", [typed, "content-length: 70000"], large],
    // Refused while it still goes on.
    [413, "POST /api/filters", [typed, chunked], chunkOf(large).slice(0, -5)],
    [413, "GET /api/status", ["content-length: 70000"], large],
    [415, "POST /api/filters", ["content-type: text/plain", chunked], chunkOf('{"item":""}')],
    [415, "POST /api/filters", ["content-type: text/plain", "content-length: 2"], "{}"],
    [400, "POST /api/filters", [typed, "content-length: 3"], '{"i'],
    [415, "POST /api/filters", [typed, "content-encoding: gzip", "content-length: 2"], "{}"],
    [404, "GET /health/../api/status", [], ""],
    [404, "GET //health/nothing", [], ""],
  ] as const)("is a problem: %i to %s", async (status, line, headers, body) => {
    const reply = await ask(line, headers, body);
    expect(reply?.status).toBe(status);
    expect(JSON.parse(reply!.body)).toMatchObject({ status, title: expect.any(String) });
    expect(reply!.headers.get("content-type")).toBe("application/problem+json");
    expect(reply!.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("to HEAD of a stream keeps none of its places", async () => {
    for (let count = 0; count < 17; count += 1)
      expect((await ask("HEAD /api/watch?league=Standard"))!.status).toBe(200);
  });
});

describe("the limit of requests", () => {
  const statusOf = async (origin: string, line: string) => (await send(origin, line))!.status;

  it("is for each address and second, and says when to come back", async () => {
    const { close, origin } = await startServer(1);
    const sent = Array.from({ length: 8 }, () => send(origin, "GET /api/suggest?q=a"));
    const replies = await Promise.all(sent);
    expect(replies.some((reply) => reply!.status === 200)).toBe(true);
    const refused = replies.find((reply) => reply!.status === 429);
    expect(refused!.headers.get("retry-after")).toBe("1");
    await close();
  });

  it("counts every spelling and method that reaches the server, and no probe of its health", async () => {
    // No bucket is ever full enough for one request: whatever is counted is refused.
    const { close, origin } = await startServer(0.0001);
    const targets = [
      ...["/api/status", "//api/status", "/%61pi/status", "/API/status", "/api/%ff", "/nowhere"],
      ...[`${origin}/api/status`, "http://[::1/api/status", "/health/../api/status", "/"],
      ...["/healthy", "/health%2flive", "/HEALTH", "//health"],
    ];
    for (const method of ["GET", "HEAD", "DELETE"])
      for (const target of targets)
        expect([target, await statusOf(origin, `${method} ${target}`)]).toEqual([target, 429]);
    expect([200, 503]).toContain(await statusOf(origin, "GET /health/ready"));
    await close();
  });
});

describe("fairness", () => {
  it("serves addresses in turn, and bounds what waits of each", async () => {
    const { close, path } = await openIndex();
    const bounds = { deadlineMillis: 60_000, mostWaiting: 512, mostWaitingOfOne: 32 };
    const pool = new QueryPool({ path, threads: 1, ...bounds });
    await pool.ready();
    const order: Array<string> = [];
    const ask = async (asker: string) => {
      const { kind } = await pool.run({ kind: "closeWatch", id: 0 }, asker);
      if (kind === "value") order.push(asker);
      return kind;
    };
    const loud = Array.from({ length: 200 }, () => ask("loud"));
    expect(await ask("quiet")).toBe("value");
    expect(order.indexOf("quiet")).toBeLessThan(3);
    const kinds = await Promise.all(loud);
    expect(kinds.filter((kind) => kind === "value")).toHaveLength(33);
    await pool.close();
    await close();
  });

  it.skipIf(process.platform !== "linux")(
    "answers one address while another asks without a pause, and tells that one of its own bound",
    async () => {
      const { hostname, port } = new URL(server.origin);
      const path = "/api/price-check?league=Standard&q=a";
      const agent = new Agent({ keepAlive: true });
      const ask = async (localAddress: string) => {
        const request = get({ hostname, port, path, localAddress, agent });
        const [response] = (await once(request, "response")) as [IncomingMessage];
        const { detail } = (await json(response)) as { readonly detail?: string };
        return { status: response.statusCode, after: response.headers["retry-after"], detail };
      };
      let answered = 0;
      const over = new AbortController();
      const refused: Array<Awaited<ReturnType<typeof ask>>> = [];
      // Always more than the 32 that may wait: whoever stood behind them would wait for them all.
      const flood = Array.from({ length: 40 }, async () => {
        while (!over.signal.aborted) {
          const answer = await ask("127.0.0.2");
          if (answer.status === 200) answered += 1;
          else refused.push(answer);
        }
      });
      await expect.poll(() => Math.min(answered, refused.length)).toBeGreaterThan(10);
      const before: Array<number> = [];
      for (let count = 0; count < 11; count += 1) {
        const start = answered;
        expect(await ask("127.0.0.1")).toMatchObject({ status: 200 });
        before.push(answered - start);
      }
      over.abort();
      await Promise.all(flood);
      agent.destroy();
      expect(before.toSorted((a, b) => a - b)[5]).toBeLessThan(16);
      for (const { after, detail, status } of refused) {
        expect([status, after]).toEqual([503, "1"]);
        expect(detail).toMatch(/^32 queries from 127\.0\.0\.2 wait already, .* Retry-After\.$/u);
      }
    },
    180_000,
  );

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:0:1::5", "2001:db8:0:1::/64"],
    ["2001:db8:0:1:ffff:1:2:3", "2001:db8:0:1::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["::1", "::/64"],
    ["unknown", "unknown"],
  ])("counts %s as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
