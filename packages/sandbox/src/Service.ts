/**
 * The parts of a sandbox that its first request needs: OAuth server, rate limits, faults, journal,
 * and the pipeline in front of them. Loaded once the sandbox is ready.
 */
import type { Core } from "./Core.ts";
import { FaultRules } from "./faults/FaultRules.ts";
import { makeHostCheck } from "./http/hostCheck.ts";
import type { RequestInput, ResponseOutput } from "./http/messages.ts";
import { makePipeline } from "./http/RequestPipeline.ts";
import { type Route, Router } from "./http/Router.ts";
import { Journal } from "./journal/Journal.ts";
import { basicCredentials } from "./oauth/ClientAuthentication.ts";
import { makeOAuthServer, type OAuthServer } from "./oauth/OAuthServer.ts";
import { pageRoutes } from "./oauth/pageEndpoints.ts";
import { tokenRoutes } from "./oauth/tokenEndpoints.ts";
import { RateLimits } from "./rates/RateLimits.ts";

type Handle = (request: RequestInput) => ResponseOutput;

/** Answers requests to the OAuth server; the data API uses it as well. */
export class Service {
  readonly oauth: OAuthServer;
  readonly rates: RateLimits;
  readonly faults: FaultRules;
  readonly journal: Journal;
  /** Instant from which the journal counts, in the platform's monotonic milliseconds. */
  readonly begun: number;
  /** The routes of the OAuth server and its pages. */
  readonly authRoutes: ReadonlyArray<Route>;
  /** Answers requests to the OAuth server. */
  readonly auth: Handle;
  /** Puts the pipeline in front of the routes of the data API. */
  readonly pipeline: (routes: ReadonlyArray<Route>) => Handle;

  /** Throws `RatePolicyInvalid` where the configured policies make no sense. */
  constructor(core: Core) {
    const { clock, config, parts, platform } = core;
    const { now } = clock;
    const { log } = parts;
    this.faults = new FaultRules(now);
    this.rates = new RateLimits(config.rates, now);
    this.oauth = makeOAuthServer(core, () => this.faults.forgesState());
    this.journal = new Journal(config.journal);
    this.begun = platform.monotonic();
    this.authRoutes = [...tokenRoutes(this.oauth, config, log), ...pageRoutes(this.oauth, log)];
    const auth = new Router(this.authRoutes);
    this.pipeline = (data) =>
      makePipeline({
        checkHost: makeHostCheck(config, config.hosts),
        now,
        log,
        monotonic: () => platform.monotonic(),
        begun: this.begun,
        clientOf: (authorization) => basicClient(core, authorization),
        verify: this.oauth.verify,
        rates: this.rates,
        faults: this.faults,
        journal: this.journal,
        routers: { auth, data: new Router(data) },
      });
    this.auth = this.pipeline([]);
  }
}

/** A name that no client is registered under may be anything, a secret in the wrong place too. */
const basicClient = ({ clients }: Core, authorization: string | undefined): string | undefined => {
  if (authorization === undefined || !/^basic /iu.test(authorization)) return undefined;
  const name = basicCredentials(authorization)?.id;
  return name === undefined ? undefined : clients.byId(name)?.clientId;
};
