/** The adapters against the real libraries and a plain HTTP server. */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLimiter, limitFetch, RequestNotSentError, routeOf } from "../src/index.ts";
import { limitDispatch } from "../src/undici/index.ts";
import { sliding } from "./model/sliding.ts";

let server: Server;
let base: string;
let service: ReturnType<typeof sliding>;

beforeAll(async () => {
  server = createServer((_, response) => {
    const { headers, status } = service.handle(performance.now());
    response.writeHead(status, { "content-type": "text/plain", ...headers });
    response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  service = sliding("p", [{ max: 4, period: 60_000 }]);
});

/** Every request beyond the window is refused before it is sent. */
const expectFour = (results: ReadonlyArray<PromiseSettledResult<unknown>>) => {
  const failed = results.filter(({ status }) => status === "rejected");
  expect(service.server.violations).toBe(0);
  expect(service.server.served).toBeGreaterThanOrEqual(3);
  expect(service.server.served + failed.length).toBe(results.length);
  for (const result of failed)
    expect((result as PromiseRejectedResult).reason).toBeInstanceOf(RequestNotSentError);
};

describe("fetch", () => {
  it("sends what its window permits, and leaves the body alone", async () => {
    const limited = limitFetch(createLimiter({ maxWait: 1000 }), fetch);
    const texts = Array.from({ length: 8 }, async () => (await limited(`${base}/users/7`)).text());
    const results = await Promise.allSettled(texts);
    expectFour(results);
    expect(results[0]).toEqual({ status: "fulfilled", value: "hello" });
  });

  it("takes a waiting request out of the queue when its signal says so", async () => {
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
    const agent = new Agent().compose(limitDispatch(createLimiter({ maxWait: 1000 })));
    const texts = Array.from({ length: 8 }, async () => {
      const { body } = await request(`${base}/x`, { dispatcher: agent });
      return body.text();
    });
    expectFour(await Promise.allSettled(texts));
    await agent.close();
  });
});
