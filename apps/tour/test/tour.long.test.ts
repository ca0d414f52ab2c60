/** The story, as `npm start` without a terminal runs it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";

interface Ended {
  readonly code: number | string | null;
  readonly out: string;
  readonly err: string;
}

const run = (...args: ReadonlyArray<string>): Promise<Ended> => {
  const { FORCE_COLOR: _, ...env } = process.env;
  const main = join(import.meta.dirname, "../src/main.ts");
  return new Promise((resolve) =>
    execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : (error.code ?? null), out, err }),
    ),
  );
};

let tour: Ended;
beforeAll(async () => {
  tour = await run();
}, 300_000);

it("the tour passes thirteen steps and exits with 0", () => {
  expect(tour.err).toBe("");
  expect(tour.out.match(/^✓/gmu)).toHaveLength(13);
  expect(tour.out).toMatch(/13 steps passed\.\n$/u);
  expect(tour.code).toBe(0);
});

it("the tour prints plain text without a terminal, and no token", () => {
  // oxlint-disable-next-line no-control-regex
  expect(tour.out).not.toMatch(/[\u001B\r]/u);
  expect(tour.out).not.toMatch(/(?<!AAAAB)\b[\w-]{43,}\b/mu);
});

it("the tour prints the facts that each step has checked", () => {
  for (const fact of [
    /granted account:profile account:characters account:stashes/u,
    /14 characters; \w+ wears \d+ items/u,
    /\d+ nodes of \w+, equal after the round trip/u,
    /HTTP 422, The filter is not valid/u,
    /two responses 503, and then the profile/u,
    /4 scopes granted, without a user/u,
    /2,500 entries, every rank in order/u,
    /\d+ pages, and the file holds the same stashes and items/u,
    /24 hours with [\d,]+ markets/u,
    /both servers reject the revoked tokens/u,
  ])
    expect(tour.out).toMatch(fact);
});

it("the tour refuses an unknown option with exit code 1", async () => {
  const { code, err } = await run("--nonsense");
  expect(err).toContain("--nonsense");
  expect(code).toBe(1);
});
