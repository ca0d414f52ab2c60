import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { inflatedDuring, makeBombs } from "@game-data/test-support";
import { Context, Effect, Layer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { EnvHttpProxyAgent } from "undici";
import { describe, expect, it } from "vitest";
import { GameApi, LimiterStoreError, PolicyLimiter } from "../src/index.ts";
import type { createGameApi } from "../src/promise.ts";
import { PROFILE } from "./recording.ts";
import { failureOf, userAgent, type Use } from "./sandbox.ts";
import { useServer } from "./server.ts";

type PromiseApi = ReturnType<typeof createGameApi>;

const server = useServer((response) => response.end(PROFILE));
const profile: Use<unknown> = (api) => api.profile.get();

const transports = [
  ["undici", NodeHttpClient.layerUndici],
  ["fetch", FetchHttpClient.layer],
] as const;

const eventually = async (isSo: () => boolean) => {
  for (let round = 0; round < 500 && !isSo(); round++) await sleep(10);
  expect(isSo()).toBe(true);
};

describe.each(transports)("over %s", (_, transport) => {
  it("a body without a length and without an end is given up where it becomes too large", async () => {
    let written = 0;
    server.answer = (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        if (response.destroyed) return;
        written += 65_536;
        if (response.write("x".repeat(65_536))) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    };
    const exit = await server.exit(
      profile,
      { maxBodyBytes: 200_000, timeout: "20 seconds" },
      transport,
    );
    expect(failureOf(exit)).toMatchObject({
      _tag: "ResponseMalformed",
      reason: "too-large",
      isRetryable: false,
    });
    await eventually(() => server.open.size === 0);
    expect(written).toBeLessThan(50_000_000);
  });

  it("the connection of an answer that is announced as too large is let go at once", async () => {
    server.answer = (response) => {
      response.writeHead(500, { "content-type": "text/plain", "content-length": 5_000_000 });
      response.write("x".repeat(300_000));
    };
    const error = failureOf(await server.exit(profile, {}, transport));
    expect(error).toMatchObject({ _tag: "ServerError", status: 500 });
    await eventually(() => server.open.size === 0);
  });
});

it("a packed body is bounded by what it unpacks to", async () => {
  server.answer = (response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync(" ".repeat(5_000_000) + PROFILE));
  };
  const exit = await server.exit(profile, { maxBodyBytes: 100_000 });
  expect(failureOf(exit)).toMatchObject({ _tag: "ResponseMalformed", reason: "too-large" });
});

it("a body in a coding that was not requested is refused unread over undici", async () => {
  const codings = {
    br: brotliCompressSync(PROFILE),
    deflate: deflateSync(PROFILE),
    zstd: zstdCompressSync(PROFILE),
    "gzip, gzip": gzipSync(gzipSync(PROFILE)),
  };
  for (const [coding, body] of Object.entries(codings)) {
    server.answer = (response) => response.writeHead(200, { "content-encoding": coding }).end(body);
    expect(failureOf(await server.exit(profile))).toMatchObject({
      reason: "body",
      detail: expect.stringContaining(coding),
    });
  }
});

it("a body shorter than announced is half an answer, whatever the transport thinks of it", async () => {
  const fetch = Layer.succeed(
    FetchHttpClient.Fetch,
    async () => new Response(PROFILE, { headers: { "content-length": "100" } }),
  );
  const exit = await server.exit(profile, {}, Layer.provide(FetchHttpClient.layer, fetch));
  expect(failureOf(exit)).toMatchObject({ detail: `${PROFILE.length} of 100 bytes` });
});

it("a body longer than announced is read no further than the limit", async () => {
  let given = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      given += 10_000;
      controller.enqueue(new Uint8Array(10_000));
    },
  });
  const lying = async () => new Response(body, { headers: { "content-length": "10" } });
  const api = server.api({ fetch: lying, maxBodyBytes: 100_000 });
  await expect(api.profile.get()).rejects.toMatchObject({ _tag: "ResponseMalformed" });
  expect(given).toBeLessThan(200_000);
  await api.close();
});

it("a call that is given up throws its signal's reason, also in the middle of a ladder", async () => {
  const api = server.api();
  const controller = new AbortController();
  server.answer = () => controller.abort(new Error("enough"));
  const reading = (async () => {
    const { signal } = controller;
    for await (const _ of api.leagues.ladderEntries({ league: "x" }, { signal }))
      throw new Error("an entry");
  })();
  await expect(reading).rejects.toThrow("enough");
  await api.close();
});

describe("a client of promises over undici", () => {
  const use = async <A>(run: (api: PromiseApi) => Promise<A>) => {
    const api = server.api({ http: NodeHttpClient.layerUndici });
    try {
      return await run(api);
    } finally {
      await api.close();
    }
  };

  it("decodes plain and compressed bodies, and returns raw ones unchanged", async () => {
    expect(await use((api) => api.profile.get())).toHaveProperty("uuid");
    const packed = gzipSync(PROFILE);
    server.answer = (response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
    expect(await use((api) => api.profile.get())).toHaveProperty("uuid");
    await use(async (api) => {
      const raw = await api.publicStashTabs.raw();
      expect(raw.encoding).toBe("gzip");
      const chunks: Array<Uint8Array> = [];
      for await (const chunk of raw.bytes) chunks.push(chunk);
      expect(Buffer.concat(chunks)).toEqual(packed);
    });
  });

  it("notices a body that breaks off, a refused connection and a timeout", async () => {
    server.answer = (response) => {
      response.writeHead(200, { "content-length": 100 }).write("{");
      setImmediate(() => response.destroy());
    };
    await expect(use((api) => api.profile.get())).rejects.toMatchObject({ reason: "body" });
    server.answer = () => undefined;
    await expect(use((api) => api.profile.get({ timeout: 50 }))).rejects.toMatchObject({
      _tag: "Timeout",
    });
    await eventually(() => server.open.size === 0);
    const closed = server.api({ baseUrl: "http://127.0.0.1:1", http: NodeHttpClient.layerUndici });
    await expect(closed.profile.get()).rejects.toMatchObject({
      _tag: "TransportError",
      reason: "connect",
    });
    await closed.close();
  });

  it("closes the connection of a raw response that is left unread", async () => {
    server.answer = (response) => {
      response.writeHead(200, { "content-length": 1_000_000 });
      response.write("x".repeat(1000));
    };
    const api = server.api({ http: NodeHttpClient.layerUndici });
    const raw = await api.publicStashTabs.raw();
    expect(server.open.size).toBe(1);
    await raw.close();
    await eventually(() => server.open.size === 0);
    await api.close();
  });
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
  it.each(transports)("are given up over %s", async (name, http) => {
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
    await api.close();
  });
});

it("a limiter's store that is out of reach fails a forecast as a fault of the limiter", async () => {
  const failing = Effect.fail(new LimiterStoreError({ cause: new Error("gone") }));
  const exit = await Effect.runPromiseExit(
    Effect.flatMap(GameApi, (api) => api.forecast("profile.get", 1)).pipe(
      Effect.provide(
        GameApi.layerWithLimiter({ baseUrl: server.baseUrl, userAgent }).pipe(
          Layer.orDie,
          Layer.provide(NodeHttpClient.layerUndici),
          Layer.provide(
            Layer.succeed(PolicyLimiter, {
              run: () => failing,
              forecast: () => failing,
              limits: () => failing,
              waiting: Effect.succeed(0),
            }),
          ),
        ),
      ),
    ),
  );
  expect(failureOf(exit)).toMatchObject({
    _tag: "TransportError",
    reason: "limiter",
    detail: expect.stringContaining("gone"),
  });
});

describe("the longest wait", () => {
  const restricted = {
    "x-rate-limit-policy": "p",
    "x-rate-limit-rules": "client",
    "x-rate-limit-client": "10:60:60",
    "x-rate-limit-client-state": "10:60:3600",
    "retry-after": "3600",
  };

  it("is ten minutes by default: a Retry-After of an hour fails at once and names the time [NS-12]", async () => {
    server.answer = (response) => response.writeHead(429, restricted).end("{}");
    const exit = await server.exit(profile, { retry: { times: 3, base: 1 } });
    const error = failureOf(exit);
    expect(error).toMatchObject({ _tag: "RateLimited", reason: "wait-too-long" });
    const [, seconds] = /retry in (\d+) s/u.exec(error.message) ?? [];
    expect(Number(seconds)).toBeGreaterThan(3500);
    expect(Number(seconds)).toBeLessThan(3800);
    expect(server.seen.length).toBe(1);
  });
});

it("two clients in one program have a limiter each", async () => {
  class Other extends Context.Service<Other, GameApi["Service"]>()("Other") {}
  server.answer = (response) =>
    response.writeHead(403, { "content-type": "text/html" }).end("blocked");
  const options = { baseUrl: server.baseUrl, userAgent, retry: { times: 0 } };
  const client = GameApi.layer(options);
  const other = Layer.effect(Other, GameApi).pipe(Layer.provide(client));
  const another = GameApi.layer(options);
  await Effect.gen(function* () {
    const first = yield* Other;
    expect(yield* Effect.flip(first.profile.get())).toMatchObject({ reason: "firewall" });
    server.answer = (response) => response.end(PROFILE);
    expect(yield* (yield* GameApi).profile.get()).toHaveProperty("uuid");
    expect(yield* Effect.flip(first.profile.get())).toMatchObject({
      reason: "firewall",
      attempts: 0,
    });
  }).pipe(
    Effect.provide(Layer.merge(other, another).pipe(Layer.provide(NodeHttpClient.layerUndici))),
    Effect.runPromise,
  );
});

describe("behind a proxy", () => {
  it("tells that the proxy refuses the connection", async () => {
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
    await agent.destroy();
    proxy.close();
  });
});
