import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { freePort, inflatedDuring, makeBombs } from "@game-data/test-support";
import { type Duration, Layer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { EnvHttpProxyAgent } from "undici";
import { describe, expect, it } from "vitest";
import type { GameApiError } from "../src/index.ts";
import type { PromiseRawResponse } from "../src/promise.ts";
import { PROFILE } from "./recording.ts";
import { failure } from "./sandbox.ts";
import { useServer } from "./server.ts";

const server = useServer((response) => response.end(PROFILE));

const transports = [
  ["undici", NodeHttpClient.layerUndici],
  ["fetch", FetchHttpClient.layer],
] as const;

const eventually = async (isSo: () => boolean) => {
  await expect.poll(isSo, { timeout: 20_000 }).toBe(true);
};

type Answer = (response: ServerResponse) => unknown;

let written = 0;
const endless: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const more = () => {
    if (response.destroyed) return;
    written += 65_536;
    if (response.write("x".repeat(65_536))) setImmediate(more);
    else response.once("drain", more);
  };
  more();
};
const cutAfter = (start: string) => (response: ServerResponse) =>
  response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${start}`);
const forbidden = { "www-authenticate": 'Bearer error="insufficient_scope"' };
const large = { "content-length": 5_000_000 };
const [SHORT, LONG] = ["400 millis", "20 seconds"] as const;

describe.each(transports)("over %s", (_, http) => {
  it.each<[string, Answer, timeout: Duration.Input, error: object]>([
    ["no response", () => undefined, SHORT, { _tag: "Timeout", reason: "attempt" }],
    ["no HTTP", (response) => response.socket?.end("?"), LONG, { reason: "connect" }],
    ["a closed connection", (response) => response.destroy(), LONG, { reason: "connect" }],
    ["a body that breaks off", cutAfter("{"), LONG, { _tag: "TransportError", reason: "body" }],
    ["no body", cutAfter(""), LONG, { _tag: "TransportError", reason: "body" }],
    ["a body without an end", endless, LONG, { _tag: "ResponseMalformed", reason: "too-large" }],
    [
      "an error whose body never ends",
      (response) => response.writeHead(403, forbidden).write("{"),
      SHORT,
      { _tag: "Forbidden", reason: "scope", status: 403 },
    ],
    [
      "an error with a large body",
      (response) => response.writeHead(500, large).write("x".repeat(300_000)),
      LONG,
      { _tag: "ServerError", status: 500 },
    ],
  ])("a call fails after %s, and closes the connection", async (_title, answer, timeout, error) => {
    server.answer = answer;
    const api = server.api({ http, maxBodyBytes: 200_000, timeout });
    await expect(api.profile.get()).rejects.toMatchObject(error);
    await eventually(() => server.open.size === 0);
    expect(written).toBeLessThan(50_000_000);
  });

  it("`raw` closes the connection of a response that stays unread, or that is an error", async () => {
    const api = server.api({ http });
    for (const status of [200, 404]) {
      server.answer = (response) => {
        response.writeHead(status, { "content-length": 1_000_000 });
        response.write("x".repeat(1000));
      };
      const raw = await api.publicStashTabs.raw().catch((error: GameApiError) => error);
      if (status === 200) await (raw as PromiseRawResponse).close();
      else expect(raw).toMatchObject({ _tag: "NotFound", operation: "publicStashTabs.raw" });
      await eventually(() => server.open.size === 0);
    }
  });

  it("a refused connection fails the call with the reason `connect` and the error code", async () => {
    const api = server.api({ http, baseUrl: `http://127.0.0.1:${await freePort()}` });
    await expect(api.profile.get()).rejects.toMatchObject({
      reason: "connect",
      detail: expect.stringContaining("ECONNREFUSED"),
    });
  });
});

it("over undici, a compressed body in a coding that was not requested is refused unread", async () => {
  const codings = {
    br: brotliCompressSync(PROFILE),
    deflate: deflateSync(PROFILE),
    zstd: zstdCompressSync(PROFILE),
    "gzip, gzip": gzipSync(gzipSync(PROFILE)),
  };
  for (const [coding, body] of Object.entries(codings)) {
    server.answer = (response) => response.writeHead(200, { "content-encoding": coding }).end(body);
    expect(await failure(server.api().profile.get())).toMatchObject({
      reason: "body",
      detail: expect.stringContaining(coding),
    });
  }
});

it("a body shorter than its Content-Length fails the call, even if the transport accepts it", async () => {
  const fetch = async () => new Response(PROFILE, { headers: { "content-length": "100" } });
  const error = await failure(server.api({ fetch, http: undefined }).profile.get());
  expect(error).toMatchObject({ detail: `${PROFILE.length} of 100 bytes` });
});

it("an error thrown by `fetch` is reported with the access token redacted", async () => {
  const fetch = (_: unknown, init?: RequestInit) => {
    throw new Error(`sent ${new Headers(init?.headers).get("authorization")}`);
  };
  const error = await failure(
    server.api({ fetch, http: undefined, credentials: "s3cret" }).profile.get(),
  );
  expect(error).toMatchObject({ reason: "connect", detail: "sent Bearer <redacted>" });
});

it("reads a compressed body of another origin in a browser, which hides Content-Encoding", async () => {
  const fetch = async () =>
    Object.defineProperty(new Response(PROFILE, { headers: { "content-length": "9" } }), "type", {
      value: "cors",
    });
  const api = server.api({ fetch, http: undefined });
  expect(await api.profile.get()).toEqual(JSON.parse(PROFILE));
});

it("a body longer than its Content-Length is read no further than `maxBodyBytes`", async () => {
  let given = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      given += 10_000;
      controller.enqueue(new Uint8Array(10_000));
    },
  });
  const lying = async () => new Response(body, { headers: { "content-length": "10" } });
  const api = server.api({ fetch: lying, http: undefined, maxBodyBytes: 100_000 });
  await expect(api.profile.get()).rejects.toMatchObject({ _tag: "ResponseMalformed" });
  expect(given).toBeLessThan(200_000);
});

it("an aborted call rejects with its signal's reason, also in the middle of a ladder", async () => {
  const api = server.api();
  const controller = new AbortController();
  server.answer = () => controller.abort(new Error("enough"));
  const reading = (async () => {
    const { signal } = controller;
    for await (const _ of api.leagues.ladderEntries({ league: "x" }, { signal }))
      throw new Error("an entry");
  })();
  await expect(reading).rejects.toThrow("enough");
});

describe("bodies that become 600 MiB", async () => {
  const bombs = await makeBombs();
  const MEBIBYTE = 1_048_576;
  /** The limit, and the piece that passes it: a whole body is one of the limit's size. */
  const MOST = 2 * 16 * MEBIBYTE;
  /** The error. Checks how much was inflated for it, which bounds CPU and memory. */
  const boundedFailure = async (encoding: string, run: () => Promise<unknown>) => {
    const { bytes, value } = await inflatedDuring(() =>
      run().then(
        () => expect.fail("it was read"),
        (cause: unknown) => cause,
      ),
    );
    expect(bytes).toBeLessThanOrEqual(MOST);
    // The count counts, where anything was inflated.
    if (encoding === "gzip") expect(bytes).toBeGreaterThan(15 * MEBIBYTE);
    return value;
  };
  it.each(transports)(
    "inflates a compressed body of 600 MiB only up to `maxBodyBytes` over %s",
    async (name, http) => {
      const api = server.api({ maxBodyBytes: 16 * MEBIBYTE, http });
      for (const [encoding, body] of Object.entries(bombs)) {
        server.answer = (response) =>
          response.writeHead(200, { "content-encoding": encoding }).end(body);
        const error = await boundedFailure(encoding, () => api.profile.get());
        // Fetch inflates by itself, with any coding that the platform knows.
        expect(error).toMatchObject(
          encoding === "gzip" || name === "fetch"
            ? { _tag: "ResponseMalformed", reason: "too-large" }
            : { _tag: "TransportError", reason: "body" },
        );
      }
    },
  );
});

it("a call waits at most ten minutes by default, and fails at once for a Retry-After of an hour [NS-12]", async () => {
  const restricted = {
    "x-rate-limit-policy": "p",
    "x-rate-limit-rules": "client",
    "x-rate-limit-client": "10:60:60",
    "x-rate-limit-client-state": "10:60:3600",
    "retry-after": "3600",
  };
  const body = '{"error":{"code":3,"message":"Rate limit exceeded"}}';
  server.answer = (response) => response.writeHead(429, restricted).end(body);
  const error = await failure(server.api({ retry: { times: 3, base: 1 } }).profile.get());
  const refusal = { status: 429, code: 3, detail: "Rate limit exceeded", policy: "p" };
  expect(error).toMatchObject({ _tag: "RateLimited", reason: "wait-too-long", ...refusal });
  const [, seconds] = /retry in (\d+) s/u.exec(error.message) ?? [];
  expect(Number(seconds)).toBeGreaterThan(3500);
  expect(Number(seconds)).toBeLessThan(3800);
  expect(server.seen.length).toBe(1);
});

it("each client of a program has its own limiter, so that a firewall's page stops only one client", async () => {
  server.answer = (response) =>
    response.writeHead(403, { "content-type": "text/html" }).end("blocked");
  const [first, second] = [server.api(), server.api()];
  await expect(first.profile.get()).rejects.toMatchObject({ reason: "firewall" });
  server.answer = (response) => response.end(PROFILE);
  expect(await second.profile.get()).toHaveProperty("uuid");
  await expect(first.profile.get()).rejects.toMatchObject({ reason: "firewall", attempts: 0 });
});

it("a proxy that refuses the connection fails the call with the proxy's status", async () => {
  const proxy = createServer();
  proxy.on("connect", (_, client: Socket) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const httpsProxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const agent = new EnvHttpProxyAgent({ httpsProxy, noProxy: "" });
  const http = NodeHttpClient.layerUndiciNoDispatcher.pipe(
    Layer.provide(Layer.succeed(NodeHttpClient.Dispatcher, agent)),
  );
  const api = server.api({ baseUrl: "https://api.example", http });
  await expect(api.profile.get()).rejects.toMatchObject({
    _tag: "TransportError",
    reason: "connect",
    detail: expect.stringContaining("Proxy response (403)"),
  });
  await api.close();
  await agent.destroy();
  proxy.close();
});
