/** The options of a sandbox: their types, rules, flags and defaults. */
import type { WordsInput } from "@game-data/contract";
import * as Schema from "effect/Schema";
import { ClientRegistration } from "./clients/Registration.ts";
import { RatePolicyInvalid, SandboxStartError } from "./Errors.ts";
import { Instant, isInClock, OUT_OF_CLOCK, parseInstant } from "./internal/instants.ts";
import { formatIssues, issuesOf } from "./internal/issues.ts";
import { RatePolicies, RateProfile } from "./rates/RatePolicies.ts";
import { SIZES, type WorldOptions } from "./world/Sizes.ts";

// `optional` members may also be `undefined`, because programs pass on options that are not set.
const { optional, String: Text, Boolean: Bool } = Schema;

const Sizes = Schema.Struct(
  Object.fromEntries(
    Object.entries(SIZES).map(([name, [, , maximum]]) => [
      name,
      optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))),
    ]),
  ),
) as Schema.Codec<WorldOptions>;
const Host = Text.check(Schema.isPattern(/^[^\s/?#@*]+$/u, { expected: "a name of a host" }));
const Origin = Text.check(
  Schema.isPattern(/^https?:\/\/[^\s/?#@]+$/u, { expected: "scheme, host and port" }),
);

/** Options on every platform. `AllOptions` adds the options of a sandbox on Node. */
const WEB_FIELDS = {
  /**
   * Seed of the world, its accounts and its clients; the same seed gives the same world. Default
   * that of `file`, or 1.
   */
  seed: optional(Schema.Int),
  /** First instant of the clock (ISO 8601); the present by default. */
  now: optional(
    Instant.check(
      Schema.makeFilter((text) => {
        const at = parseInstant(text);
        return at === undefined || isInClock(at) || OUT_OF_CLOCK;
      }),
    ),
  ),
  /** Rate policies to start with: the name of ready-made ones, or your own. Default `generous`. */
  rates: optional(Schema.Union([RateProfile, RatePolicies])),
  /** Sizes of the generated world, such as `{ ladderSize: 50 }`. */
  world: optional(Sizes),
  /** Clients to register besides the seeded ones. */
  clients: optional(Schema.Array(ClientRegistration)),
  /**
   * Origins that may call token endpoints and data API from a browser (CORS, never with
   * credentials). None by default.
   */
  tokenOrigins: optional(Schema.Array(Origin)),
  /**
   * Whether authorization responses carry `iss` (RFC 9207). Off by default: the specification does
   * not show it.
   */
  issuer: optional(Bool),
  /**
   * Whether a client is answered 429 after 20 wrong secrets or 60 inactive introspections within a
   * minute. True by default; turn it off for a suite of negative tests.
   */
  throttle: optional(Bool),
  /**
   * Milliseconds in which a used refresh token may be used again (a lost response). Default 0: it
   * expires immediately (§3).
   */
  refreshGraceMillis: optional(Schema.Natural),
  /** Maximum number of requests in the journal. Default 1000. */
  journal: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
};
export type WebOptionName = keyof typeof WEB_FIELDS;
export const WebOptions = Schema.Struct(WEB_FIELDS);

const LAST_PORT = 65_535;

export const AllOptions = Schema.Struct({
  ...WEB_FIELDS,
  /**
   * Port of the OAuth server; data API and control plane take the next two. 0 (the default) takes
   * any free ports.
   */
  port: optional(Schema.Int),
  /** Serves all three listeners on one port; their paths do not overlap. */
  singlePort: optional(Bool),
  /** Address to bind. Default: 127.0.0.1. */
  host: optional(Text),
  /**
   * Permits a `host` that other machines can reach. The control plane then requires a key
   * (`controlKey`), but anybody can sign in, because the accounts have no passwords.
   */
  allowRemote: optional(Bool),
  /** Key of the control plane, sent as a bearer token. Random by default with `allowRemote`. */
  controlKey: optional(Text.check(Schema.isMinLength(16))),
  /**
   * URL under which others reach the OAuth server (`http://sandbox:4000`). The data API and the
   * control plane are on the two ports after it, or on the same port with `singlePort`.
   */
  publicUrl: optional(Text),
  /**
   * Further host names of the sandbox, besides its own and this machine's. Any other `Host` is 421.
   * With `allowRemote` every name is accepted unless some are listed here.
   */
  hosts: optional(Schema.Array(Host)),
  /** Database file. Default: state is kept in memory. */
  file: optional(Text),
  /** The deployment's own words for realms and fields; the specification's by default. */
  words: optional(Schema.Record(Text, Text) as Schema.Codec<WordsInput>),
}).check(
  Schema.makeFilter(({ port = 0, publicUrl, singlePort = false }) => {
    const last = singlePort ? LAST_PORT : LAST_PORT - 2;
    if (port < 0 || port > last) return { path: ["port"], issue: `Expected one of 0 to ${last}` };
    const issue = publicUrl === undefined ? undefined : publicUrlProblem(publicUrl, singlePort);
    return issue === undefined ? undefined : { path: ["publicUrl"], issue };
  }),
);

/**
 * The options of `startSandbox`, `Sandbox.layer` and `createSandboxHandler`, also as the document of
 * `--config`; all may be left out.
 */
export type SandboxOptions = typeof AllOptions.Type;

/** Hosts that mean every address of a machine. No client can connect to them. */
const UNSPECIFIED: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

const publicUrlProblem = (text: string, singlePort: boolean): string | undefined => {
  if (!/^https?:/iu.test(text) || !URL.canParse(text)) return `${text} is not an http URL`;
  const url = new URL(text);
  if (UNSPECIFIED.has(url.hostname)) return `nobody can reach ${url.hostname}`;
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return `${text} has more than scheme, host and port`;
  return singlePort || url.port !== ""
    ? undefined
    : "name a port, the data API and the control plane take the next two";
};

/** Returns the error of invalid options, or undefined. Opens no port and no file. */
export const optionsError = (
  value: SandboxOptions,
  schema: typeof AllOptions | typeof WebOptions = AllOptions,
): SandboxStartError | RatePolicyInvalid | undefined => {
  const issues = issuesOf(schema, value);
  const [first] = issues;
  if (first === undefined) return undefined;
  if (!issues.every(({ pointer }) => pointer.startsWith("/rates/")))
    return new SandboxStartError({ reason: formatIssues(issues) });
  return new RatePolicyInvalid({
    at: first.pointer.slice("/rates".length),
    reason: first.message,
  });
};

/**
 * Flag of each option, placeholder of its value (empty for a switch), and description for `--help`.
 * A flag whose placeholder ends with dots may be repeated.
 */
export const FLAGS: {
  readonly [Name in keyof SandboxOptions]-?: readonly [
    flag: string,
    value: "" | "N" | "FILE" | "TEXT" | "TEXT..." | "KEY=VALUE...",
    does: string,
  ];
} = {
  port: [
    "port",
    "N",
    "port of the OAuth server; data API and control plane take N+1, N+2 (default: any)",
  ],
  singlePort: ["single-port", "", "serve all three on one port"],
  host: ["host", "TEXT", "address to bind (default 127.0.0.1)"],
  allowRemote: [
    "allow-remote",
    "",
    "permit an address that others can reach; the control plane then needs a key",
  ],
  controlKey: [
    "control-key",
    "TEXT",
    "key of the control plane (default: random, in the ready line)",
  ],
  publicUrl: ["public-url", "TEXT", "URL of the OAuth server for others: http://sandbox:4000"],
  hosts: ["allow-host", "TEXT...", "answer under this host name too"],
  seed: ["seed", "N", "seed of the world (default: that of the file, or 1)"],
  file: ["file", "TEXT", "keep state in a SQLite file (default: in memory)"],
  now: ["now", "TEXT", "first instant of the clock (ISO 8601; default: the present)"],
  words: ["words", "FILE", "JSON with the deployment's own words for realms and fields"],
  rates: ["rates", "TEXT", "rate policies: generous, realistic, off, or a JSON file"],
  world: ["world", "KEY=VALUE...", "size of the world: streamPageSize=1150"],
  clients: ["clients", "FILE", "JSON with a list of clients to register"],
  tokenOrigins: ["token-origin", "TEXT...", "origin that may call from a browser"],
  issuer: ["issuer", "", "send iss in authorization responses (RFC 9207)"],
  throttle: ["no-throttle", "", "do not limit failed authentication attempts"],
  refreshGraceMillis: ["refresh-grace", "N", "milliseconds in which a used refresh token works"],
  journal: ["journal", "N", "requests that the journal keeps (default 1000)"],
};

/** URLs of the three listeners of a sandbox. */
export interface Addresses {
  /** Origin of the OAuth server, without a path. */
  readonly authUrl: string;
  /** Origin of the data API, without a path. */
  readonly baseUrl: string;
  /** URL of the control plane, which ends with `/control`. */
  readonly controlUrl: string;
}

/** Addresses of a sandbox without ports. Only the sandbox's own `fetch` answers them. */
export const NOWHERE: Addresses = {
  authUrl: "http://auth.sandbox.localhost",
  baseUrl: "http://api.sandbox.localhost",
  controlUrl: "http://control.sandbox.localhost/control",
};

/**
 * Returns the public addresses. Without `singlePort`, the data API and the control plane are on the
 * two ports after that of `publicUrl`.
 */
export const publicAddresses = (publicUrl: string, singlePort: boolean): Addresses => {
  const url = new URL(publicUrl);
  const at = (offset: number): string =>
    singlePort ? url.origin : `${url.protocol}//${url.hostname}:${Number(url.port) + offset}`;
  return { authUrl: at(0), baseUrl: at(1), controlUrl: `${at(2)}/control` };
};

export type SandboxConfig = ReturnType<typeof resolveConfig>;

/** Fills in the defaults of the options, and adds the addresses and the control key. */
export const resolveConfig = (
  options: SandboxOptions,
  addresses: Addresses,
  controlKey: string | undefined,
) => ({
  ...addresses,
  controlKey,
  seed: options.seed,
  hosts: options.hosts,
  /** Milliseconds since the epoch. */
  now: options.now === undefined ? undefined : parseInstant(options.now),
  world: options.world,
  clients: options.clients ?? [],
  rates: options.rates ?? "generous",
  journal: options.journal ?? 1000,
  issuer: options.issuer ?? false,
  throttle: options.throttle ?? true,
  refreshGraceMillis: options.refreshGraceMillis ?? 0,
  tokenOrigins: options.tokenOrigins ?? [],
});
