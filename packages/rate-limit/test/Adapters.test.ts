/** The adapters and the recipes of the README, against the real libraries and a plain HTTP server. */
import { getEventListeners } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PolicyLimiter, RequestNotSent, routeOf, withPolicyLimiter } from "@game-data/rate-limit";
import { createLimiter, type Limiter, limitFetch } from "@game-data/rate-limit/promise";
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

const classes = { route: () => "GET /" };

/** The clients of the README: each returns a function that sends one request. */
const clients: Readonly<Record<string, (limiter: Limiter) => () => PromiseLike<unknown>>> = {
  fetch: (limiter) => {
    const limited = limitFetch(limiter, fetch, classes);
    return async () => (await limited(base)).text();
  },
  undici: (limiter) => {
    const dispatcher = new Agent().compose(limitDispatch(limiter, classes));
    return async () => (await request(base, { dispatcher })).body.text();
  },
  ky: (limiter) => {
    const limited = ky.create({ fetch: limitFetch(limiter, fetch, classes), retry: 0 });
    return () => limited(base).text();
  },
  got: (limiter) => {
    const limited = got.extend({
      handlers: [(options, next) => limiter.run({ route: "GET /" }, () => next(options)) as never],
      retry: { limit: 0 },
    });
    return () => limited(base).text();
  },
  axios: (limiter) => () => limiter.run({ route: "GET /" }, () => axios.get(base)),
  octokit: (limiter) => {
    const octokit = new Octokit({ baseUrl: base });
    octokit.hook.wrap("request", (send, options) =>
      limiter.run({ route: `${options.method} /` }, () => send(options)),
    );
    return () => octokit.request("GET /repos/{owner}/x", { owner: "o" });
  },
};

describe.each(Object.entries(clients))("%s", (_, makeClient) => {
  it("a limited HTTP client sends the requests that the window permits, and fails the others with RequestNotSent", async () => {
    const { server: counted } = serve();
    const send = makeClient(createLimiter({ maxWait: "30 seconds" }));
    const results = await Promise.allSettled(Array.from({ length: 8 }, async () => send()));
    const errors = results.flatMap((result) => (result.status === "rejected" ? result.reason : []));
    expect(counted.violations).toBe(0);
    expect(counted.served).toBeGreaterThanOrEqual(3);
    expect(counted.served + errors.length).toBe(8);
    // Some clients wrap errors.
    for (const error of errors)
      expect(error instanceof RequestNotSent ? error : error.cause).toBeInstanceOf(RequestNotSent);
  });

  it("the limiter learns limits from the response of an error that an HTTP client throws", async () => {
    serve(true);
    const limiter = createLimiter({ maxWait: "30 seconds" });
    const send = makeClient(limiter);
    await Promise.allSettled([1, 2].map(async () => send()));
    expect(await limiter.limits({ route: "GET /" })).toMatchObject({
      policies: [{ name: "p", windows: [{ used: 2 }] }],
    });
  });
});

it("a ky client with limitFetch takes one permit for each attempt", async () => {
  const service = serve(true);
  const limiter = createLimiter({ maxWait: "30 seconds" });
  const retry = { limit: 2, delay: () => 1 };
  const limited = ky.create({ fetch: limitFetch(limiter, fetch), retry });
  await expect(limited(base).text()).rejects.toThrow("500");
  expect(service.server.handled).toBe(3);
  const { policies } = await limiter.limits({ route: `GET ${base.slice(7)}/` });
  expect(policies[0]).toMatchObject({ windows: [{ used: 3 }] });
});

it("withPolicyLimiter sends the requests that the window permits, and fails the others", async () => {
  const { server: counted } = serve();
  const program = Effect.gen(function* () {
    const client = yield* Effect.flatMap(HttpClient.HttpClient, withPolicyLimiter(classes));
    const send = Effect.flatMap(client.get(base), (response) => response.text);
    return yield* Effect.replicateEffect(Effect.result(send), 8, { concurrency: 8 });
  });
  const layers = Layer.merge(FetchHttpClient.layer, PolicyLimiter.layerMemory());
  const results = await Effect.runPromise(Effect.provide(program, layers));
  const failed = results.filter(({ _tag }) => _tag === "Failure");
  expect([counted.violations, counted.served + failed.length]).toEqual([0, 8]);
  expect(counted.served).toBeGreaterThanOrEqual(3);
  expect(failed).toMatchObject(failed.map(() => ({ failure: { _tag: "RequestNotSent" } })));
});

describe("createLimiter and limitFetch", () => {
  it("limitFetch starts no waiting request of a group that is aborted together", async () => {
    const limiter = createLimiter({ maxInFlight: 1 });
    const { promise, reject } = Promise.withResolvers<Response>();
    const hanging = vi.fn<typeof fetch>(() => promise);
    const controller = new AbortController();
    const { signal } = controller;
    const limited = limitFetch(limiter, hanging);
    const requests = Array.from({ length: 20 }, () => limited(base, { signal }));
    await vi.waitFor(() => expect(hanging).toHaveBeenCalledTimes(1), 10_000);
    const reason = new Error("enough");
    controller.abort(reason);
    for (const { status, ...result } of await Promise.allSettled(requests))
      expect([status, result]).toEqual(["rejected", { reason }]);
    expect(await limiter.waiting()).toBe(0);
    expect(hanging).toHaveBeenCalledTimes(1);
    reject(reason);
  });

  it("a closed limiter rejects waiting and later requests with `closed`", async () => {
    const limiter = createLimiter({ maxInFlight: 1 });
    const closed = { _tag: "RequestNotSent", reason: "closed", isRetryable: false };
    const { promise, resolve } = Promise.withResolvers<void>();
    const started = vi.fn<() => Promise<void>>(() => promise);
    void limiter.run({ route: "GET /" }, started).catch(() => undefined);
    await vi.waitFor(() => expect(started).toHaveBeenCalled(), 10_000);
    const waiting = limiter.run({ route: "GET /" }, () => 1);
    await vi.waitFor(async () => expect(await limiter.waiting()).toBe(1), 10_000);
    await Promise.all([expect(waiting).rejects.toMatchObject(closed), limiter.close()]);
    await expect(limiter.run({ route: "GET /" }, () => 1)).rejects.toMatchObject(closed);
    await expect(limiter.limits({ route: "GET /" })).rejects.toMatchObject(closed);
    resolve();
  });
  it("limitFetch leaves no listener on a signal that outlives its requests", async () => {
    const { signal } = new AbortController();
    const limited = limitFetch(createLimiter(), async () => new Response());
    await limited(base, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("limitFetch rejects for an invalid URL instead of throwing", async () => {
    const limited = limitFetch(createLimiter(), fetch);
    const sent = limited("/users");
    await expect(sent).rejects.toThrow("Invalid URL");
  });
});

it.each([
  ["GET", "/users/12?q=1", "GET a.example/users/{id}"],
  ["POST", "/x/0f8fad5b-d9cb-469f-a165-70867728950e/y", "POST a.example/x/{id}/y"],
  ["GET", "/feed", "GET a.example/feed"],
])("the default route of %s %s is %s", (method, path, route) => {
  expect(routeOf(method, new URL(path, "https://a.example"))).toBe(route);
});

describe("limitDispatch", () => {
  it("limitDispatch limits requests that EnvHttpProxyAgent sends through a proxy", async () => {
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
    await Promise.allSettled(texts);
    expect(current.service.server.violations).toBe(0);
    expect(current.service.server.served).toBeGreaterThanOrEqual(3);
    expect(new Set(tunnels)).toEqual(new Set([base.slice("http://".length)]));
    await agent.close();
    proxy.closeAllConnections();
    proxy.close();
  });

  it("limitDispatch removes a waiting request if its signal aborts, and keeps no listener", async () => {
    const service = serve();
    const limiter = createLimiter({ maxInFlight: 1 });
    const agent = new Agent().compose(limitDispatch(limiter));
    const controller = new AbortController();
    const { signal } = controller;
    await (await request(`${base}/x`, { dispatcher: agent, signal })).body.dump();
    await vi.waitFor(() => expect(getEventListeners(signal, "abort")).toEqual([]), 10_000);
    const held = Promise.withResolvers<void>();
    const running = limiter.run({ route: "GET /held" }, () => held.promise);
    const waiting = request(`${base}/x`, { dispatcher: agent, signal });
    controller.abort(new Error("aborted"));
    await expect(waiting).rejects.toThrow("aborted");
    await vi.waitFor(async () => expect(await limiter.waiting()).toBe(0), 10_000);
    held.resolve();
    await running;
    expect(service.server.handled).toBe(1);
    await agent.close();
  });
});

it("a limiter with a reader for GitHub's headers keeps GitHub's limit", async () => {
  const limiter = createLimiter({
    read: ({ max, resource, used }) => {
      const window = { rule: "token", max: Number(max), period: 3_600_000, count: Number(used) };
      return { policy: resource, windows: [{ ...window, isExact: true }] };
    },
  });
  let used = 0;
  const send = () => ({ status: 200, headers: { max: "3", used: ++used, resource: "core" } });
  const requests = Array.from({ length: 6 }, () => limiter.run({ route: "GET /user" }, send));
  const results = await Promise.allSettled(requests);
  expect(used).toBe(3);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(3);
});
