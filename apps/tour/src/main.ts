#!/usr/bin/env node
/**
 * `npm start`: uses every package against a sandbox of the service. Each step ends with a checked
 * result. The first step that fails ends the tour with exit code 1.
 */
import { styleText } from "node:util";
import { NodeRuntime, NodeServices } from "@effect/platform-node";
import { Console, Duration, Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { keepServing } from "./keepServing.ts";
import { openSandbox, type Service } from "./sandbox.ts";
import { type Step, TourFailed } from "./Step.ts";
import { applicationToken } from "./steps/applicationToken.ts";
import { characters } from "./steps/characters.ts";
import { exchange } from "./steps/exchange.ts";
import { itemFilter } from "./steps/itemFilter.ts";
import { ladder } from "./steps/ladder.ts";
import { leagues } from "./steps/leagues.ts";
import { outage } from "./steps/outage.ts";
import { profile } from "./steps/profile.ts";
import { revokedToken } from "./steps/revokedToken.ts";
import { signIn } from "./steps/signIn.ts";
import { stash } from "./steps/stash.ts";
import { stashStream } from "./steps/stashStream.ts";
import { treeLink } from "./steps/treeLink.ts";

const STEPS: ReadonlyArray<Step> = [
  signIn,
  profile,
  characters,
  treeLink,
  stash,
  itemFilter,
  outage,
  applicationToken,
  leagues,
  ladder,
  stashStream,
  exchange,
  revokedToken,
];

const tour = Effect.fn("tour")(function* (isInteractive: boolean) {
  const service = yield* openSandbox;
  yield* Console.log(`OAuth server  ${service.sandbox.authUrl}`);
  yield* Console.log(`data API      ${service.sandbox.baseUrl}`);
  for (const [index, step] of STEPS.entries()) {
    yield* Console.log(styleText(["bold", "cyan"], `\n${index + 1}. ${step.title}`));
    yield* runStep(step, service);
  }
  yield* Console.log(styleText("bold", `\n${STEPS.length} steps passed.`));
  if (isInteractive) yield* keepServing(service.sandbox);
}, Effect.scoped);

const runStep = ({ run, title }: Step, service: Service) =>
  Effect.scoped(run(service)).pipe(
    Effect.timed,
    Effect.flatMap(([duration, result]) => {
      const millis = `${Math.round(Duration.toMillis(duration))} ms`;
      return Console.log(`${styleText("green", "✓")}  ${result} (${millis})`);
    }),
    Effect.tapError((error) => Console.error(`✗  ${title}: ${error.message}`)),
    Effect.mapError((cause) => new TourFailed({ title, cause })),
  );

const command = Command.make(
  "tour",
  {
    exit: Flag.Boolean("exit").pipe(
      Flag.withDescription("End after the last step, also on a terminal"),
      Flag.withDefault(false),
    ),
  },
  ({ exit }) => tour(!exit && process.stdin.isTTY && process.stdout.isTTY),
).pipe(Command.withDescription("Run every package in one story, from sign-in to a revoked token."));

Command.run(command, { version: "1.0.0" }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain,
);
