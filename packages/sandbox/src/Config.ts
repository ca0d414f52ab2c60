/**
 * What a sandbox is started with: the options people give, and the settled form that its parts
 * read.
 */
import { makeWords, type Words, type WordsInput } from "@game-data/contract";
import * as Context from "effect/Context";
import type { ClientRegistration } from "./clients/Registration.ts";
import type { RatePolicies } from "./rates/RatePolicy.ts";
import type { RateProfile } from "./rates/RateProfiles.ts";
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
  /** Permits a `host` that other machines can reach. The sandbox protects nothing: leave it off. */
  readonly allowRemote?: boolean | undefined;
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
  /** Folder of captured pages and records to serve instead of generated ones. */
  readonly replay?: string | undefined;
  /** Where the clock stands at the first start (ISO 8601); the present by default. */
  readonly now?: string | undefined;
  /** How large the generated world is. */
  readonly world?: WorldOptions | undefined;
  /** Clients to register besides the seeded ones. */
  readonly clients?: ReadonlyArray<ClientRegistration> | undefined;
  /** Rate policies to start with: the name of ready-made ones, or your own. Default `generous`. */
  readonly rates?: RateProfile | RatePolicies | undefined;
  /** How many requests the journal keeps. Default 1000. */
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

/** The options as the parts of a running sandbox see them. */
export class SandboxConfig extends Context.Service<
  SandboxConfig,
  {
    /**
     * Names besides its own and this machine's under which the sandbox answers, if any are listed.
     */
    readonly hosts: ReadonlyArray<string> | undefined;
    /** Seed of world, accounts and clients. */
    readonly seed: number;
    /** Database file, if any. */
    readonly file: string | undefined;
    /** The deployment's words; the specification's own by default. */
    readonly words: Words;
    /** Folder to replay, if any. */
    readonly replay: string | undefined;
    /** First instant of the clock in milliseconds since the epoch, if one was given. */
    readonly now: number | undefined;
    /** How large the generated world is. */
    readonly world: WorldOptions;
    /** Clients to register besides the seeded ones. */
    readonly clients: ReadonlyArray<ClientRegistration>;
    /** Rate policies to start with. */
    readonly rates: RateProfile | RatePolicies;
    /** How many requests the journal keeps. */
    readonly journal: number;
    /** Whether authorization responses carry `iss`. */
    readonly issuer: boolean;
    /** Grace of a used refresh token in milliseconds. */
    readonly refreshGraceMillis: number;
    /** Origins that may call token endpoints and data API from a browser. */
    readonly tokenOrigins: ReadonlyArray<string>;
    /** Address of the OAuth server, without a slash at the end. */
    readonly authUrl: string;
    /** Address of the data API, without a slash at the end. */
    readonly baseUrl: string;
    /** Address of the control plane, without a slash at the end. */
    readonly controlUrl: string;
  }
>()("@game-data/sandbox/SandboxConfig") {}

/** Where a sandbox answers. */
export interface Addresses {
  /** Address of the OAuth server. */
  readonly authUrl: string;
  /** Address of the data API. */
  readonly baseUrl: string;
  /** Address of the control plane. */
  readonly controlUrl: string;
}

/** What is wrong with the options, as far as it can be told without trying, or undefined. */
export const validateOptions = (options: SandboxOptions): string | undefined => {
  const { now, port = 0, seed = 1 } = options;
  if (now !== undefined && Number.isNaN(Date.parse(now))) return `now: ${now} is not an instant`;
  if (!Number.isSafeInteger(seed)) return `seed: ${seed} is not a whole number`;
  const isPort = Number.isInteger(port) && port >= 0 && port <= LAST_PORT;
  return isPort ? undefined : `port: ${port} is not one of 0 to ${LAST_PORT}`;
};

/** Two more ports follow the one that is named. */
const LAST_PORT = 65_533;

/** Fills in the defaults of `options` for a sandbox that answers at `addresses`. */
export const resolveConfig = (
  options: SandboxOptions,
  addresses: Addresses,
): SandboxConfig["Service"] => ({
  hosts: options.hosts,
  seed: options.seed ?? 1,
  file: options.file,
  words: makeWords(options.words ?? {}),
  replay: options.replay,
  now: options.now === undefined ? undefined : Date.parse(options.now),
  world: options.world ?? {},
  clients: options.clients ?? [],
  rates: options.rates ?? "generous",
  journal: options.journal ?? 1000,
  issuer: options.issuer ?? false,
  refreshGraceMillis: options.refreshGraceMillis ?? 0,
  tokenOrigins: options.tokenOrigins ?? [],
  ...addresses,
});
