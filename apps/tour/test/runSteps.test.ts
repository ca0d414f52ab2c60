import { ServerUnavailable } from "@game-data/oauth-pkce";
import { failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { testHost } from "@game-data/terminal/testHost";
import { Effect, Exit } from "effect";
import { expect, it } from "vitest";
import { makeReport, Report } from "../src/report.ts";
import { runSteps } from "../src/runTour.ts";
import { assert, expectError, type Step, StepFailed, type Tour } from "../src/Tour.ts";

const tour: Tour = {
  authUrl: "",
  baseUrl: "",
  sandbox: undefined,
  captured: undefined,
  user: undefined,
  application: undefined,
  store: "",
  streamPages: 0,
};

const step = (title: string, run: ReturnType<Step["run"]>): Step => ({ title, run: () => run });
const passing = step("One", Effect.succeed({ result: "it holds" }));
const failing = step("Two", Effect.as(assert(false, "it does not hold"), { result: "" }));

/** Runs steps as the program would. */
const runAll = async (steps: ReadonlyArray<Step>, ...args: ReadonlyArray<string>) => {
  const { host, stderr, stdout } = testHost(args, { env: { NO_COLOR: "1" } });
  const exit = await Effect.runPromiseExit(
    runSteps(steps, tour).pipe(
      Effect.as(0),
      Effect.catchTag("ChildExit", ({ exitCode }) => Effect.succeed(exitCode)),
      Effect.provideServiceEffect(Report, makeReport),
      Effect.provideService(Host, host),
    ),
  );
  const code = Exit.isSuccess(exit) ? exit.value : undefined;
  return { exit, code, out: stdout.text, err: stderr.text };
};

it("prints every step with its result, and how many passed", async () => {
  const skipped = step("Two", Effect.succeed({ skipped: "not here" }));
  const { code, out } = await runAll([passing, skipped]);
  expect(code).toBe(0);
  expect(out.replaceAll(/\d+ ms/gu, "N ms")).toBe(`
1. One
✓  it holds (N ms)

2. Two
–  skipped: not here

1 step passed, 1 skipped, in N ms.
`);
});

it("skips a step whose session the target does not have, and one that writes", async () => {
  const { out } = await runAll([
    { ...failing, session: "user" },
    { ...failing, session: "application" },
    { ...failing, writes: true },
  ]);
  expect(out).toContain("it needs a user");
  expect(out).toContain("GAME_DATA_CLIENT_SECRET");
  expect(out).toContain("it would write");
});

it.each(["--json", "--ndjson"])("prints the outcomes on stdout with %s", async (flag) => {
  const counted = step("One", Effect.succeed({ result: "it holds", counts: { leagues: 10 } }));
  const skipped = step("Two", Effect.succeed({ skipped: "not here" }));
  const { code, err, out } = await runAll([counted, skipped], flag);
  expect(code).toBe(0);
  const json = flag === "--json" ? out : `[${out.trim().replaceAll("\n", ",")}]`;
  expect(JSON.parse(json)).toEqual([
    { title: "One", result: "it holds", counts: { leagues: 10 }, millis: expect.any(Number) },
    { title: "Two", skipped: "not here", millis: expect.any(Number) },
  ]);
  expect(err).toContain("2. Two\n–  skipped: not here");
});

it("prints a failure as one line of JSON with --json", async () => {
  const { code, err, out } = await runAll([passing, failing], "--json");
  expect([code, out]).toEqual([1, ""]);
  const [last = ""] = err.trim().split("\n").slice(-1);
  expect(JSON.parse(last)).toEqual({
    error: { code: "StepFailed", step: "Two", message: "it does not hold", exitCode: 1 },
  });
});

it.each<[string, ReturnType<Step["run"]>, number, string]>([
  ["a check", failing.run(tour as never), 1, "it does not hold\n"],
  [
    "a failure with its exit code and next step",
    Effect.fail(failure("setting-missing", "No.\nNone.", { next: "set it" })),
    78,
    "No.\n     │ None.\n   → set it\n",
  ],
  [
    "an error of the packages",
    Effect.fail(new ServerUnavailable({ status: 503 })),
    1,
    "The OAuth server is unavailable (status 503).\n",
  ],
  ["a bug", Effect.die(new Error("a slip")), 1, "unexpected: Error: a slip"],
])("ends at the first step that fails, by %s", async (_, run, exit, told) => {
  const { code, err, out } = await runAll([passing, step("Two", run), step("Three", run)]);
  expect(code).toBe(exit);
  expect(err.startsWith(`✗  Two: ${told}`)).toBe(true);
  expect(out).not.toMatch(/Three|passed/u);
});

it("prints nothing when it is interrupted", async () => {
  const { err, exit } = await runAll([step("Two", Effect.interrupt)]);
  expect(Exit.hasInterrupts(exit)).toBe(true);
  expect(err).toBe("");
});

it("expects a call to fail, and with one error", async () => {
  const unavailable = new ServerUnavailable({ status: 503 });
  const call = Effect.fail(unavailable);
  expect(await Effect.runPromise(expectError(call, "ServerUnavailable", "it worked"))).toBe(
    unavailable,
  );
  const working: Effect.Effect<number, ServerUnavailable> = Effect.succeed(1);
  const unexpected = Effect.flip(expectError(working, "ServerUnavailable", "it worked"));
  expect((await Effect.runPromise(unexpected)).message).toBe("it worked");
  const other = new StepFailed({ message: "something else" });
  const different: Effect.Effect<never, ServerUnavailable | StepFailed> = Effect.fail(other);
  expect(
    await Effect.runPromise(Effect.flip(expectError(different, "ServerUnavailable", "it worked"))),
  ).toBe(other);
});
