/**
 * Runs the steps in order. The first one that fails ends the tour with its exit code, or 1.
 */
import { ChildExit } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { isMachineReadable, printError, printLine } from "@game-data/terminal/Output";
import { toFailure } from "@game-data/terminal/toFailure";
import { facts, styled } from "@game-data/terminal/View";
import { Cause, Effect } from "effect";
import type { TourTarget } from "./command.ts";
import { count, duration, makeReport, Report } from "./report.ts";
import type { Counts } from "./replay/writeRecording.ts";
import { received } from "./sessions.ts";
import { applicationToken } from "./steps/applicationToken.ts";
import { capturedLinks } from "./steps/capturedLinks.ts";
import { capturedRecords } from "./steps/capturedRecords.ts";
import { characters } from "./steps/characters.ts";
import { exchange } from "./steps/exchange.ts";
import { itemFilter } from "./steps/itemFilter.ts";
import { ladder } from "./steps/ladder.ts";
import { leagues } from "./steps/leagues.ts";
import { profile } from "./steps/profile.ts";
import { revokedToken } from "./steps/revokedToken.ts";
import { signIn } from "./steps/signIn.ts";
import { stash } from "./steps/stash.ts";
import { stashStream } from "./steps/stashStream.ts";
import { treeLink } from "./steps/treeLink.ts";
import { openTarget } from "./target.ts";
import { assert, type Outcome, type Step, type StepError, type Tour } from "./Tour.ts";

export const steps: ReadonlyArray<Step> = [
  signIn,
  profile,
  characters,
  treeLink,
  stash,
  itemFilter,
  applicationToken,
  leagues,
  ladder,
  stashStream,
  exchange,
  capturedRecords,
  capturedLinks,
  revokedToken,
];

const DESCRIPTIONS: Readonly<Record<TourTarget["kind"], string>> = {
  sandbox: "Against a sandbox of the service in this process, on real ports, with generated data.",
  replay: "Against a sandbox of the service in this process, which serves captured responses.",
  deployment: "Against a deployment, read-only.",
};

/** Options of the tour. */
export interface TourOptions {
  /** Keeps serving the tour's pages afterwards. */
  readonly isInteractive: boolean;
  /** Pages of the stash stream. */
  readonly streamPages?: number | undefined;
}

/** Runs the tour. */
export const runTour = Effect.fnUntraced(function* (target: TourTarget, options: TourOptions) {
  yield* Effect.provideServiceEffect(tell(target, options), Report, makeReport);
});

const tell = Effect.fnUntraced(function* (
  target: TourTarget,
  { isInteractive, streamPages }: TourOptions,
) {
  const report = yield* Report;
  const started = performance.now();
  const tour = yield* exitOnFailure("The service", openTarget(target, streamPages));
  const { authUrl, baseUrl, captured } = tour;
  const refused = captured?.refused.length || undefined;
  report.paragraph([
    `\n${styled("bold", "Game Data: the tour")}`,
    styled("dim", DESCRIPTIONS[target.kind]),
    facts([
      ["   OAuth server", authUrl],
      ["   data API", baseUrl],
      ["   captured", captured && `${captured.files.length} files in ${captured.folder}`],
      ["   refused", refused && `${count(refused, "record")}, not served`],
      ...(captured?.notServed ?? []).map(
        ([reason, files]) => ["   not served", `${count(files, "file")}: ${reason}`] as const,
      ),
      ["   ready in", duration(performance.now() - started)],
    ]),
  ]);
  yield* runSteps(
    steps.filter(({ onlyCaptured }) => onlyCaptured !== true || captured !== undefined),
    tour,
    started,
  );
  if (!isInteractive) return;
  // The tour has passed. Ctrl-C from here on is its regular end, and the runner would exit with
  // 130.
  process.once("exit", () => (process.exitCode = 0));
  yield* keepServing(tour);
});

/** Serves the sandbox's OpenAPI document and the tree inspector until Ctrl-C. */
const keepServing = Effect.fnUntraced(function* ({ sandbox }: Tour) {
  const report = yield* Report;
  const inspector = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // Loaded late: it brings the bundler.
      const { serveInspector } = await import("@game-data/tree-inspector/serve");
      return serveInspector();
    }),
    (served) => Effect.promise(() => served.close()),
  );
  report.paragraph([
    `\n${styled("bold", "Still here, until Ctrl-C:")}`,
    facts([
      ["   documentation", sandbox && new URL("/openapi.json", sandbox.controlUrl).href],
      ["   tree inspector", inspector.url],
    ]),
  ]);
  return yield* Effect.never;
}, Effect.scoped);

/**
 * Runs steps one after another. With `--json` or `--ndjson` stdout gets `[{"title", "result" |
 * "skipped", "millis", …}]`, and a failure is one JSON line on stderr.
 */
export const runSteps = Effect.fnUntraced(function* (
  selected: ReadonlyArray<Step>,
  tour: Tour,
  started = performance.now(),
) {
  const report = yield* Report;
  const outcomes: Array<Outcome & { readonly title: string; readonly millis: number }> = [];
  for (const [index, step] of selected.entries()) {
    const { title } = step;
    report.heading(index + 1, title);
    const begun = performance.now();
    const running = Effect.scoped(runStep(tour, step));
    const { outcome, responses } = yield* exitOnFailure(title, running);
    const millis = Math.round(performance.now() - begun);
    outcomes.push({ title, ...outcome, millis });
    if ("skipped" in outcome) report.skipped(outcome.skipped);
    else {
      const remarks = responses === 0 ? [] : [count(responses, "response")];
      report.passed(outcome.result, [duration(millis), ...remarks]);
    }
  }
  const skipped = outcomes.filter((outcome) => "skipped" in outcome).length;
  const rest = skipped === 0 ? "" : `, ${skipped} skipped`;
  const passed = `${count(outcomes.length - skipped, "step")} passed${rest}`;
  report.paragraph(
    `\n${styled("bold", `${passed}, in ${duration(performance.now() - started)}.`)}`,
  );
  const { args } = yield* Host;
  if (isMachineReadable(args))
    yield* printLine(
      args.includes("--ndjson")
        ? outcomes.map((outcome) => JSON.stringify(outcome)).join("\n")
        : JSON.stringify(outcomes),
    );
  for (const outcome of outcomes)
    if ("refused" in outcome)
      yield* endWith(outcome.title, "RecordsRefused", {
        message: `${count(outcome.refused.length, "captured record was", "captured records were")} refused, and not served`,
        exitCode: EXIT_STEP_FAILED,
      });
});

/** Runs a step, counts its responses, and compares its counts with those of captured files. */
const runStep = Effect.fnUntraced(function* (tour: Tour, step: Step) {
  const reason = yield* unmetRequirement(tour, step);
  if (reason !== undefined) return { outcome: { skipped: reason }, responses: 0 };
  const before = received.responses;
  const outcome = yield* step.run(tour as Parameters<Step["run"]>[0]);
  const responses = received.responses - before;
  if (tour.captured !== undefined && "result" in outcome)
    yield* compare(outcome.counts ?? {}, tour.captured.counts);
  return { outcome, responses };
});

/** Says why a step cannot run against the target, or `undefined`. */
const unmetRequirement = Effect.fnUntraced(function* (tour: Tour, step: Step) {
  const { scopes = [], session: kind, writes } = step;
  if (writes === true && tour.sandbox === undefined) return "it would write";
  if (kind === undefined) return undefined;
  const session = kind === "user" ? tour.user : tour.application;
  if (session === undefined)
    return kind === "user"
      ? "it needs a user, and a client with a secret acts for the application"
      : "it needs a client with a secret (GAME_DATA_CLIENT_SECRET)";
  if (scopes.length === 0) return undefined;
  const granted = (yield* session.session.tokens).scopes;
  // An empty list means that the server did not return the granted scopes.
  const missing = scopes.filter((scope) => granted.length > 0 && !granted.includes(scope));
  return missing.length === 0 ? undefined : `the token lacks ${missing.join(" ")}`;
});

/** Prints the counts of a step beside those of the files, and fails if they differ. */
const compare = Effect.fnUntraced(function* (tour: Counts, files: Counts) {
  const report = yield* Report;
  const names = Object.keys(tour);
  const generated = names.filter((name) => files[name] === undefined);
  if (generated.length > 0) report.say(`Not captured, so generated: ${generated.join(", ")}.`);
  const rows = names.flatMap((name) =>
    files[name] === undefined ? [] : [[name, tour[name], files[name]] as const],
  );
  if (rows.length > 0) report.table(["count", "tour", "files"], rows);
  const differing = rows.filter(([, own, counted]) => own !== counted).map(([name]) => name);
  yield* assert(differing.length === 0, `counts differ from the files: ${differing.join(", ")}`);
});

/** Prints the error of a step and ends the program; `where` names the step. */
export const exitOnFailure = <A, E extends StepError, R>(
  where: string,
  run: Effect.Effect<A, E, R>,
): Effect.Effect<A, ChildExit, R | Report> =>
  Effect.catchCause(run, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt;
    const error = cause.reasons.find((reason) => reason._tag === "Fail")?.error;
    const message = error ? messageOf(error) : `unexpected: ${Cause.pretty(cause)}`;
    const exitCode = error?._tag === "Failure" ? error.exitCode : EXIT_STEP_FAILED;
    const next = error?._tag === "Failure" ? error.next : undefined;
    return endWith(where, error?._tag ?? "internal", { message, next, exitCode });
  });

/** Prints an error, as one JSON line for machines, and ends the program. */
const endWith = Effect.fnUntraced(function* (
  step: string,
  code: string,
  { next, ...failure }: { message: string; next?: string | undefined; exitCode: number },
) {
  const { args } = yield* Host;
  if (isMachineReadable(args))
    yield* printError(JSON.stringify({ error: { code, step, ...failure, next } }));
  else (yield* Report).failed(step, failure.message, next);
  return yield* new ChildExit({ exitCode: failure.exitCode });
});

const EXIT_STEP_FAILED = 1;

const messageOf = (error: StepError): string => {
  if (error._tag === "StepFailed") return error.message;
  return error._tag === "Failure" ? error.message : toFailure(error).message;
};
