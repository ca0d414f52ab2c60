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
import { makeOAuthServer } from "./oauth/OAuthServer.ts";
import { pageRoutes } from "./oauth/pageEndpoints.ts";
import { tokenRoutes } from "./oauth/tokenEndpoints.ts";
import { RateLimits } from "./rates/RateLimits.ts";

type Handle = (request: RequestInput) => ResponseOutput;

export type Service = ReturnType<typeof makeService>;

/** Throws `RatePolicyInvalid` where the configured policies make no sense. */
export const makeService = (core: Core) => {
  const { clock, config, parts, platform } = core;
  const faults = new FaultRules(clock.now);
  const rates = new RateLimits(config.rates, clock.now);
  const oauth = makeOAuthServer(core, () => faults.forgesState());
  const journal = new Journal(config.journal);
  // The journal counts from here.
  const begun = platform.monotonic();
  const told = { verify: oauth.verify, rates, faults, journal, begun };
  const authRoutes = [...tokenRoutes(oauth, config, parts.log), ...pageRoutes(oauth, parts.log)];
  const auth = new Router(authRoutes.map(named));
  /** Stands in front of the routes of the data API as well. */
  const pipeline = (routes: ReadonlyArray<Route>): Handle =>
    makePipeline(core, told, { auth, data: new Router(routes.map(named)) });
  return { oauth, rates, faults, journal, begun, authRoutes, auth: pipeline([]), pipeline };
};
