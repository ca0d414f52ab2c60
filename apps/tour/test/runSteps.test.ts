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

it.each([
  ["--json", (text: string) => JSON.parse(text) as Array<unknown>],
  [
    "--ndjson",
    (text: string) =>
      text
        .trim()
        .split("\n")
        .map((each) => JSON.parse(each) as unknown),
  ],
])("prints the outcomes on stdout with %s, and the report on stderr", async (flag, parse) => {
  const skipped = step("Two", Effect.succeed({ skipped: "not here" }));
  const { code, err, out } = await runAll([passing, skipped], flag);
  expect(code).toBe(0);
  expect(parse(out)).toEqual([
    { title: "One", result: "it holds", millis: expect.any(Number) },
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

it("ends with 1 at the first step that fails", async () => {
  const { code, err, out } = await runAll([passing, failing, step("Three", Effect.die("reached"))]);
  expect(code).toBe(1);
  expect(err).toBe("✗  Two: it does not hold\n");
  expect(out).not.toContain("Three");
  expect(out).not.toContain("passed");
});

it("ends with the exit code of a failure that has its own, and prints the next step", async () => {
  const missing = failure("setting-missing", "No.", { next: "set it" });
  const { code, err } = await runAll([step("Two", Effect.fail(missing))]);
  expect(code).toBe(78);
  expect(err).toBe("✗  Two: No.\n   → set it\n");
});

it("prints the messages of the packages' errors", async () => {
  const { code, err } = await runAll([
    step("Two", Effect.fail(new ServerUnavailable({ status: 503 }))),
  ]);
  expect(code).toBe(1);
  expect(err).toBe("✗  Two: The OAuth server is unavailable (status 503).\n");
});

it("names a bug as unexpected", async () => {
  const { code, err } = await runAll([step("Two", Effect.die(new Error("a slip")))]);
  expect(code).toBe(1);
  expect(err).toContain("✗  Two: unexpected: Error: a slip");
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
