/**
 * The parts of a sandbox that its first request needs: OAuth server, rate limits, faults, journal,
 * and the pipeline in front of them. Loaded once the sandbox is ready.
 */
import type { Core } from "./Core.ts";
import { FaultRules } from "./faults/FaultRules.ts";
import { named } from "./http/steps.ts";
import type { RequestInput, ResponseOutput } from "./http/messages.ts";
import { makePipeline } from "./http/RequestPipeline.ts";
import { type Route, Router } from "./http/Router.ts";
import { Journal } from "./journal/Journal.ts";
import { makeOAuthServer, type OAuthServer } from "./oauth/OAuthServer.ts";
import { pageRoutes } from "./oauth/pageEndpoints.ts";
import { tokenRoutes } from "./oauth/tokenEndpoints.ts";
import { RateLimits } from "./rates/RateLimits.ts";

type Handle = (request: RequestInput) => ResponseOutput;

/** Answers requests to the OAuth server; the data API uses it as well. */
export interface Service {
  readonly oauth: OAuthServer;
  readonly rates: RateLimits;
  readonly faults: FaultRules;
  readonly journal: Journal;
  /** When it began, in the platform's monotonic milliseconds: the journal counts from there. */
  readonly begun: number;
  readonly authRoutes: ReadonlyArray<Route>;
  readonly auth: Handle;
  /** Puts the pipeline in front of the routes of the data API. */
  readonly pipeline: (routes: ReadonlyArray<Route>) => Handle;
}

/** Throws `RatePolicyInvalid` where the configured policies make no sense. */
export const makeService = (core: Core): Service => {
  const { clock, config, parts, platform } = core;
  const faults = new FaultRules(clock.now);
  const rates = new RateLimits(config.rates, clock.now);
  const oauth = makeOAuthServer(core, () => faults.forgesState());
  const journal = new Journal(config.journal);
  const begun = platform.monotonic();
  const told = { verify: oauth.verify, rates, faults, journal, begun };
  const authRoutes = [...tokenRoutes(oauth, config, parts.log), ...pageRoutes(oauth, parts.log)];
  const auth = new Router(authRoutes.map(named));
  const pipeline = (routes: ReadonlyArray<Route>): Handle =>
    makePipeline(core, told, { auth, data: new Router(routes.map(named)) });
  return { oauth, rates, faults, journal, begun, authRoutes, auth: pipeline([]), pipeline };
};
