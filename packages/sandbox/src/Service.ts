/**
 * The parts of a sandbox that its first request needs: OAuth server, rate limits, faults, journal,
 * and the pipeline in front of them. Loaded once the sandbox is ready.
 */
import type { Application } from "./Application.ts";
import { Faults } from "./faults/Faults.ts";
import { makeHostCheck } from "./http/hostCheck.ts";
import type { RequestInput, ResponseOutput } from "./http/messages.ts";
import { makePipeline } from "./http/RequestPipeline.ts";
import { type Route, Router } from "./http/Router.ts";
import { Journal } from "./journal/Journal.ts";
import { basicCredentials } from "./oauth/ClientAuthentication.ts";
import { OAuthServer } from "./oauth/OAuthServer.ts";
import { pageRoutes } from "./oauth/pageEndpoints.ts";
import { tokenRoutes } from "./oauth/tokenEndpoints.ts";
import { RateLimits } from "./rates/RateLimits.ts";

type Handle = (request: RequestInput) => ResponseOutput;

/** What answers requests to the OAuth server, and what the data API stands on. */
export class Service {
  readonly oauth: OAuthServer;
  readonly rates: RateLimits;
  readonly faults: Faults;
  readonly journal: Journal;
  /** Answers requests to the OAuth server. */
  readonly auth: Handle;
  /** Puts the pipeline in front of the routes of the data API. */
  readonly pipeline: (routes: ReadonlyArray<Route>) => Handle;

  /** Throws `RatePolicyInvalid` where the configured policies make no sense. */
  constructor(application: Application) {
    const { accounts, clients, clock, config, parts, platform, store } = application;
    const { now } = clock;
    const { log } = parts;
    this.faults = new Faults(now);
    this.rates = new RateLimits(config.rates, now);
    this.oauth = new OAuthServer({
      config,
      store,
      accounts,
      clients,
      platform,
      now,
      forgesState: () => this.faults.forgesState(),
    });
    this.journal = new Journal(config.journal);
    const begun = platform.monotonic();
    const auth = new Router<Route>([
      ...tokenRoutes(this.oauth, config, log),
      ...pageRoutes({ server: this.oauth, config, platform, log }),
    ]);
    this.pipeline = (routes) =>
      makePipeline({
        checkHost: makeHostCheck(config, config.hosts),
        now,
        monotonic: () => platform.monotonic() - begun,
        clientOf: (authorization) => basicClient(application, authorization),
        verify: this.oauth.verify,
        rates: this.rates,
        faults: this.faults,
        journal: this.journal,
        routers: { auth, data: new Router(routes) },
      });
    this.auth = this.pipeline([]);
  }
}

/** A name that no client is registered under may be anything, a secret in the wrong place too. */
const basicClient = (
  { clients }: Application,
  authorization: string | undefined,
): string | undefined => {
  if (authorization === undefined || !/^basic /iu.test(authorization)) return undefined;
  const name = basicCredentials(authorization)?.id;
  return name === undefined ? undefined : clients.byId(name)?.clientId;
};
