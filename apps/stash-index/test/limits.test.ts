/** The bounds of requests: rates, bodies and streams for each address. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkOf } from "../src/web/limits.ts";
import { startServer } from "./support/running.ts";

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());

const problem = async (path: string, init?: RequestInit, { origin } = server) => {
  const response = await fetch(`${origin}${path}`, init);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await response.json()).toMatchObject({ status: response.status });
  return response;
};

const post = (body: BodyInit, type = "application/json") =>
  problem("/api/filters", {
    ...{ method: "POST", body, headers: { "content-type": type }, duplex: "half" },
  });

it("answers bodies that are too large, of another type or not JSON with a problem", async () => {
  const large = " ".repeat(70_000);
  expect((await post(large)).status).toBe(413);
  expect((await post(new Blob([large]).stream() as never)).status).toBe(413);
  expect((await post("{}", "text/plain")).status).toBe(415);
  expect((await post('{"i')).status).toBe(400);
  expect((await problem("/api/suggest?q=!")).status).toBe(400);
  expect((await problem(`/api/suggest?q=${"a".repeat(9000)}`)).status).toBe(400);
});

it("limits the requests of an address, but not the probes of its health", async () => {
  const slow = await startServer(1);
  try {
    const paths = ["/api/suggest?q=a", "//api/suggest?q=a", "/%61pi/suggest?q=a", "/api/%ff"];
    const sent = await Promise.all([...paths, ...paths].map((path) => fetch(slow.origin + path)));
    const refused = sent.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    for (let times = 0; times < 10; times += 1)
      expect((await fetch(`${slow.origin}/health`)).status).not.toBe(429);
  } finally {
    await slow.close();
  }
});

it("opens 16 streams for an address, and another one after they have closed", async () => {
  const open = async () => {
    const abort = new AbortController();
    const url = `${server.origin}/api/watch?league=Standard`;
    return { abort, response: await fetch(url, { signal: abort.signal }) };
  };
  const all = await Promise.all(Array.from({ length: 20 }, open));
  const refused = all.filter(({ response }) => response.status === 429);
  expect(refused).toHaveLength(4);
  expect(refused[0]!.response.headers.get("retry-after")).toBe("1");
  expect((await refused[0]!.response.json()).detail).toContain("127.0.0.1");
  for (const { abort } of all) abort.abort();
  await expect
    .poll(async () => {
      const { abort, response } = await open();
      abort.abort();
      return response.status;
    })
    .toBe(200);
});

describe("the network of an address", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["unknown", "unknown"],
  ])("counts requests from %s as requests from %s", (address, network) =>
    expect(networkOf(address)).toBe(network),
  );
});
