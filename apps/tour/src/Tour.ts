/**
 * What the steps of the tour share: the place, whom it speaks for there, and how a step tells its
 * outcome.
 */
import type { Captured, Figures } from "@game-data/captured";
import type { Outcome, StepError } from "./report/runSteps.ts";
import type { Speakers } from "./ApiSession.ts";
import type { Scope as GrantedScope } from "@game-data/contract";
import type { RunningSandbox } from "@game-data/sandbox";
import type { Effect, Scope } from "effect";

/** The tour under way. */
export interface Tour extends Speakers {
  readonly authUrl: string;
  readonly baseUrl: string;
  /** The one that the tour started; without it, somebody else runs the service. */
  readonly sandbox: RunningSandbox | undefined;
  /** The captured answers that the sandbox replays. */
  readonly captured: Captured | undefined;
  /** A SQLite file that lives as long as the tour. */
  readonly store: string;
  /**
   * Pages of the stash stream to expect: all there are, or what the tour takes of an endless one.
   */
  readonly streamPages: number;
}

/** A step of the tour. */
export interface TourStep {
  readonly title: string;
  /** Who has to speak. */
  readonly speaker?: "user" | "application";
  /** The scopes that its calls need. */
  readonly scopes?: ReadonlyArray<GrantedScope>;
  /** Steps that change something are not for a deployment. */
  readonly writes?: boolean;
  /** Steps about captured files. */
  readonly onlyCaptured?: boolean;
  readonly run: (tour: Tour) => Effect.Effect<TourOutcome, StepError, Scope.Scope>;
}

/** How a step ended, with the figures that captured files must agree with. */
type TourOutcome = Outcome & { readonly figures?: Figures };
