#!/usr/bin/env node
/**
 * The tour: every package at work in one story, against a sandbox, captured answers or a deployment.
 *
 * Exit codes: 0 when every step came true, 1 when one did not, 64 for a command line that makes no sense, 130 for Ctrl-C.
 */
import { enableCompileCache } from "node:module";
import { optionsOf, type TourOptions, UsageError, USAGE } from "./Options.ts";

enableCompileCache();

const EX_FAILED = 1;
const EX_USAGE = 64;

const readOptions = (): TourOptions | undefined => {
  try {
    return optionsOf(process.argv.slice(2), process.env);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    process.stderr.write(`${cause.message}\n\n${USAGE}`);
    process.exit(EX_USAGE);
  }
};

// A reader that has seen enough (`npm start | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const options = readOptions();
if (options === undefined) process.stdout.write(USAGE);
else {
  // Loaded once the command line is known to make sense.
  const [NodeRuntime, { Effect, Logger }, { tell }, { stay }] = await Promise.all([
    import("@effect/platform-node/NodeRuntime"),
    import("effect"),
    import("./Story.ts"),
    import("./Stay.ts"),
  ]);
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  NodeRuntime.runMain(
    Effect.gen(function* () {
      const tour = yield* tell(options.place);
      if (tour === undefined) process.exitCode = EX_FAILED;
      else if (options.mayStay && isAtTerminal) yield* stay(tour);
    }).pipe(Effect.scoped, Effect.provideService(Logger.LogToStderr, true)),
    { disableErrorReporting: true },
  );
}
