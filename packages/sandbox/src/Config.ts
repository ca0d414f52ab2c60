/**
 * Configuration of a sandbox: the options that users give, and the resolved form that its parts
 * read.
 */
import type { WordsInput } from "@game-data/contract";
import type { ClientRegistration } from "./clients/Registration.ts";
import { parseInstant } from "./internal/instants.ts";
import type { RatePolicies, RateProfile } from "./rates/RatePolicies.ts";
import type { WorldOptions } from "./world/Sizes.ts";

/**
 * The options of `startSandbox`, `Sandbox.layer` and `createSandboxHandler`; all may be left out.
 */
export interface SandboxOptions {
  /**
   * Port of the OAuth server; data API and control plane take the next two. 0 (the default) takes
   * any free ports.
   */
  readonly port?: number | undefined;
  /** Address to bind, a loopback one by default (127.0.0.1). */
  readonly host?: string | undefined;
  /**
   * Permits a `host` that other machines can reach. The control plane then asks for a key
   * (`controlKey`); the OAuth server and the data API protect nothing.
   */
  readonly allowRemote?: boolean | undefined;
  /**
   * Key of the control plane, sent as a bearer token. Drawn where `allowRemote` is set and none is
   * given; without `allowRemote` none is needed.
   */
  readonly controlKey?: string | undefined;
  /**
   * The URL under which others reach the OAuth server, with the data API and the control plane on
   * the two ports after it (`http://sandbox:4000`), or on the same one with `singlePort`.
   */
  readonly publicUrl?: string | undefined;
  /** Serves all three listeners on one port; their paths do not overlap. */
  readonly singlePort?: boolean | undefined;
  /**
   * Names besides its own and this machine's under which the sandbox answers: a `Host` of any other
   * name is 421. With `allowRemote` every name is good unless some are listed here.
   */
  readonly hosts?: ReadonlyArray<string> | undefined;
  /**
   * Seed of the world, its accounts and its clients; the same seed gives the same world. Default
   * that of `file`, or 1.
   */
  readonly seed?: number | undefined;
  /** Database file; state is kept in memory without one. */
  readonly file?: string | undefined;
  /** The deployment's own words for realms and fields; the specification's by default. */
  readonly words?: WordsInput | undefined;
  /** First instant of the clock (ISO 8601); the present by default. */
  readonly now?: string | undefined;
  /** Sizes of the generated world. */
  readonly world?: WorldOptions | undefined;
  /**
   * Whether a client is answered 429 after 20 wrong secrets or 60 inactive introspections within a
   * minute. True by default; turn it off for a suite of negative tests.
   */
  readonly throttle?: boolean | undefined;
  /** Clients to register besides the seeded ones. */
  readonly clients?: ReadonlyArray<ClientRegistration> | undefined;
  /** Rate policies to start with: the name of ready-made ones, or your own. Default `generous`. */
  readonly rates?: RateProfile | RatePolicies | undefined;
  /** Maximum number of requests in the journal. Default 1000. */
  readonly journal?: number | undefined;
  /**
   * Whether authorization responses carry `iss` (RFC 9207). Off by default: the specification does
   * not show it.
   */
  readonly issuer?: boolean | undefined;
  /**
   * Milliseconds in which a used refresh token may be used again (a lost response). Default 0: it
   * expires immediately (§3).
   */
  readonly refreshGraceMillis?: number | undefined;
  /**
   * Origins that may call token endpoints and data API from a browser (CORS, never with
   * credentials). None by default.
   */
  readonly tokenOrigins?: ReadonlyArray<string> | undefined;
}

/** The options that a running sandbox reads, where none is given. */
const DEFAULTS = {
  world: {},
  clients: [],
  rates: "generous",
  journal: 1000,
  issuer: false,
  throttle: true,
  refreshGraceMillis: 0,
  tokenOrigins: [],
} satisfies SandboxOptions;

type Resolved = {
  readonly [Name in keyof typeof DEFAULTS]: NonNullable<SandboxOptions[Name]>;
};

/** The options as the parts of a running sandbox see them. */
export interface SandboxConfig extends Addresses, Resolved {
  /** The seed, if one was given. */
  readonly seed: number | undefined;
  /** Names besides its own and this machine's under which it answers, if any are listed. */
  readonly hosts: ReadonlyArray<string> | undefined;
  /** First instant of the clock in milliseconds since the epoch, if one was given. */
  readonly now: number | undefined;
  /** Key of the control plane, if it asks for one. */
  readonly controlKey: string | undefined;
}

/** Addresses of a sandbox. */
export interface Addresses {
  /** Address of the OAuth server. */
  readonly authUrl: string;
  /** Address of the data API. */
  readonly baseUrl: string;
  /** Address of the control plane. */
  readonly controlUrl: string;
}

/** Addresses of a sandbox without ports: names that reach nothing but this process. */
export const NOWHERE: Addresses = {
  authUrl: "http://auth.sandbox.localhost",
  baseUrl: "http://api.sandbox.localhost",
  controlUrl: "http://control.sandbox.localhost/control",
};

/**
 * Describes the first option of the right type that makes no sense, or returns undefined. Opens no
 * port and no file.
 */
export const validateOptions = (options: SandboxOptions): string | undefined => {
  const { now, port = 0, publicUrl, singlePort = false } = options;
  if (now !== undefined && parseInstant(now) === undefined) return `now: ${now} is not an instant`;
  const last = singlePort ? LAST_PORT : LAST_PORT - 2;
  if (!Number.isInteger(port) || port < 0 || port > last)
    return `port: ${port} is not one of 0 to ${last}`;
  return publicUrl === undefined ? undefined : validatePublicUrl(publicUrl, singlePort);
};

const LAST_PORT = 65_535;

/** Hosts that bind to every address and name none. */
const UNSPECIFIED: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

const validatePublicUrl = (text: string, singlePort: boolean): string | undefined => {
  if (!URL.canParse(text)) return `publicUrl: ${text} is not a URL`;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `publicUrl: ${text} is not an http URL`;
  if (UNSPECIFIED.has(url.hostname)) return `publicUrl: nobody can reach ${url.hostname}`;
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return `publicUrl: ${text} has more than scheme, host and port`;
  return singlePort || url.port !== ""
    ? undefined
    : "publicUrl: name a port, the data API and the control plane take the next two";
};

/** The addresses that follow from `publicUrl`. */
export const publicAddresses = (publicUrl: string, singlePort: boolean): Addresses => {
  const url = new URL(publicUrl);
  const at = (offset: number): string => {
    if (singlePort) return url.origin;
    return `${url.protocol}//${url.hostname}:${Number(url.port) + offset}`;
  };
  return { authUrl: at(0), baseUrl: at(1), controlUrl: `${at(2)}/control` };
};

/** Fills in the defaults of `options` for a sandbox that answers at `addresses`. */
export const resolveConfig = (
  options: SandboxOptions,
  addresses: Addresses,
  controlKey: string | undefined,
): SandboxConfig => ({
  ...(Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]) => [
      name,
      options[name as keyof SandboxOptions] ?? value,
    ]),
  ) as unknown as Resolved),
  seed: options.seed,
  hosts: options.hosts,
  now: options.now === undefined ? undefined : parseInstant(options.now),
  controlKey,
  ...addresses,
});
