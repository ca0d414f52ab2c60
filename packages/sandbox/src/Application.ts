/**
 * The whole sandbox as one synchronous function: `handle(request): ResponseOutput`.
 *
 * Nothing here waits, opens a port or imports Effect. Adapters carry it to a wire: `nodeListener`
 * and `fetchHandler`. What a first request does not need (the world, the control plane) is loaded by
 * `ready` when a listener is first asked.
 */
import { Accounts } from "./clients/Accounts.ts";
import { Clients } from "./clients/Clients.ts";
import { VirtualClock } from "./clock/VirtualClock.ts";
import type { SandboxConfig } from "./Config.ts";
import type { FindCapture } from "./data/Replay.ts";
import type { WordsTranslation } from "./data/words.ts";
import type { DataPart } from "./data/DataPart.ts";
import { Faults } from "./faults/Faults.ts";
import { unknownPath } from "./http/fallbacks.ts";
import { makeHostCheck } from "./http/hostCheck.ts";
import type { Listener } from "./http/Listener.ts";
import type { RequestInput, ResponseOutput } from "./http/messages.ts";
import { makePipeline } from "./http/RequestPipeline.ts";
import { type Route, Router } from "./http/Router.ts";
import type { Log } from "./internal/log.ts";
import { Journal } from "./journal/Journal.ts";
import { basicCredentials } from "./oauth/ClientAuthentication.ts";
import { OAuthServer } from "./oauth/OAuthServer.ts";
import { pageRoutes } from "./oauth/pageEndpoints.ts";
import { tokenRoutes } from "./oauth/tokenEndpoints.ts";
import type { Platform } from "./platform/Platform.ts";
import { RateLimits } from "./rates/RateLimits.ts";
import { type Engine, Store } from "./store/Store.ts";

/** What an application is made from. */
export interface ApplicationParts {
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly engine: Engine;
  readonly log: Log;
  /** The real time in milliseconds; the platform's by default. */
  readonly baseClock?: () => number;
  /** Waits in the time of the surroundings, for delays; a timer by default. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  readonly findCapture?: FindCapture | undefined;
  readonly words?: WordsTranslation | undefined;
  /** Builds the OpenAPI documents and their pages, where there is something to build them with. */
  readonly documents?: (path: string) => Promise<ResponseOutput> | undefined;
}

/** The store's key of the instant at which the world starts. */
export const WORLD_START = "world.birth";

/** A sandbox without a wire. */
export class Application {
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly accounts: Accounts;
  readonly clients: Clients;
  readonly oauth: OAuthServer;
  readonly rates: RateLimits;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly parts: ApplicationParts;
  /** The instant at which the world starts. */
  readonly worldStart: number;
  readonly #auth: (request: RequestInput) => ResponseOutput;
  #data: ((request: RequestInput) => ResponseOutput) | undefined;
  #control: ((request: RequestInput) => ResponseOutput) | undefined;
  #dataPart: DataPart | undefined;
  readonly #pipeline: (data: Router<Route>) => (request: RequestInput) => ResponseOutput;

  /** Throws a `SandboxStartError`, `RegistrationRejected` or `RatePolicyInvalid`. */
  constructor(parts: ApplicationParts) {
    const { config, log, platform } = parts;
    this.parts = parts;
    this.config = config;
    this.platform = platform;
    this.store = new Store(parts.engine);
    const known = this.store.getMeta("seed");
    if (known !== undefined && known !== String(config.seed))
      throw new Error(`it holds the world of seed ${known}, not ${config.seed}`);
    this.store.setMeta("seed", String(config.seed));
    this.clock = new VirtualClock(parts.baseClock ?? platform.now, this.store, config.now);
    const { now } = this.clock;
    // A configured start is the world's to the millisecond, so that two processes with equal
    // options have one world.
    const stored = this.store.getMeta(WORLD_START);
    this.worldStart = stored === undefined ? (config.now ?? now()) : Number(stored);
    if (stored === undefined) this.store.setMeta(WORLD_START, String(this.worldStart));
    this.accounts = new Accounts(config.seed, platform);
    this.clients = new Clients({
      store: this.store,
      accounts: this.accounts,
      platform,
      seed: config.seed,
      clients: config.clients,
    });
    this.oauth = new OAuthServer({
      config,
      store: this.store,
      accounts: this.accounts,
      clients: this.clients,
      platform,
      now,
    });
    this.rates = new RateLimits(config.rates, now);
    this.faults = new Faults(now);
    this.journal = new Journal(config.journal);
    const begun = platform.monotonic();
    const auth = new Router<Route>([
      ...tokenRoutes(this.oauth, config, log),
      ...pageRoutes({ server: this.oauth, config, platform, log }),
    ]);
    this.#pipeline = (data) =>
      makePipeline({
        checkHost: makeHostCheck(config, config.hosts),
        now,
        monotonic: () => platform.monotonic() - begun,
        clientOf: (authorization) => this.#basicClient(authorization),
        verify: this.oauth.verify,
        rates: this.rates,
        faults: this.faults,
        journal: this.journal,
        routers: { auth, data },
      });
    this.#auth = this.#pipeline(new Router([]));
  }

  /** Waits until a listener can answer; undefined where it can already. */
  ready(listener: Listener): Promise<void> | undefined {
    if (listener === "data" && this.#data === undefined) return this.#load(listener);
    if (listener === "control" && this.#control === undefined) return this.#load(listener);
    return undefined;
  }

  /** The world and the item filters, once they are loaded. */
  get data(): DataPart | undefined {
    return this.#dataPart;
  }

  /** Answers a request to a listener that is ready. */
  handle(request: RequestInput): ResponseOutput {
    if (request.listener === "auth") return this.#auth(request);
    const handle = request.listener === "data" ? this.#data : this.#control;
    return handle === undefined ? unknownPath(request.listener, request) : handle(request);
  }

  /** Releases the store. */
  close(): void {
    this.store.close();
  }

  async #loadData(): Promise<DataPart> {
    const { makeDataPart } = await import("./data/DataPart.ts");
    if (this.#dataPart === undefined) {
      this.#dataPart = makeDataPart(this);
      this.#data = this.#dataPart.front(this.#pipeline(new Router(this.#dataPart.routes)));
    }
    return this.#dataPart;
  }

  async #load(listener: Listener): Promise<void> {
    const data = await this.#loadData();
    if (listener !== "control") return;
    const { makeControlPlane } = await import("./control/ControlPlane.ts");
    this.#control ??= makeControlPlane(this, data);
  }

  /** A name that no client is registered under may be anything, a secret in the wrong place too. */
  #basicClient(authorization: string | undefined): string | undefined {
    if (authorization === undefined || !/^basic /iu.test(authorization)) return undefined;
    const name = basicCredentials(authorization)?.id;
    return name === undefined ? undefined : this.clients.byId(name)?.clientId;
  }
}
