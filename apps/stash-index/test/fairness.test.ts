/** One address that asks much holds up itself, not another. */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Exit, Scope } from "effect";
import { describe, expect, it } from "vitest";
import { networkOf } from "../src/web/guards.ts";
import { QueryPool, type Request } from "../src/web/QueryPool.ts";
import { openBoth } from "./support/changes.ts";
import { startIndex } from "./support/running.ts";

const request: Request = { kind: "closeWatch", id: 0 };

describe("QueryPool", () => {
  it("serves addresses in turn, and bounds what waits of each", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stash-index-fair-"));
    const path = join(folder, "index.db");
    const scope = Scope.makeUnsafe();
    await Effect.runPromise(Scope.provide(openBoth(path), scope));
    const pool = new QueryPool({
      path,
      threads: 1,
      deadlineMillis: 60_000,
      mostWaiting: 512,
      mostWaitingOfOne: 32,
    });
    await pool.ready();
    const order: Array<string> = [];
    const ask = async (asker: string) => {
      const { kind } = await pool.run(request, asker);
      if (kind === "value") order.push(asker);
      return kind;
    };
    const loud = Array.from({ length: 200 }, () => ask("loud"));
    const quiet = ask("quiet");
    expect(await quiet).toBe("value");
    expect(order.indexOf("quiet")).toBeLessThan(3);
    const kinds = await Promise.all(loud);
    expect(kinds.filter((kind) => kind === "value")).toHaveLength(33);
    await pool.close();
    await Effect.runPromise(Scope.close(scope, Exit.void));
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(process.platform !== "linux")("over HTTP", () => {
  it("answers one address while another asks without a pause, and tells that one of its own bound", async () => {
    const index = await startIndex({ world: { streamHistoryPages: 2 } });
    const { hostname, port } = new URL(index.origin);
    const ask = (localAddress: string, agent: Agent) =>
      new Promise<{ status: number; retryAfter: string | undefined; detail: string }>(
        (resolve, reject) => {
          const path = "/api/price-check?league=Standard&q=a";
          get({ hostname, port, path, localAddress, agent }, (response) => {
            let text = "";
            response.on("data", (chunk) => (text += chunk));
            response.on("end", () =>
              resolve({
                status: response.statusCode!,
                retryAfter: response.headers["retry-after"],
                detail: (JSON.parse(text) as { detail?: string }).detail ?? "",
              }),
            );
          }).on("error", reject);
        },
      );
    const agents = [1, 2].map(() => new Agent({ keepAlive: true }));
    let answered = 0;
    const over = new AbortController();
    const refused: Array<Awaited<ReturnType<typeof ask>>> = [];
    // Always more than the 32 that may wait: whoever stood behind them would wait for them all.
    const flood = Array.from({ length: 64 }, async () => {
      while (!over.signal.aborted) {
        const answer = await ask("127.0.0.2", agents[1]!);
        if (answer.status === 200) answered += 1;
        else refused.push(answer);
      }
    });
    await expect.poll(() => Math.min(answered, refused.length)).toBeGreaterThan(10);
    const before: Array<number> = [];
    for (let count = 0; count < 21; count += 1) {
      const start = answered;
      expect(await ask("127.0.0.1", agents[0]!)).toMatchObject({ status: 200 });
      before.push(answered - start);
    }
    over.abort();
    await Promise.all(flood);
    for (const agent of agents) agent.destroy();
    await index.close();
    expect(before.toSorted((a, b) => a - b)[10]).toBeLessThan(16);
    for (const { detail, retryAfter, status } of refused) {
      expect([status, retryAfter]).toEqual([503, "1"]);
      expect(detail).toMatch(/^32 queries from 127\.0\.0\.2 wait already, .* Retry-After\.$/u);
    }
  }, 180_000);
});

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
