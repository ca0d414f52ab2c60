/**
 * The steps in their order, and the telling of them: one after another until the end, or until one does not come true.
 */
import { ResponseListener } from "@game-data/api-client";
import { toFailure } from "@game-data/cli/failures";
import { Cause, Effect, Exit } from "effect";
import type { Place } from "./Options.ts";
import * as Report from "./Report.ts";
import { open } from "./Service.ts";
import { characters, profile } from "./steps/Account.ts";
import { filter } from "./steps/Filter.ts";
import { exchange, stream } from "./steps/Follow.ts";
import { ladder, leagues } from "./steps/Leagues.ts";
import { links, records } from "./steps/Records.ts";
import { signIn, signInApplication } from "./steps/SignIn.ts";
import { stash } from "./steps/Stash.ts";
import { token } from "./steps/Token.ts";
import { treeLink } from "./steps/TreeLink.ts";
import { type Outcome, type Step, type StepError, type Tour, TourFailure } from "./Tour.ts";

const STORY: ReadonlyArray<Step> = [
  signIn,
  profile,
  characters,
  treeLink,
  stash,
  filter,
  signInApplication,
  leagues,
  ladder,
  stream,
  exchange,
  records,
  links,
  token,
];

/** Tells the story. Gives the tour when all of it came true, `undefined` when a step did not. */
export const tell = Effect.fnUntraced(function* (place: Place) {
  const begun = performance.now();
  const opened = yield* Effect.exit(open(place));
  if (Exit.isFailure(opened)) return yield* stop("The service", opened.cause);
  const tour = opened.value;
  Report.title("Game Data: the tour", DESCRIPTIONS[place.kind]);
  Report.facts(
    ["OAuth server", tour.authUrl],
    ["data API", tour.baseUrl],
    [
      "captured",
      tour.captured && `${tour.captured.bodies.length} files in ${tour.captured.folder}`,
    ],
    ["ready in", Report.time(performance.now() - begun)],
  );
  let number = 0;
  let told = 0;
  for (const step of STORY) {
    if (step.onlyCaptured === true && tour.captured === undefined) continue;
    Report.section((number += 1), step.title);
    const since = performance.now();
    let answers = 0;
    const exit = yield* take(tour, step).pipe(
      Effect.provideService(ResponseListener, () => void (answers += 1)),
      Effect.scoped,
      Effect.exit,
    );
    if (Exit.isFailure(exit)) return yield* stop(step.title, exit.cause);
    if ("leftOut" in exit.value) Report.leftOut(exit.value.leftOut);
    else {
      Report.proven(exit.value.proof, performance.now() - since, answers);
      told += 1;
    }
  }
  const rest = number === told ? "" : `, ${number - told} left out`;
  Report.ending(`${told} steps came true${rest}, in ${Report.time(performance.now() - begun)}.`);
  return tour;
});

const DESCRIPTIONS: Readonly<Record<Place["kind"], string>> = {
  sandbox: "A sandbox of the service runs in this process, on real ports, with a generated world.",
  replay:
    "A sandbox of the service runs in this process, on real ports, and replays captured answers.",
  deployment: "Against a deployment: only what reads.",
};

const take = Effect.fnUntraced(function* (tour: Tour, step: Step) {
  const obstacle = yield* obstacleTo(tour, step);
  return obstacle === undefined ? yield* step.run(tour) : ({ leftOut: obstacle } satisfies Outcome);
});

/** Why a step is not for this place, if it is not. */
const obstacleTo = Effect.fnUntraced(function* (tour: Tour, step: Step) {
  if (step.writes === true && tour.deployment !== undefined) return "it would write";
  if (step.speaker === undefined) return undefined;
  const speaker = tour[step.speaker];
  if (speaker === undefined)
    return step.speaker === "user"
      ? "with a secret the tour speaks for the application, not for a user"
      : "it needs a client with a secret (GAME_DATA_CLIENT_SECRET)";
  if (step.scopes === undefined) return undefined;
  const { scopes } = yield* speaker.session.tokens;
  // An empty list says that the server did not tell.
  const missing = step.scopes.filter((scope) => scopes.length > 0 && !scopes.includes(scope));
  return missing.length === 0 ? undefined : `the token lacks ${missing.join(" ")}`;
});

const stop = (where: string, cause: Cause.Cause<StepError>): Effect.Effect<undefined> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt;
  return Effect.sync(() => {
    Report.failed(where, sentenceOf(cause));
    return undefined;
  });
};

const sentenceOf = (cause: Cause.Cause<StepError>): string => {
  const error = cause.reasons.find((reason) => reason._tag === "Fail")?.error;
  if (error === undefined) return `unexpected: ${Cause.pretty(cause)}`;
  return error instanceof TourFailure ? error.message : toFailure(error).message;
};
