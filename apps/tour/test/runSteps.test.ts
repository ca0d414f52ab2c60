import { ServerUnavailable } from "@game-data/oauth-pkce";
import { Effect, Exit } from "effect";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { failure } from "@game-data/terminal/Failure";
import { must, refused, type Step, type StepError, tell, Untrue } from "../src/report/runSteps.ts";

let out: string;
let err: string;
beforeEach(() => {
  out = "";
  err = "";
  vi.stubEnv("NO_COLOR", "1");
  vi.stubEnv("FORCE_COLOR", undefined);
  vi.spyOn(process.stdout, "write").mockImplementation((text, ...rest: Array<unknown>) => {
    out += String(text);
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

type AnyStep = Step<StepError, never>;
const step = (title: string, run: AnyStep["run"]): AnyStep => ({ title, run });
const proven = step("One", Effect.succeed({ proof: "it holds", remarks: ["2 answers"] }));

/** The exit code that the program would end with. */
const exitCodeOf = (steps: ReadonlyArray<AnyStep>) =>
  Effect.runPromise(
    tell(steps).pipe(
      Effect.as(0),
      Effect.catchTag("ChildEnded", ({ exitCode }) => Effect.succeed(exitCode)),
    ),
  );

it("tells every step with its proof, and how many there were", async () => {
  const leftOut = step("Two", Effect.succeed({ leftOut: "not here" }));
  expect(await exitCodeOf([proven, leftOut])).toBe(0);
  expect(out.replaceAll(/\d+ ms/gu, "N ms")).toBe(`
1. One
✓  it holds (N ms, 2 answers)

2. Two
–  left out: not here

1 step came true, 1 left out, in N ms.
`);
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
])("with %s the outcomes are on stdout, and the report beside them", async (flag, parse) => {
  const { argv } = process;
  process.argv = ["node", "program", flag];
  try {
    const leftOut = step("Two", Effect.succeed({ leftOut: "not here" }));
    expect(await exitCodeOf([proven, leftOut])).toBe(0);
  } finally {
    process.argv = argv;
  }
  expect(parse(out)).toEqual([
    { title: "One", proof: "it holds", remarks: ["2 answers"], millis: expect.any(Number) },
    { title: "Two", leftOut: "not here", millis: expect.any(Number) },
  ]);
  expect(err).toContain("2. Two\n–  left out: not here");
});

it("with --json a failure is one line of it", async () => {
  const { argv } = process;
  process.argv = ["node", "program", "--json"];
  try {
    const failing = step("Two", Effect.as(must(false, "it does not hold"), { proof: "" }));
    expect(await exitCodeOf([proven, failing])).toBe(1);
  } finally {
    process.argv = argv;
  }
  expect(out).toBe("");
  const [last = ""] = err.trim().split("\n").slice(-1);
  expect(JSON.parse(last)).toEqual({
    error: { code: "Untrue", step: "Two", message: "it does not hold", exitCode: 1 },
  });
});

it("ends with the first step that does not come true, with 1", async () => {
  const failing = step("Two", Effect.as(must(false, "it does not hold"), { proof: "" }));
  const never = step("Three", Effect.die("not reached"));
  expect(await exitCodeOf([proven, failing, never])).toBe(1);
  expect(err).toBe("✗  Two: it does not hold\n");
  expect(out).not.toContain("Three");
  expect(out).not.toContain("came true");
});

it("ends with the exit code of a failure that has its own, and tells the next step", async () => {
  const failing = step("Two", Effect.fail(failure("setting-missing", "No.", { next: "set it" })));
  expect(await exitCodeOf([failing])).toBe(78);
  expect(err).toBe("✗  Two: No.\n   → set it\n");
});

it("finds the words for the errors of the packages", async () => {
  const error = new ServerUnavailable({ status: 503 });
  expect(await exitCodeOf([step("Two", Effect.fail(error))])).toBe(1);
  expect(err).toBe("✗  Two: The OAuth server cannot answer now (HTTP 503).\n");
});

it("calls a fault of the program by its name", async () => {
  expect(await exitCodeOf([step("Two", Effect.die(new Error("a slip")))])).toBe(1);
  expect(err).toContain("✗  Two: unexpected: Error: a slip");
});

it("wants a call to be refused, and with that error", async () => {
  const unavailable = new ServerUnavailable({ status: 503 });
  const call = Effect.fail(unavailable);
  expect(await Effect.runPromise(refused(call, "ServerUnavailable", "it came"))).toBe(unavailable);
  const taken = refused(
    Effect.as(call, 1).pipe(Effect.orElseSucceed(() => 1)),
    "" as never,
    "it came",
  );
  expect((await Effect.runPromise(Effect.flip(taken))).message).toBe("it came");
  const other = new Untrue({ message: "something else" });
  const failing: Effect.Effect<never, ServerUnavailable | Untrue> = Effect.fail(other);
  const differently = refused(failing, "ServerUnavailable", "it came");
  expect(await Effect.runPromise(Effect.flip(differently))).toBe(other);
});

it("is interrupted without a word", async () => {
  const exit = await Effect.runPromiseExit(tell([step("Two", Effect.interrupt)]));
  expect(Exit.hasInterrupts(exit)).toBe(true);
  expect(err).toBe("");
});
