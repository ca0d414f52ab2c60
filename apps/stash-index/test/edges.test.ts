/** The edges of HTTP: every method, spelling and body has an answer of one form. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type RunningIndex, startIndex } from "./support/running.ts";

const world = { streamHistoryPages: 1, streamStashes: 20, exchangeHistoryHours: 1 };

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a request as it is written here, which a client of HTTP would mend or refuse. */
const send = async (
  { origin }: RunningIndex,
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

describe("an answer", () => {
  let index: RunningIndex;
  beforeAll(async () => {
    index = await startIndex({ world });
  });
  afterAll(() => index?.close());

  it.each(["/api/status", "/", "/health/ready", "/openapi.json", "/api/search", "/api/live"])(
    "to HEAD %s is that to GET, without its body",
    async (path) => {
      const reply = await send(index, `HEAD ${path}`);
      const get = await fetch(`${index.origin}${path}`);
      await get.body?.cancel();
      expect(reply).toMatchObject({ status: 200, body: "" });
      expect(reply!.headers.get("content-type")).toBe(get.headers.get("content-type"));
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
    const reply = await send(index, `${method} ${path}`);
    expect([reply!.status, reply!.headers.get("allow")]).toEqual([405, allowed]);
    expect(reply!.headers.get("content-type")).toBe("application/problem+json");
  });

  const json = "content-type: application/json";
  const large = " ".repeat(70_000);
  const chunked = "transfer-encoding: chunked";
  const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  it.each([
    [400, "GET http://[::1/api/status", [], ""],
    [400, "GET ftp://x/api/status", [], ""],
    [400, "GET *", [], ""],
    [400, "GET /api/%ff", [], ""],
    [400, "GET /api/sellers/%", [], ""],
    [404, "GET /nowhere", [], ""],
    [404, "POST /nowhere", [], ""],
    [404, "GET /api/../api/status", [], ""],
    [404, "GET /%2561pi/status", [], ""],
    [404, "GET //[::1/api/status", [], ""],
    [404, `GET /api/sellers/${"a".repeat(8000)}`, [], ""],
    [400, `GET /api/suggest?q=${"a".repeat(15_000)}`, [], ""],
    [400, "GET /api/status?%ff=1", [], ""],
    [413, "POST /api/filters", [json, "content-length: 70000"], large],
    // Refused while it still goes on.
    [413, "POST /api/filters", [json, chunked], chunkOf(large).slice(0, -5)],
    [413, "GET /api/status", ["content-length: 70000"], large],
    [415, "POST /api/filters", ["content-type: text/plain", chunked], chunkOf('{"item":""}')],
    [415, "POST /api/filters", ["content-type: text/plain", "content-length: 2"], "{}"],
    [400, "POST /api/filters", [json, "content-length: 3"], '{"i'],
    [415, "POST /api/filters", [json, "content-encoding: gzip", "content-length: 2"], "{}"],
    [404, "GET /health/../api/status", [], ""],
    [404, "GET //health/nothing", [], ""],
    [405, "GET /auth/logout", [], ""],
    [400, "GET /api/status", ["host: a", "host: b"], ""],
    [400, "GET /api/status", ["hostless: a"], ""],
    [417, "GET /api/status", ["expect: what"], ""],
    [501, "POST /api/filters", [json, "transfer-encoding: gzip, chunked"], chunkOf("{}")],
    [400, "POST /api/filters", [json, chunked, "connection: upgrade", "upgrade: x"], "0\r\n\r\n"],
    // These end in Node's parser.
    [400, "FOO /api/status", [], ""],
    [400, "GET ?", [], ""],
    [400, "GET api/status", [], ""],
    [400, "CONNECT x:1", [], ""],
    [400, "POST /api/filters", [json, "content-length: 2", "content-length: 3"], "{}"],
    [400, "POST /api/filters", [json, "content-length: 2", chunked], chunkOf("{}")],
    [400, "POST /api/filters", [json, chunked], "zz\r\n"],
    [413, "POST /api/filters", [json, chunked], `1;${"x".repeat(20_000)}\r\n`],
    [431, `GET /api/suggest?q=${"a".repeat(20_000)}`, [], ""],
  ] as const)("is a problem: %i to %s", async (status, line, headers, body) => {
    const reply = await send(index, line, headers, body);
    expect(reply?.status).toBe(status);
    expect(JSON.parse(reply!.body)).toMatchObject({ status, title: expect.any(String) });
    expect(reply!.headers.get("content-type")).toBe("application/problem+json");
    expect(reply!.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("goes on after `Expect: 100-continue`, and in absolute form", async () => {
    const body = '{"item":"x"}';
    const waits = ["expect: 100-continue", json, `content-length: ${body.length}`];
    expect((await send(index, "POST /api/filters", waits, body))!.status).toBe(100);
    expect((await send(index, "GET http://other/api/status"))!.status).toBe(200);
  });

  it("to a callback that nobody began is a page, and a line of the log once a minute", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    for (let count = 0; count < 3; count += 1) {
      const reply = await send(index, "GET /callback", ["host: evil"]);
      expect(reply).toMatchObject({ status: 400, body: expect.stringContaining("<html") });
      expect(reply!.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(log).toHaveBeenCalledTimes(1);
    log.mockRestore();
    expect((await send(index, "DELETE /callback"))!.headers.get("allow")).toBe("GET");
    const coded = ["content-encoding: gzip", "content-length: 2"];
    const refused = await send(index, "POST /api/filters", coded, "{}");
    expect(refused!.headers.get("accept-encoding")).toBe("identity");
  });

  it("to HEAD of a stream keeps none of its places", async () => {
    for (let count = 0; count < 40; count += 1)
      expect((await send(index, "HEAD /api/watch?league=Standard"))!.status).toBe(200);
  });
});

describe("the limit of requests", () => {
  const statusOf = async (index: RunningIndex, line: string) => (await send(index, line))!.status;

  it("is for each address and second, and says when to come back", async () => {
    const limited = await startIndex({ ratePerSecond: 1, world, withoutSignIn: true });
    for (const path of ["/callback", "/auth/login"])
      expect([path, await statusOf(limited, `GET ${path}`)]).toEqual([path, 404]);
    const sent = Array.from({ length: 40 }, () => send(limited, "GET /api/suggest?q=a"));
    const replies = await Promise.all(sent);
    expect(replies.some((reply) => reply!.status === 200)).toBe(true);
    const refused = replies.find((reply) => reply!.status === 429);
    expect(refused!.headers.get("retry-after")).toBe("1");
    await limited.close();
  });

  it("counts every spelling and method that reaches the server, and no probe of its health", async () => {
    // No bucket is ever full enough for one request: whatever is counted is refused.
    const closed = await startIndex({ ratePerSecond: 0.0001, world });
    const targets = [
      ...["/api/status", "//api/status", "/%61pi/status", "/API/status", "/api/%ff", "/nowhere"],
      ...[`${closed.origin}/api/status`, "http://[::1/api/status", "/health/../api/status", "/"],
      ...["/healthy", "/health%2flive", "/HEALTH", "//health", "?", "nowhere"],
    ];
    for (const method of ["GET", "HEAD", "DELETE"])
      for (const target of targets)
        expect([target, await statusOf(closed, `${method} ${target}`)]).toEqual([target, 429]);
    for (const line of ["FOO /", "CONNECT x:1", `GET /${"a".repeat(20_000)}`])
      expect(await statusOf(closed, line)).toBe(429);
    expect([200, 503]).toContain(await statusOf(closed, "GET /health/ready"));
    await closed.close();
  });
});
