/**
 * Who we are and where the service is: flags win over the environment (`GAME_DATA_*`), which wins
 * over the file and its profiles.
 *
 * The file is JSON, `config.json` in the user's configuration folder for the program (XDG or the
 * platform's own), or what `--config` or `GAME_DATA_CONFIG` names. Its keys are those of
 * `Settings`; what stands in `profiles` under the name that `--profile` or `GAME_DATA_PROFILE`
 * gives wins over the rest of the file, so that one file holds several deployments or clients.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { WordsInput } from "@game-data/contract";
import { Effect, Option, Redacted } from "effect";
import { Command, Flag, GlobalFlag } from "effect/cli";
import { UserDirectories } from "effect/persistence";
import { type Failure, failure } from "./Failure.ts";
import { readJson } from "./Input.ts";
import { KEYS, readConfig } from "./configFile.ts";
import { Program } from "./Program.ts";

/** The settings of a connection, by the names that the file uses. */
export interface Settings {
  /** Address of the OAuth server. */
  readonly authUrl: string | undefined;
  /** Address of the data API. */
  readonly baseUrl: string | undefined;
  /** The registered client. */
  readonly clientId: string | undefined;
  /** Its secret; without one the client is public. */
  readonly clientSecret: Redacted.Redacted | undefined;
  /** An access token to use as it is; nothing is stored or renewed then. */
  readonly token: Redacted.Redacted | undefined;
  /** The client's registered loopback redirect. */
  readonly redirectUri: string;
  /** How the service's staff can reach whoever runs this; part of the User-Agent. */
  readonly contact: string;
  /** Seconds that a request may wait for its turn under the rate limits. */
  readonly maxWait: number;
  /** The deployment's own words for realms and fields. */
  readonly words: Partial<WordsInput> | undefined;
  /** Folder of the token store. */
  readonly tokens: string;
  /** The configuration file, whether or not it exists. */
  readonly file: string;
  /** Where each setting that is present came from. */
  readonly sources: Readonly<Record<string, Source>>;
}

/** Where a setting came from. */
export type Source = "flag" | "environment" | "profile" | "file" | "default";

/** Any loopback port: the receiver picks one. */
const DEFAULT_REDIRECT_URI = "http://127.0.0.1/callback";
const DEFAULT_CONTACT = "https://github.com/game-data/game-data";

/** Longer than the windows that services count in usually are. */
const DEFAULT_MAX_WAIT = "300";

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

const flags = {
  authUrl: GlobalFlag.Setting("auth-url")({
    flag: text("auth-url", "Address of the OAuth server"),
  }),
  baseUrl: GlobalFlag.Setting("base-url")({ flag: text("base-url", "Address of the data API") }),
  clientId: GlobalFlag.Setting("client-id")({ flag: text("client-id", "The registered client") }),
  clientSecret: GlobalFlag.Setting("client-secret")({
    flag: text(
      "client-secret",
      "Its secret; GAME_DATA_CLIENT_SECRET keeps it out of the process list",
    ),
  }),
  redirectUri: GlobalFlag.Setting("redirect-uri")({
    flag: text("redirect-uri", `The registered loopback redirect (${DEFAULT_REDIRECT_URI})`),
  }),
  contact: GlobalFlag.Setting("contact")({
    flag: text("contact", "How you can be reached, for the User-Agent"),
  }),
  maxWait: GlobalFlag.Setting("max-wait")({
    flag: text(
      "max-wait",
      `Seconds that a request may wait for the rate limit (${DEFAULT_MAX_WAIT})`,
    ),
  }),
  words: GlobalFlag.Setting("words")({
    flag: text("words", "JSON file with the deployment's own words for realms"),
  }),
  config: GlobalFlag.Setting("config")({ flag: text("config", "Another configuration file") }),
  profile: GlobalFlag.Setting("profile")({
    flag: text("profile", "A profile of the configuration file"),
  }),
};

/** The flags of every command that talks to a service. */
const connectionFlags = [
  flags.authUrl,
  flags.baseUrl,
  flags.clientId,
  flags.clientSecret,
  flags.redirectUri,
  flags.contact,
  flags.maxWait,
  flags.words,
  flags.config,
  flags.profile,
] as const;

/** The environment's name of a setting: `authUrl` → `GAME_DATA_AUTH_URL`. */
const variableOf = (name: string): string =>
  `GAME_DATA_${name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`;

/** The flag of a setting: `authUrl` → `--auth-url`. */
const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;

const environment = (name: string): string | undefined =>
  process.env[variableOf(name)] || undefined;

/** Reads flags, environment and file. */
export const settings = Effect.gen(function* () {
  const given = {
    authUrl: Option.getOrUndefined(yield* flags.authUrl),
    baseUrl: Option.getOrUndefined(yield* flags.baseUrl),
    clientId: Option.getOrUndefined(yield* flags.clientId),
    clientSecret: Option.getOrUndefined(yield* flags.clientSecret),
    redirectUri: Option.getOrUndefined(yield* flags.redirectUri),
    contact: Option.getOrUndefined(yield* flags.contact),
    maxWait: Option.getOrUndefined(yield* flags.maxWait),
    words: Option.getOrUndefined(yield* flags.words),
  };
  const named = Option.getOrUndefined(yield* flags.config) ?? environment("config");
  const file = named ?? join(yield* folder("config"), "config.json");
  const profile = Option.getOrUndefined(yield* flags.profile) ?? environment("profile");
  // A file that was asked for must be there, also for its profile; the usual one need not.
  const isWanted = named !== undefined || profile !== undefined || existsSync(file);
  const inFile = isWanted ? yield* readConfig(file, profile) : { common: {}, profile: {} };
  const sources: Record<string, Source> = {};
  const pick = (name: string, fallback?: string): string | undefined => {
    const found: ReadonlyArray<readonly [Source, string | undefined]> = [
      ["flag", (given as Record<string, string | undefined>)[name]],
      ["environment", environment(name)],
      ["profile", inFile.profile[name]],
      ["file", inFile.common[name]],
      ["default", fallback],
    ];
    const [source, value] = found.find(([, candidate]) => candidate !== undefined) ?? [];
    if (source !== undefined) sources[name] = source;
    return value;
  };
  const secret = (name: string) => {
    const value = pick(name);
    return value === undefined ? undefined : Redacted.make(value, { label: name });
  };
  /** A value that cannot be right is corrected where it comes from. */
  const checked = <A>(name: string, check: Effect.Effect<A, Failure>) =>
    Effect.mapError(check, ({ message }) =>
      failure("setting-invalid", message, {
        next: `correct it where it comes from: ${placeOf(name, sources[name], file)}`,
        details: { setting: name },
      }),
    );
  const wordsFile = pick("words");
  return {
    authUrl: yield* checked("authUrl", address("authUrl", pick("authUrl"))),
    baseUrl: yield* checked("baseUrl", address("baseUrl", pick("baseUrl"))),
    clientId: yield* checked("clientId", inHeader("clientId", pick("clientId"))),
    clientSecret: secret("clientSecret"),
    token: secret("token"),
    redirectUri: pick("redirectUri", DEFAULT_REDIRECT_URI)!,
    contact: yield* checked("contact", inHeader("contact", pick("contact", DEFAULT_CONTACT)!)),
    maxWait: yield* checked("maxWait", seconds("maxWait", pick("maxWait", DEFAULT_MAX_WAIT)!)),
    words: wordsFile === undefined ? undefined : ((yield* readJson(wordsFile)) as WordsInput),
    tokens: pick("tokens", join(yield* folder("state"), "tokens"))!,
    file,
    sources,
  } satisfies Settings;
});

/** Where people find a setting again. */
const placeOf = (name: string, source: Source | undefined, file: string): string => {
  if (source === "flag") return flagOf(name);
  return source === "environment" ? variableOf(name) : file;
};

const ESSENTIALS = ["authUrl", "baseUrl", "clientId"] as const;

/** A setting that the command cannot do without. All that are missing are named at once. */
export const required = (
  from: Settings,
  name: (typeof ESSENTIALS)[number],
): Effect.Effect<string, Failure> => {
  const value = from[name];
  if (value !== undefined) return Effect.succeed(value);
  const missing = ESSENTIALS.filter((each) => from[each] === undefined);
  return Effect.fail(
    failure("setting-missing", `No service is configured: there is no ${missing.join(", no ")}.`, {
      next: `set ${missing.map(variableOf).join(", ")} (or ${missing.map(flagOf).join(", ")}; or write them into ${from.file}); to try things out, see: gamedata sandbox run`,
      details: { setting: name, missing },
    }),
  );
};

const folder = Effect.fnUntraced(function* (kind: "config" | "state") {
  const { [kind]: of } = UserDirectories.make();
  return yield* Effect.mapError(of((yield* Program).name), (error) =>
    failure("setting-invalid", `The user's ${kind} folder is not known: ${error.message}`, {
      next: "set HOME",
    }),
  );
});

const seconds = (name: string, value: string) =>
  /^\d+$/u.test(value)
    ? Effect.succeed(Number(value))
    : Effect.fail(
        failure("setting-invalid", `${name} is a whole number of seconds, and not ${value}.`),
      );

/** It becomes part of the User-Agent. */
const inHeader = <Value extends string | undefined>(name: string, value: Value) =>
  value === undefined || (/^[\x20-\x7e]+$/u.test(value) && !/[()]/u.test(value))
    ? Effect.succeed(value)
    : Effect.fail(
        failure("setting-invalid", `${name} must be printable ASCII without parentheses.`),
      );

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Tokens do not travel in the clear (RFC 6750 §5.3). */
const address = (name: string, value: string | undefined) => {
  if (value === undefined) return Effect.succeed(undefined);
  const url = URL.parse(value);
  const isSafe =
    url !== null &&
    (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname)));
  return isSafe
    ? Effect.succeed(value)
    : Effect.fail(
        failure("setting-invalid", `${name} must be an https address, or http on this machine.`),
      );
};

/**
 * The first flag of a connection in a command line: what was asked for there, whatever the
 * environment and the file say.
 */
export const flagIn = (args: ReadonlyArray<string>): string | undefined => {
  const names = new Set([...KEYS, "config", "profile"].map(flagOf));
  return args.map((arg) => arg.replace(/=.*$/su, "")).find((arg) => names.has(arg));
};

/** Gives a command the flags of a connection. */
export const connected = Command.withGlobalFlags(connectionFlags);
