/**
 * The whole sandbox as one synchronous function: `handle(request): ResponseOutput`.
 *
 * Nothing here waits, opens a port or imports Effect. Adapters carry it to a wire: `nodeListener`
 * and `fetchHandler`. `ready` loads the parts of a listener when it is first asked.
 */
import { type ApplicationParts, type Core, makeCore } from "./Core.ts";
import type { ClientCredentials } from "./clients/Clients.ts";
import type { Addresses } from "./Config.ts";
import type { DataPart } from "./data/DataPart.ts";
import { SandboxClosed } from "./Errors.ts";
import type { Listener } from "./http/Listener.ts";
import type { RequestInput, ResponseOutput } from "./http/messages.ts";
import type { Service } from "./Service.ts";

export interface Application extends Core {
  /** OAuth server, rate limits, faults and journal, once they are loaded. */
  readonly service: Service;
  /** Waits until a listener can answer; undefined where it can already. Throws `SandboxClosed`. */
  ready(listener: Listener): Promise<void> | undefined;
  handle(request: RequestInput): ResponseOutput;
  /** Answers nothing more, and releases the store. */
  close(): void;
}

type Handle = (request: RequestInput) => ResponseOutput;

/** Throws `RegistrationRejected`, or an `Error` where the store holds another world. */
export const makeApplication = (parts: ApplicationParts): Application => {
  const core = makeCore(parts);
  const handlers: Partial<Record<Listener, Handle>> = {};
  let service: Service | undefined;
  let dataPart: DataPart | undefined;
  let isClosed = false;

  const load = async (listener: Listener): Promise<void> => {
    const { makeService } = await import("./Service.ts");
    const loaded = (service ??= makeService(core));
    handlers.auth ??= loaded.auth;
    if (listener === "auth") return;
    const { makeDataPart } = await import("./data/DataPart.ts");
    const data = (dataPart ??= makeDataPart(core));
    handlers.data ??= data.front(loaded.pipeline(data.routes));
    if (listener === "data") return;
    const { makeControlPlane } = await import("./control/ControlPlane.ts");
    handlers.control ??= makeControlPlane(core, loaded, data);
  };

  return {
    ...core,
    get service() {
      return service ?? notReady();
    },
    ready: (listener) => {
      if (isClosed) throw new SandboxClosed({ url: core.config.authUrl });
      return handlers[listener] === undefined ? load(listener) : undefined;
    },
    handle: (request) => (handlers[request.listener] ?? notReady())(request),
    close: () => {
      isClosed = true;
      core.store.close();
    },
  };
};

const notReady = (): never => {
  throw new Error("the sandbox is not ready: await ready()");
};

/** Addresses, clients and accounts of a running sandbox. */
export interface SandboxInfo extends Addresses {
  /** The seeded and configured clients, with their secrets. */
  readonly clients: ReadonlyArray<ClientCredentials>;
  readonly accounts: ReadonlyArray<{ readonly name: string; readonly uuid: string }>;
  /** Key of the control plane, where it asks for one. */
  readonly controlKey?: string;
}

export const infoOf = ({ accounts, clients, config }: Application): SandboxInfo => ({
  authUrl: config.authUrl,
  baseUrl: config.baseUrl,
  controlUrl: config.controlUrl,
  clients: clients.credentials,
  accounts: accounts.all.map(({ name, uuid }) => ({ name, uuid })),
  ...(config.controlKey === undefined ? {} : { controlKey: config.controlKey }),
});
