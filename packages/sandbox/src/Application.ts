/**
 * The whole sandbox as one synchronous function: `handle(request): ResponseOutput`.
 *
 * Nothing here waits, opens a port or imports Effect. Adapters carry it to a wire: `nodeListener`
 * and `fetchHandler`. `ready` loads the parts of a listener when it is first asked.
 */
import { Accounts } from "./clients/Accounts.ts";
import { Clients } from "./clients/Clients.ts";
import { VirtualClock } from "./clock/VirtualClock.ts";
import type { SandboxConfig } from "./Config.ts";
import { type ApplicationParts, type Core, WORLD_START } from "./Core.ts";
import type { DataPart } from "./data/DataPart.ts";
import { SandboxClosed } from "./Errors.ts";
import type { Listener } from "./http/Listener.ts";
import type { RequestInput, ResponseOutput } from "./http/messages.ts";
import type { Platform } from "./platform/Platform.ts";
import type { Service } from "./Service.ts";
import { Store } from "./store/Store.ts";

/** A sandbox without a wire. */
export class Application implements Core {
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly accounts: Accounts;
  readonly clients: Clients;
  readonly parts: ApplicationParts;
  /** The instant at which the world starts. */
  readonly worldStart: number;
  #isClosed = false;
  #service: Service | undefined;
  #dataPart: DataPart | undefined;
  #data: ((request: RequestInput) => ResponseOutput) | undefined;
  #control: ((request: RequestInput) => ResponseOutput) | undefined;

  /** Throws `RegistrationRejected`, or an `Error` where the store holds another world. */
  constructor(parts: ApplicationParts) {
    const { config, platform } = parts;
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
  }

  /** OAuth server, rate limits, faults and journal, once they are loaded. */
  get service(): Service {
    if (this.#service === undefined) throw new Error("the sandbox is not ready: await ready()");
    return this.#service;
  }

  /** The world and the item filters, once they are loaded. */
  get data(): DataPart | undefined {
    return this.#dataPart;
  }

  /** Waits until a listener can answer; undefined where it can already. Throws `SandboxClosed`. */
  ready(listener: Listener): Promise<void> | undefined {
    if (this.#isClosed) throw new SandboxClosed({ url: this.config.authUrl });
    const isReady =
      listener === "auth"
        ? this.#service !== undefined
        : (listener === "data" ? this.#data : this.#control) !== undefined;
    return isReady ? undefined : this.#load(listener);
  }

  /** Answers a request to a listener that is ready. */
  handle(request: RequestInput): ResponseOutput {
    if (request.listener === "auth") return this.service.auth(request);
    const handle = request.listener === "data" ? this.#data : this.#control;
    if (handle === undefined) throw new Error("the sandbox is not ready: await ready()");
    return handle(request);
  }

  /** Answers nothing more, and releases the store. */
  close(): void {
    this.#isClosed = true;
    this.store.close();
  }

  async #load(listener: Listener): Promise<void> {
    const { Service: Loaded } = await import("./Service.ts");
    const service = (this.#service ??= new Loaded(this));
    if (listener === "auth") return;
    const { makeDataPart } = await import("./data/DataPart.ts");
    const { nulls } = this.config;
    const fillNulls =
      nulls === "absent" ? undefined : (await import("./data/nulls.ts")).makeFillNulls(nulls);
    const data = (this.#dataPart ??= makeDataPart(this, fillNulls));
    this.#data ??= data.front(service.pipeline(data.routes));
    if (listener === "data") return;
    const { makeControlPlane } = await import("./control/ControlPlane.ts");
    this.#control ??= makeControlPlane(this, service, data);
  }
}
