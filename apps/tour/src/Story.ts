/**
 * The steps in their order: which of them are for this place, and how their figures stand beside
 * those of captured files.
 */
import { type Captured, compareFigures, type Figures } from "@game-data/captured";
import * as Report from "./report/Report.ts";
import { must, orEnd, tell } from "./report/runSteps.ts";
import { obstacleTo, received } from "./ApiSession.ts";
import { Effect } from "effect";
import type { Place } from "./Command.ts";
import { open } from "./Service.ts";
import { account } from "./steps/Account.ts";
import { files } from "./steps/Files.ts";
import { realm } from "./steps/Realm.ts";
import { signIn, signInApplication, token } from "./steps/Tokens.ts";
import type { Tour, TourStep } from "./Tour.ts";

const STORY = [signIn, ...account, signInApplication, ...realm, ...files, token];

const DESCRIPTIONS: Readonly<Record<Place["kind"], string>> = {
  sandbox: "A sandbox of the service runs in this process, on real ports, with a generated world.",
  replay:
    "A sandbox of the service runs in this process, on real ports, and replays captured answers.",
  deployment: "Against a deployment: only what reads.",
};

/** Tells the story, and gives the tour when all of it came true. */
export const tellStory = Effect.fnUntraced(function* (place: Place) {
  const begun = performance.now();
  const tour = yield* orEnd("The service", open(place));
  const { authUrl, baseUrl, captured } = tour;
  Report.title("Game Data: the tour", DESCRIPTIONS[place.kind]);
  Report.facts(
    ["OAuth server", authUrl],
    ["data API", baseUrl],
    ["captured", captured && `${captured.bodies.length} files in ${captured.folder}`],
    ["ready in", Report.time(performance.now() - begun)],
  );
  const steps = STORY.filter(
    ({ onlyCaptured }) => onlyCaptured !== true || captured !== undefined,
  ).map((step) => ({ title: step.title, run: Effect.scoped(take(tour, step)) }));
  yield* tell(steps, begun);
  return tour;
});

/** A step with its figures compared, and with the number of answers that it took. */
const take = Effect.fnUntraced(function* (tour: Tour, step: TourStep) {
  const leftOut = yield* obstacle(tour, step);
  if (leftOut !== undefined) return { leftOut };
  const before = received.responses;
  const outcome = yield* step.run(tour);
  const answers = received.responses - before;
  if (tour.captured !== undefined) yield* compare(tour.captured, outcome.figures ?? {});
  return { ...outcome, remarks: answers === 0 ? [] : [Report.count(answers, "answer")] };
});

/** Why a step is not for this place, if it is not. */
const obstacle = Effect.fnUntraced(function* (tour: Tour, step: TourStep) {
  const { scopes = [], speaker, writes } = step;
  if (writes === true && tour.sandbox === undefined) return "it would write";
  return speaker === undefined ? undefined : yield* obstacleTo(tour, { speaker, scopes });
});

/**
 * Shows the tour's figures beside those counted in the files, and fails when two of them differ.
 */
const compare = Effect.fnUntraced(function* ({ figures }: Captured, tour: Figures) {
  const { differing, notCaptured, rows } = compareFigures(tour, figures);
  if (notCaptured.length > 0) Report.say(`Not captured, so generated: ${notCaptured.join(", ")}.`);
  if (rows.length > 0) Report.table(["figure", "tour", "files"], rows);
  yield* must(differing.length === 0, `other figures than in the files: ${differing.join(", ")}`);
});
