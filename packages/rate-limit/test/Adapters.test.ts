/** The adapters and the recipes of the README, against the real libraries and a plain HTTP server. */
import { EventEmitter, getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { PolicyLimiter, RequestNotSent, routeOf, withPolicyLimiter } from "@game-data/rate-limit";
import { createLimiter, limitFetch } from "@game-data/rate-limit/promise";
import type { Limiter } from "@game-data/rate-limit/promise";
import { limitDispatch } from "@game-data/rate-limit/undici";
import { Octokit } from "@octokit/core";
import axios from "axios";
import { Effect, Layer } from "effect";
import { FetchHttpClient, HttpClient } from "effect/http";
import got from "got";
import ky from "ky";
import { Agent, EnvHttpProxyAgent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sliding } from "./model/sliding.ts";

let server: Server;
let base: string;
/** The service of the test that runs; `isBroken`: its responses say 500. */
let current: { readonly service: ReturnType<typeof sliding>; readonly isBroken: boolean };

const serve = (isBroken = false) => {
  const service = sliding("p", [{ max: 4, period: 60_000 }]);
  current = { isBroken, service };
  return service;
};

beforeAll(async () => {
  server = createServer((_, response) => {
    const { isBroken, service } = current;
    const { headers, status } = service.handle(performance.now());
    response.writeHead(isBroken ? 500 : status, { "content-type": "text/plain", ...headers });
    response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Every request beyond the window is refused before it is sent. */
const expectFour = (results: ReadonlyArray<PromiseSettledResult<unknown>>) => {
  const failed = results.filter(({ status }) => status === "rejected");
  const { served, violations } = current.service.server;
  expect(violations).toBe(0);
  expect(served).toBeGreaterThanOrEqual(3);
  expect(served + failed.length).toBe(results.length);
  for (const result of failed)
    expect(refusalOf((result as PromiseRejectedResult).reason)).toBeInstanceOf(RequestNotSent);
};

/** Some clients wrap what their request function throws. */
const refusalOf = (error: unknown): unknown =>
  error instanceof RequestNotSent ? error : (error as Error).cause;

const eight = <A>(send: () => PromiseLike<A>) =>
  Promise.allSettled(Array.from({ length: 8 }, async () => send()));

describe("fetch", () => {
  it("sends what its window permits, and leaves the body alone", async () => {
    serve();
    const limited = limitFetch(createLimiter({ maxWait: "30 seconds" }), fetch);
    const texts = Array.from({ length: 8 }, async () => (await limited(`${base}/users/7`)).text());
    const results = await Promise.allSettled(texts);
    expectFour(results);
    expect(results[0]).toEqual({ status: "fulfilled", value: "hello" });
  });

  it("removes a waiting request from the queue when its signal aborts", async () => {
    serve();
    const limiter = createLimiter();
    const limited = limitFetch(limiter, fetch);
    for (let index = 0; index < 3; index++) await (await limited(base)).text();
    const controller = new AbortController();
    const waiting = [1, 2].map(() => limited(base, { signal: controller.signal }));
    await Promise.resolve();
    controller.abort(new Error("enough"));
    const results = await Promise.allSettled(waiting);
    expect(results.some(({ status }) => status === "rejected")).toBe(true);
    expect(await limiter.waiting()).toBe(0);
  });

  it("leaves no listener on a signal that outlives its requests", async () => {
    const { signal } = new AbortController();
    const limited = limitFetch(createLimiter(), async () => new Response());
    await limited(base, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("rejects an address that is none; it never throws in place", async () => {
    const limited = limitFetch(createLimiter(), fetch);
    const sent = limited("/users");
    await expect(sent).rejects.toThrow("Invalid URL");
  });

  it("tells routes apart by method, host and path without ids", () => {
    const route = (url: string) => routeOf("GET", new URL(url));
    expect(route("https://a.example/users/12?q=1")).toBe("GET a.example/users/{id}");
    expect(route("https://a.example/x/0f8fad5b-d9cb-469f-a165-70867728950e/y")).toBe(
      "GET a.example/x/{id}/y",
    );
    expect(route("https://a.example/feed")).toBe("GET a.example/feed");
  });
});

describe("undici", () => {
  it("sends what its window permits", async () => {
    serve();
    const agent = new Agent().compose(limitDispatch(createLimiter({ maxWait: "30 seconds" })));
    const texts = Array.from({ length: 8 }, async () => {
      const { body } = await request(`${base}/x`, { dispatcher: agent });
      return body.text();
    });
    expectFour(await Promise.allSettled(texts));
    await agent.close();
  });

  it("sends through the proxy that the environment names", async () => {
    serve();
    const tunnels: Array<string> = [];
    const proxy = createServer().on("connect", ({ url = "" }, socket: Socket) => {
      tunnels.push(url);
      const target = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        target.pipe(socket).pipe(target);
      });
      socket.on("error", () => target.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const httpProxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const limiter = createLimiter({ maxWait: "30 seconds" });
    const proxied = new EnvHttpProxyAgent({ httpProxy, noProxy: "", proxyTunnel: true });
    const agent = proxied.compose(limitDispatch(limiter));
    const texts = Array.from({ length: 8 }, async () => {
      const { body } = await request(`${base}/x`, { dispatcher: agent });
      return body.text();
    });
    expectFour(await Promise.allSettled(texts));
    expect(new Set(tunnels)).toEqual(new Set([base.slice("http://".length)]));
    await agent.close();
    proxy.closeAllConnections();
    proxy.close();
  });

  it("removes a waiting request from the queue when its signal aborts", async () => {
    const service = serve();
    const limiter = createLimiter({ maxInFlight: 1 });
    const agent = new Agent().compose(limitDispatch(limiter));
    const held = Promise.withResolvers<void>();
    const running = limiter.run({ route: "GET /held" }, () => held.promise);
    const controller = new AbortController();
    const waiting = request(`${base}/x`, { dispatcher: agent, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await vi.waitFor(async () => expect(await limiter.waiting()).toBe(0), 10_000);
    held.resolve();
    await running;
    expect(service.server.handled).toBe(0);
    await agent.close();
  });
});

it("undici's emitter removes a waiting request, and keeps no listener", async () => {
  const service = serve();
  const limiter = createLimiter({ maxWait: "10 minutes" });
  const agent = new Agent().compose(limitDispatch(limiter));
  const emitter = new EventEmitter();
  await (await request(`${base}/x`, { dispatcher: agent, signal: emitter })).body.dump();
  await vi.waitFor(() => expect(emitter.listenerCount("abort")).toBe(0), 10_000);
  for (let index = 0; index < 2; index++)
    await (await request(`${base}/x`, { dispatcher: agent })).body.dump();
  const waiting = request(`${base}/x`, { dispatcher: agent, signal: emitter });
  emitter.emit("abort");
  await expect(waiting).rejects.toThrow("aborted");
  expect(service.server.handled).toBe(3);
  await agent.close();
});

describe("ky", () => {
  it("sends what its window permits", async () => {
    serve();
    const limiter = createLimiter({ maxWait: "30 seconds" });
    const limited = ky.create({ fetch: limitFetch(limiter, fetch), retry: 0 });
    expectFour(await eight(() => limited(base).text()));
  });

  it("takes one permit for each attempt", async () => {
    const service = serve(true);
    const limiter = createLimiter({ maxWait: "30 seconds" });
    const retry = { limit: 2, delay: () => 1 };
    const limited = ky.create({ fetch: limitFetch(limiter, fetch), retry });
    await expect(limited(base).text()).rejects.toThrow("500");
    expect(service.server.handled).toBe(3);
    const { policies } = await limiter.limits({ route: `GET ${base.slice(7)}/` });
    expect(policies[0]).toMatchObject({ windows: [{ used: 3 }] });
  });
});

describe("got", () => {
  const limitGot = (limiter: Limiter, limit: number) =>
    got.extend({
      handlers: [
        (options, next) =>
          limiter.run({ route: routeOf(options.method, new URL(String(options.url))) }, () =>
            next(options),
          ) as never,
      ],
      retry: { limit },
    });

  it("sends what its window permits", async () => {
    serve();
    const limited = limitGot(createLimiter({ maxWait: "30 seconds" }), 0);
    expectFour(await eight(() => limited(base)));
  });

  it("reports the response of an error", async () => {
    serve(true);
    const limiter = createLimiter({ maxWait: "30 seconds" });
    await expect(limitGot(limiter, 0)(base)).rejects.toThrow("500");
    expect(await limiter.limits({ route: `GET ${base.slice(7)}/` })).toMatchObject({
      policies: [{ name: "p", windows: [{ used: 1 }] }],
    });
  });
});

describe("axios", () => {
  it("sends what its window permits", async () => {
    serve();
    const limiter = createLimiter({ maxWait: "30 seconds" });
    expectFour(await eight(() => limiter.run({ route: "GET /" }, () => axios.get(base))));
  });
});

describe("octokit", () => {
  it("sends what its window permits, by its own templates of routes", async () => {
    serve();
    const limiter = createLimiter({ maxWait: "30 seconds" });
    const octokit = new Octokit({ baseUrl: base });
    octokit.hook.wrap("request", (send, options) =>
      limiter.run({ route: `${options.method} ${options.url}` }, () => send(options)),
    );
    let next = 0;
    expectFour(await eight(() => octokit.request("GET /repos/{owner}/x", { owner: `o${next++}` })));
    const { limits } = await limiter.limits({ route: "GET /repos/{owner}/x" });
    expect(limits).toBe("learned");
  });

  it("reads the response of an error", async () => {
    serve(true);
    const limiter = createLimiter({ maxWait: "30 seconds" });
    const octokit = new Octokit({ baseUrl: base });
    octokit.hook.wrap("request", (send, options) =>
      limiter.run({ route: `${options.method} ${options.url}` }, () => send(options)),
    );
    await expect(octokit.request("GET /x")).rejects.toMatchObject({ status: 500 });
    const { policies } = await limiter.limits({ route: "GET /x" });
    expect(policies[0]).toMatchObject({ name: "p", windows: [{ used: 1 }] });
  });
});

describe("Effect's HttpClient", () => {
  it("sends what its window permits", async () => {
    const service = serve();
    const program = Effect.gen(function* () {
      const limited = withPolicyLimiter({ maxWait: "1 second" });
      const client = yield* Effect.flatMap(HttpClient.HttpClient, limited);
      const send = Effect.flatMap(client.get(`${base}/users/7`), (response) => response.text);
      return yield* Effect.all(
        Array.from({ length: 8 }, () => Effect.result(send)),
        { concurrency: "unbounded" },
      );
    });
    const layers = Layer.mergeAll(FetchHttpClient.layer, PolicyLimiter.layerMemory());
    const results = await Effect.runPromise(Effect.provide(program, layers));
    const failed = results.filter(({ _tag }) => _tag === "Failure");
    expect(service.server.violations).toBe(0);
    expect(service.server.served).toBeGreaterThanOrEqual(3);
    expect(service.server.served + failed.length).toBe(8);
    expect(failed).toMatchObject(failed.map(() => ({ failure: { _tag: "RequestNotSent" } })));
  });
});

describe("a reader of other headers", () => {
  it("keeps GitHub's limit", async () => {
    let remaining = 3;
    const limiter = createLimiter({
      maxWait: "100 millis",
      read: (headers) => ({
        policy: headers["x-ratelimit-resource"],
        windows: [
          {
            rule: "token",
            max: Number(headers["x-ratelimit-limit"]),
            period: 3_600_000,
            count: Number(headers["x-ratelimit-used"]),
            isExact: true,
          },
        ],
      }),
    });
    const send = () =>
      limiter.run({ route: "GET /user" }, () => ({
        status: --remaining < 0 ? 403 : 200,
        headers: {
          "x-ratelimit-limit": "3",
          "x-ratelimit-used": String(3 - Math.max(0, remaining)),
          "x-ratelimit-resource": "core",
        },
      }));
    const results = await Promise.allSettled(Array.from({ length: 6 }, send));
    expect(remaining).toBe(0);
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(3);
  });
});
