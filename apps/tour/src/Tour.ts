/**
 * What the steps of the tour share: the place, whom it speaks for there, and how a step tells its outcome.
 */
import type { GameApiError, GameApiService } from "@game-data/api-client";
import type { Scope as GrantedScope } from "@game-data/contract";
import type { OAuthClient, OAuthError, Session } from "@game-data/oauth-pkce";
import type { RunningSandbox } from "@game-data/sandbox";
import type { RunError } from "@game-data/stream-follower";
import { Effect, Schema, type Scope } from "effect";
import type { Captured } from "./Captured.ts";
import type { Deployment } from "./Options.ts";
import * as Report from "./Report.ts";

/** Someone with a token: the user, or the application itself. */
export interface Speaker<Client extends OAuthClient.OAuthClient = OAuthClient.OAuthClient> {
  readonly client: Client;
  readonly scopes: ReadonlyArray<GrantedScope>;
  readonly session: Session.Session;
  readonly api: GameApiService;
  /** A client of the API with this very token and no way to another one. */
  readonly withToken: (
    token: Parameters<Session.Session["renew"]>[0],
  ) => Effect.Effect<GameApiService, never, Scope.Scope>;
}

/** The tour under way. */
export interface Tour {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly sandbox: RunningSandbox | undefined;
  readonly deployment: Deployment | undefined;
  /** The captured answers that the sandbox replays. */
  readonly captured: Captured | undefined;
  readonly user: Speaker<OAuthClient.PublicClient> | undefined;
  readonly application: Speaker<OAuthClient.ConfidentialClient> | undefined;
  /** A SQLite file that lives as long as the tour. */
  readonly store: string;
  /** Pages of the stash stream to expect: all there are, or what the tour takes of an endless one. */
  readonly streamPages: number;
}

/** How a step ended: with a proof, or not at all here. */
export type Outcome = { readonly proof: string } | { readonly leftOut: string };

/** Something did not come true. */
export class TourFailure extends Schema.TaggedError<TourFailure>()("TourFailure", {
  message: Schema.String,
}) {}

/** What a step can fail with. */
export type StepError = TourFailure | GameApiError | OAuthError | RunError;

/** A step of the tour. */
export interface Step {
  readonly title: string;
  /** Who has to speak. */
  readonly speaker?: "user" | "application";
  /** The scopes that its calls need. */
  readonly scopes?: ReadonlyArray<GrantedScope>;
  /** Steps that change something are not for a deployment. */
  readonly writes?: boolean;
  /** Steps about captured files. */
  readonly onlyCaptured?: boolean;
  readonly run: (tour: Tour) => Effect.Effect<Outcome, StepError, Scope.Scope>;
}

/** Fails unless it holds. */
export const must = (holds: boolean, message: string) =>
  holds ? Effect.void : Effect.fail(new TourFailure({ message }));

/** A figure of the tour beside the same one counted directly in the files. */
export type Comparison = readonly [what: string, tour: number, files: number];

/** Shows the figures side by side, and fails when two of them differ. */
export const compare = Effect.fnUntraced(function* (...rows: ReadonlyArray<Comparison>) {
  Report.table(["figure", "tour", "files"], rows);
  const differing = rows.filter(([, tour, files]) => tour !== files).map(([what]) => what);
  yield* must(differing.length === 0, `other figures than in the files: ${differing.join(", ")}`);
});

/** The user, in steps that have one. */
export const userOf = ({ user }: Tour) => user ?? nobody("user");

/** The application, in steps that have one. */
export const applicationOf = ({ application }: Tour) => application ?? nobody("application");

const nobody = (speaker: string): never => {
  throw new Error(`a step without \`speaker: "${speaker}"\` asked for one`);
};
