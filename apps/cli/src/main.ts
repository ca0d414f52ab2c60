#!/usr/bin/env node
/**
 * `gamedata`: the packages at a shell prompt. Results on stdout, everything else on stderr; exit codes as in `ExitCode.ts`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Effect } from "effect";
import { run } from "./Cli.ts";

// A reader that has seen enough (`gamedata … | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

NodeRuntime.runMain(run(process.argv.slice(2)).pipe(Effect.provide(NodeServices.layer)), {
  disableErrorReporting: true,
});
