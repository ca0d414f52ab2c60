/**
 * The connection settings: flags override the environment (`GAME_DATA_*`), which overrides the
 * profile of the configuration file, which overrides the rest of that file.
 *
 * The file is `config.json` in the user's configuration folder for the program, or the one that
 * `--config` or `GAME_DATA_CONFIG` names. `--profile` or `GAME_DATA_PROFILE` selects an entry of
 * its `profiles`, else its `profile` does, so that one file holds several deployments or clients.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { WordsInput } from "@game-data/contract";
import { type Failure, FailureHints, failure } from "@game-data/terminal/Failure";
import { Host, Program } from "@game-data/terminal/Host";
import { readJson } from "@game-data/terminal/Input";
import { Effect, Redacted } from "effect";
import { Command, Flag, GlobalFlag } from "effect/cli";
import { UserDirectories } from "effect/persistence";
import { omitUndefined } from "@game-data/terminal/flags";
import { type ConfigFile, EMPTY_FILE, readConfigFile } from "./file.ts";
import { flagOf, problemOf, type SettingName, SETTINGS, variableOf } from "./names.ts";

/** The settings of a connection. */
export interface Settings {
  /** Address of the OAuth server. */
  readonly authUrl: string | undefined;
  /** Address of the data API. */
  readonly baseUrl: string | undefined;
  /** The registered client. */
  readonly clientId: string | undefined;
  /** Its secret. A client without one is public. */
  readonly clientSecret: Redacted.Redacted | undefined;
  /** An access token to use unchanged. Nothing is stored or renewed then. */
  readonly token: Redacted.Redacted | undefined;
  /** The client's registered loopback redirect. */
  readonly redirectUri: string;
  /** Contact of the user for the service's staff. Part of the User-Agent. */
  readonly contact: string;
  /** Seconds that a request may wait for the rate limits. */
  readonly maxWait: number;
  /** The deployment's names of realms and fields. */
  readonly words: Partial<WordsInput> | undefined;
  /** Folder of the token store. */
  readonly tokens: string;
  /** Whether the tokens are sealed with a key that is in the system's keychain. */
  readonly keychain: boolean;
  /** The configuration file, whether or not it exists. */
  readonly file: string;
  /** The selected profile of the file. */
  readonly profile: string | undefined;
  /** Source of each setting. */
  readonly sources: Readonly<Partial<Record<SettingName, Source>>>;
}

/** Source of a setting. */
type Source = "flag" | "environment" | "profile" | "file" | "default";

const text = <const Name extends string>(name: Name, description: string, metavar: string) =>
  GlobalFlag.Setting(name)({
    flag: Flag.String(name).pipe(
      Flag.withDescription(description),
      Flag.withMetavar(metavar),
      Flag.optional,
    ),
  });

/** Flags of settings. */
const settingFlags = {
  authUrl: text("auth-url", "Address of the OAuth server", "URL"),
  baseUrl: text("base-url", "Address of the data API", "URL"),
  clientId: text("client-id", "The registered client", "ID"),
  clientSecret: text(
    "client-secret",
    "Secret of the client. Visible in the process list: prefer GAME_DATA_CLIENT_SECRET",
    "SECRET",
  ),
  redirectUri: text(
    "redirect-uri",
    "The client's loopback redirect (default: http://127.0.0.1/callback)",
    "URL",
  ),
  contact: text("contact", "How to reach you; part of the User-Agent", "ADDRESS"),
  maxWait: text("max-wait", "Longest wait for a rate limit, in seconds (default: 300)", "SECONDS"),
  words: text("words", "JSON file with the deployment's names of realms", "FILE"),
};

const fileFlags = {
  config: text("config", "Configuration file", "FILE"),
  profile: text("profile", "Profile of the configuration file", "NAME"),
};

/** Adds the connection flags, those of every command that talks to a service. */
export const connected = Command.withGlobalFlags(Object.values({ ...settingFlags, ...fileFlags }));

/** The configuration file that is in use, and the profile that the command line selects. */
export const configFile = Effect.gen(function* () {
  const { env } = yield* Host;
  const given = omitUndefined(yield* Effect.all(fileFlags));
  const [named, profile] = (["config", "profile"] as const).map(
    (name) => given[name] || env[variableOf(name)] || undefined,
  );
  const path = named ?? join(yield* userFolder("config"), "config.json");
  return { path, profile, isNamed: named !== undefined };
});

/** Where the user has no folder, and names no file. */
const NO_FILE = { path: "config.json", profile: undefined, isNamed: false };

/** The settings as far as they are valid, and a failure for each one that is not. */
export interface CheckedSettings {
  readonly settings: Settings;
  readonly problems: ReadonlyArray<Failure>;
}

/** Reads flags, environment and file. Fails with the first problem. */
export const settings = Effect.suspend(() =>
  Effect.flatMap(checkedSettings, ({ problems: [first], settings: valid }) =>
    first === undefined ? Effect.succeed(valid) : Effect.fail(first),
  ),
);

/** The values of a source, by name. */
type Values = Readonly<Record<string, string | undefined>>;

/** What to do about a response 401 where nobody signs in. */
const WITHOUT_USER = {
  token: "replace or remove the access token in ",
  clientSecret: "compare with the registration the client id, and the secret in ",
};

/** Reads flags, environment and file, and lists what is wrong with them. For `doctor`. */
export const checkedSettings = Effect.gen(function* () {
  const problems: Array<Failure> = [];
  /** Lists a problem and goes on without the value. */
  const optional = <A, R>(read: Effect.Effect<A, Failure, R>) =>
    read.pipe(
      Effect.catch((problem) => {
        problems.push(problem);
        return Effect.succeed(undefined);
      }),
    );

  const { isNamed, path, profile: selected } = (yield* optional(configFile)) ?? NO_FILE;
  // A file that is named must exist, also for its profile; the usual one need not.
  const isRead = isNamed || selected !== undefined || existsSync(path);
  const file: ConfigFile =
    (isRead ? yield* optional(readConfigFile(path, selected)) : undefined) ?? EMPTY_FILE;
  const layers: ReadonlyArray<readonly [Source, Values]> = [
    ["flag", omitUndefined(yield* Effect.all(settingFlags))],
    ["environment", yield* fromEnvironment],
    ["profile", file.profiles[file.profile ?? ""] ?? {}],
    ["file", file.common],
    ["default", { ...DEFAULTS, ...(yield* optional(defaultTokens)) }],
  ];
  const sources: Partial<Record<SettingName, Source>> = {};
  const values: Partial<Record<SettingName, string>> = {};
  for (const name of SETTINGS) {
    const [source, found] = layers.find(([, layer]) => layer[name]) ?? [];
    const value = found?.[name];
    if (source === undefined || value === undefined) continue;
    sources[name] = source;
    const message = problemOf(name, value);
    if (message === undefined) values[name] = value;
    else
      problems.push(
        failure("setting-invalid", message, {
          next: `correct it here: ${placeOf(name, source, path)}`,
          details: { setting: name },
        }),
      );
  }
  const words = values.words && (yield* optional(readJson(values.words)));
  const given = (["token", "clientSecret"] as const).find((name) => values[name] !== undefined);
  if (given !== undefined)
    (yield* FailureHints).unauthorized = WITHOUT_USER[given] + placeOf(given, sources[given], path);
  const found: Settings = {
    authUrl: values.authUrl,
    baseUrl: values.baseUrl,
    clientId: values.clientId,
    clientSecret: secret(values, "clientSecret"),
    token: secret(values, "token"),
    redirectUri: values.redirectUri ?? DEFAULTS.redirectUri,
    contact: values.contact ?? DEFAULTS.contact,
    maxWait: Number(values.maxWait ?? DEFAULTS.maxWait),
    words: words as WordsInput | undefined,
    tokens: values.tokens ?? "",
    keychain: values.keychain === "true",
    file: path,
    profile: file.profile,
    sources,
  };
  return { settings: found, problems } satisfies CheckedSettings;
});

const fromEnvironment = Effect.map(Host, ({ env }): Values =>
  Object.fromEntries(SETTINGS.map((name) => [name, env[variableOf(name)]])),
);

const secret = (values: Values, name: SettingName) =>
  values[name] === undefined ? undefined : Redacted.make(values[name], { label: name });

const DEFAULTS = {
  /** The receiver picks any loopback port. */
  redirectUri: "http://127.0.0.1/callback",
  contact: "https://github.com/game-data/game-data",
  /** Longer than the usual rate-limit windows. */
  maxWait: "300",
} as const;

/** What to name where the user has no folder of a kind. */
const INSTEAD = { config: "a file with --config", state: "a folder with GAME_DATA_TOKENS" };

const userFolder = Effect.fnUntraced(function* (kind: keyof typeof INSTEAD) {
  const { [kind]: of } = UserDirectories.make();
  return yield* Effect.mapError(of((yield* Program).name), (error) =>
    failure(
      "setting-invalid",
      `The user's ${kind} folder is unknown: ${error.message.split(": ").at(-1)}.`,
      {
        next: `set HOME, or name ${INSTEAD[kind]}`,
      },
    ),
  );
});

const defaultTokens = Effect.map(userFolder("state"), (state) => ({
  tokens: join(state, "tokens"),
}));

/** Names the place where users find a setting: a flag, a variable or a file. */
const placeOf = (name: SettingName, source: Source | undefined, file: string): string => {
  if (source === "flag") return flagOf(name);
  return source === "environment" ? variableOf(name) : file;
};

/** The settings without which no service can be reached. */
export const ESSENTIALS = ["authUrl", "baseUrl", "clientId"] as const;

/** Returns a setting that the command needs. The failure names all that are missing. */
export const required = (
  from: Settings,
  name: (typeof ESSENTIALS)[number],
): Effect.Effect<string, Failure> => {
  const value = from[name];
  if (value !== undefined) return Effect.succeed(value);
  const missing = ESSENTIALS.filter((each) => from[each] === undefined);
  return Effect.fail(
    failure("setting-missing", `No service is configured: ${missing.join(", ")} missing.`, {
      next: `set ${missing.map(variableOf).join(", ")} (or ${missing.map(flagOf).join(", ")}; or run gamedata config set, which writes ${from.file}); without a service at hand, run: gamedata sandbox run`,
      details: { setting: name, missing },
    }),
  );
};
