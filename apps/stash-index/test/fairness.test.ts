/** One address that asks much holds up itself, not another. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Exit, Scope } from "effect";
import { describe, expect, it } from "vitest";
import { networkOf } from "../src/web/guards.ts";
import { QueryPool, type Request } from "../src/web/QueryPool.ts";
import { openBoth } from "./support/changes.ts";

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

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:0:1::5", "2001:db8:0:1::/64"],
  ["2001:db8:0:1:ffff:1:2:3", "2001:db8:0:1::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("counts %s as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
