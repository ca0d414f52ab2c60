/** Information about a running sandbox. */
import type { Application } from "./Application.ts";
import type { ClientCredentials } from "./clients/Clients.ts";
import type { Addresses } from "./Config.ts";

/** Addresses, clients and accounts of a running sandbox. */
export interface SandboxInfo extends Addresses {
  /** The seeded and configured clients, with their secrets. */
  readonly clients: ReadonlyArray<ClientCredentials>;
  /** The accounts that can sign in. */
  readonly accounts: ReadonlyArray<{ readonly name: string; readonly uuid: string }>;
  /** Key of the control plane, where it asks for one. */
  readonly controlKey?: string;
}

/** Returns the information about a sandbox. */
export const infoOf = ({ accounts, clients, config }: Application): SandboxInfo => ({
  authUrl: config.authUrl,
  baseUrl: config.baseUrl,
  controlUrl: config.controlUrl,
  clients: clients.credentials,
  accounts: accounts.all.map(({ name, uuid }) => ({ name, uuid })),
  ...(config.controlKey === undefined ? {} : { controlKey: config.controlKey }),
});
