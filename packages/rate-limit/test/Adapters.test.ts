/** The adapters against the real libraries and a plain HTTP server. */
import { EventEmitter, getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { Octokit } from "@octokit/core";
import { Effect, Layer } from "effect";
import { FetchHttpClient } from "effect/http";
import got from "got";
import ky from "ky";
import { Agent, EnvHttpProxyAgent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PolicyLimiter } from "../src/effect/index.ts";
import * as LimitedHttpClient from "../src/effect/http.ts";
import { createLimiter, limitFetch, RequestNotSentError, routeOf } from "../src/index.ts";
import { snapshot } from "../src/inspect.ts";
import { limitRequest } from "../src/node/index.ts";
import { limitDispatch } from "../src/undici/index.ts";
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
    expect(refusalOf((result as PromiseRejectedResult).reason)).toBeInstanceOf(RequestNotSentError);
};

/** Some clients wrap what their request function throws. */
const refusalOf = (error: unknown): unknown =>
  error instanceof RequestNotSentError ? error : (error as Error).cause;

const eight = <A>(send: () => PromiseLike<A>) =>
  Promise.allSettled(Array.from({ length: 8 }, async () => send()));

describe("fetch", () => {
  it("sends what its window permits, and leaves the body alone", async () => {
    serve();
    const limited = limitFetch(createLimiter({ maxWait: 30_000 }), fetch);
    const texts = Array.from({ length: 8 }, async () => (await limited(`${base}/users/7`)).text());
    const results = await Promise.allSettled(texts);
    expectFour(results);
    expect(results[0]).toEqual({ status: "fulfilled", value: "hello" });
  });

  it("takes a waiting request out of the queue when its signal says so", async () => {
    serve();
    const limiter = createLimiter();
    const limited = limitFetch(limiter, fetch);
    for (let index = 0; index < 3; index++) await (await limited(base)).text();
    const controller = new AbortController();
    const waiting = limited(base, { signal: controller.signal });
    const waitingToo = limited(base, { signal: controller.signal });
    await Promise.resolve();
    controller.abort(new Error("enough"));
    const results = await Promise.allSettled([waiting, waitingToo]);
    expect(results.some(({ status }) => status === "rejected")).toBe(true);
    expect(limiter.waiting()).toBe(0);
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
    const agent = new Agent().compose(limitDispatch(createLimiter({ maxWait: 30_000 })));
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
    const limiter = createLimiter({ maxWait: 30_000 });
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

  it("takes a waiting request out of the queue when its emitter says so", async () => {
    const service = serve();
    const limiter = createLimiter();
    const agent = new Agent().compose(limitDispatch(limiter));
    const signal = new EventEmitter();
    limiter.pause();
    const waiting = request(`${base}/x`, { dispatcher: agent, signal });
    signal.emit("abort");
    await expect(waiting).rejects.toThrow("aborted");
    limiter.resume();
    const other = new EventEmitter();
    await (await request(`${base}/x`, { dispatcher: agent, signal: other })).body.dump();
    expect([limiter.waiting(), service.server.handled]).toEqual([0, 1]);
    await vi.waitFor(() => expect(other.listenerCount("abort")).toBe(0), 10_000);
    await agent.close();
  });

  it("takes a waiting request out of the queue when its signal says so", async () => {
    const service = serve();
    const limiter = createLimiter({ maxInFlight: 1 });
    const agent = new Agent().compose(limitDispatch(limiter));
    const lease = await limiter.acquire({ route: "GET /held" });
    const controller = new AbortController();
    const waiting = request(`${base}/x`, { dispatcher: agent, signal: controller.signal });
    expect(limiter.waiting()).toBe(1);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect(limiter.waiting()).toBe(0);
    await lease.settle({ status: 200 });
    expect(service.server.handled).toBe(0);
    await agent.close();
  });
});

describe("ky", () => {
  it("sends what its window permits", async () => {
    serve();
    const limiter = createLimiter({ maxWait: 30_000 });
    const limited = ky.create({ fetch: limitFetch(limiter, fetch), retry: 0 });
    expectFour(await eight(() => limited(base).text()));
  });

  it("takes one permit for each attempt", async () => {
    const service = serve(true);
    const limiter = createLimiter({ maxWait: 30_000 });
    const retry = { limit: 2, delay: () => 1 };
    const limited = ky.create({ fetch: limitFetch(limiter, fetch), retry });
    await expect(limited(base).text()).rejects.toThrow("500");
    expect(service.server.handled).toBe(3);
    const { policies } = await snapshot(limiter, { route: `GET ${base.slice(7)}/` });
    expect(policies[0]).toMatchObject({ inFlight: 0, windows: [{ used: 3 }] });
  });
});

describe("got", () => {
  it("sends what its window permits", async () => {
    serve();
    const limited = got.extend({
      request: limitRequest(createLimiter({ maxWait: 30_000 })),
      retry: { limit: 0 },
    });
    expectFour(await eight(() => limited(base).text()));
  });

  it("takes one permit for each attempt", async () => {
    const service = serve(true);
    const limiter = createLimiter({ maxWait: 30_000 });
    const limited = got.extend({
      request: limitRequest(limiter),
      retry: { limit: 2, calculateDelay: ({ computedValue }) => Math.min(computedValue, 1) },
    });
    await expect(limited(base).text()).rejects.toThrow("500");
    expect(service.server.handled).toBe(3);
    const { policies } = await snapshot(limiter, { route: `GET ${base.slice(7)}/` });
    expect(policies[0]).toMatchObject({ inFlight: 0, windows: [{ used: 3 }] });
  });
});

describe("octokit", () => {
  it("sends what its window permits, by its own templates of routes", async () => {
    serve();
    const limiter = createLimiter({ maxWait: 30_000 });
    const octokit = new Octokit({ baseUrl: base });
    octokit.hook.wrap("request", (send, options) =>
      limiter.run({ route: `${options.method} ${options.url}` }, () => send(options)),
    );
    let next = 0;
    expectFour(await eight(() => octokit.request("GET /repos/{owner}/x", { owner: `o${next++}` })));
    const { limits } = await snapshot(limiter, { route: "GET /repos/{owner}/x" });
    expect(limits).toBe("learned");
  });

  it("reads the response of an error", async () => {
    serve(true);
    const limiter = createLimiter({ maxWait: 30_000 });
    const octokit = new Octokit({ baseUrl: base });
    octokit.hook.wrap("request", (send, options) =>
      limiter.run({ route: `${options.method} ${options.url}` }, () => send(options)),
    );
    await expect(octokit.request("GET /x")).rejects.toMatchObject({ status: 500 });
    const { policies } = await snapshot(limiter, { route: "GET /x" });
    expect(policies[0]).toMatchObject({ name: "p", windows: [{ used: 1 }] });
  });
});

describe("Effect's HttpClient", () => {
  it("sends what its window permits", async () => {
    const service = serve();
    const layer = LimitedHttpClient.layer({ maxWait: "1 second" }).pipe(
      Layer.provide([FetchHttpClient.layer, PolicyLimiter.layerMemory()]),
    );
    const program = Effect.gen(function* () {
      const client = yield* LimitedHttpClient.LimitedHttpClient;
      const send = Effect.flatMap(client.get(`${base}/users/7`), (response) => response.text);
      return yield* Effect.all(
        Array.from({ length: 8 }, () => Effect.result(send)),
        { concurrency: "unbounded" },
      );
    });
    const results = await Effect.runPromise(Effect.provide(program, layer));
    const failed = results.filter(({ _tag }) => _tag === "Failure");
    expect(service.server.violations).toBe(0);
    expect(service.server.served).toBeGreaterThanOrEqual(3);
    expect(service.server.served + failed.length).toBe(8);
    expect(
      results.filter((result) => result._tag === "Success" && result.success === "hello"),
    ).toHaveLength(service.server.served);
    expect(failed).toMatchObject(failed.map(() => ({ failure: { _tag: "RequestNotSent" } })));
  });
});
