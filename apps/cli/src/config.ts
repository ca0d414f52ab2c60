/**
 * The settings: flags override the environment (`GAME_DATA_BASE_URL`), which overrides the file
 * `config.json` in the user's configuration folder (`baseUrl`), or the file that
 * `GAME_DATA_CONFIG` names.
 */
import {
  Config,
  ConfigProvider,
  Effect,
  FileSystem,
  Path,
  Predicate,
  Record,
  Schema,
  String as Str,
} from "effect";
import { Command, GlobalFlag } from "effect/cli";
import { UserDirectories } from "effect/persistence";
import { text } from "./command.ts";
import { Failure } from "./failures.ts";
import { readJson } from "./files.ts";

const setting = <const Name extends string>(name: Name, description: string) =>
  GlobalFlag.Setting(name)({ flag: text(name, description) });

const flags = {
  authUrl: setting("auth-url", "Address of the OAuth server"),
  baseUrl: setting("base-url", "Address of the data API"),
  clientId: setting("client-id", "The registered client"),
  clientSecret: setting(
    "client-secret",
    "Its secret. Other users see flags: prefer GAME_DATA_CLIENT_SECRET",
  ),
};

/** Adds the flags for settings to a command that sends requests. */
export const connected = Command.withGlobalFlags(Object.values(flags));

const Text = Schema.optionalKey(Schema.String);
const Secret = Schema.optionalKey(Schema.RedactedFromValue(Schema.String));
const Seconds = Schema.Union([Schema.Finite, Schema.FiniteFromString]).check(
  Schema.isGreaterThanOrEqualTo(0),
);

const Values = Schema.Struct({
  authUrl: Text,
  baseUrl: Text,
  clientId: Text,
  clientSecret: Secret,
  /** An access token that is used without storing or renewing it. */
  token: Secret,
  redirectUri: Schema.String,
  /** How the service's staff reach the user. It is part of the User-Agent. */
  contact: Schema.String,
  /** Seconds that a request may wait for the rate limits. */
  maxWait: Seconds,
  /** Seconds that a request may take with its waits and retries. */
  timeout: Schema.optionalKey(Seconds),
  /** Path of a JSON file with the realm names of the deployment. */
  words: Text,
  /** Path of the folder of the token store. */
  tokens: Text,
}).annotate({ messageUnexpectedKey: "Unknown setting" });

const DEFAULTS = {
  redirectUri: "http://127.0.0.1/callback",
  contact: "https://github.com/game-data/game-data",
  maxWait: 300,
};

/** Drops settings that are empty, because an empty setting counts as absent. */
const nonEmpty = Record.filter((value: unknown) => value !== undefined && value !== "");

/** Reads the settings. A failure names the setting, and never quotes its value. */
export const settings = Effect.gen(function* () {
  const { content, path } = yield* readFile;
  const provider = (yield* ConfigProvider.ConfigProvider).pipe(
    ConfigProvider.constantCase,
    ConfigProvider.nested("GAME_DATA"),
  );
  const variables = Record.map(Values.fields, (_, name) =>
    Config.withDefault(Config.String(name), undefined),
  );
  const environment = yield* Effect.orDie(Config.all(variables).parse(provider));
  const values = {
    ...DEFAULTS,
    ...nonEmpty(content ?? {}),
    ...nonEmpty(environment),
    ...nonEmpty(yield* Effect.all(flags)),
  };
  const decode = Schema.decodeUnknownEffect(Values, { onExcessProperty: "error" });
  const found = yield* Effect.mapError(decode(values), ({ message }) =>
    invalid(
      `A setting is invalid: ${message.replaceAll(/\s+/gu, " ")}.`,
      `correct it in the flags, the environment (GAME_DATA_…) or ${path}`,
    ),
  );
  const { join } = yield* Path.Path;
  const tokens = found.tokens ?? join(yield* userFolder("state"), "tokens");
  return { ...found, tokens, file: { path, content } };
});

/** The values of all settings, with the configuration file. */
export type Settings = Effect.Success<typeof settings>;

const invalid = (message: string, next?: string) =>
  new Failure({ code: "SettingInvalid", message, next });

/** Returns the user's folder for `gamedata`. Fails without a home folder. */
const userFolder = (kind: "config" | "state") =>
  Effect.flatMap(UserDirectories.UserDirectories, (all) => all[kind]("gamedata")).pipe(
    Effect.mapError(() =>
      invalid(
        `The user's ${kind} folder is unknown.`,
        `set HOME or GAME_DATA_${kind === "config" ? "CONFIG" : "TOKENS"}`,
      ),
    ),
  );

/** Reads the configuration file. It may be absent unless `GAME_DATA_CONFIG` names it. */
const readFile = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem;
  const { join } = yield* Path.Path;
  const variable = Config.withDefault(Config.String("GAME_DATA_CONFIG"), undefined);
  const named = yield* Effect.orDie(variable);
  const path = named ?? join(yield* userFolder("config"), "config.json");
  const isThere = Effect.orElseSucceed(files.exists(path), () => true);
  if (named === undefined && !(yield* isThere)) return { path };
  const content = yield* Effect.mapError(readJson(path), ({ message, next }) =>
    invalid(message, next),
  );
  if (Predicate.isReadonlyObject(content)) return { path, content };
  return yield* invalid(`${path} is not a JSON object.`);
});

const CONNECTION = ["authUrl", "baseUrl", "clientId"] as const;

/**
 * Returns settings that the command needs. The failure names every missing setting of a connection,
 * so that the user edits the file once.
 */
export const required = Effect.fnUntraced(function* <
  const Name extends (typeof CONNECTION)[number],
>(from: Settings, ...names: ReadonlyArray<Name>) {
  const missing = CONNECTION.filter((name) => from[name] === undefined);
  if (!missing.some((name) => names.includes(name as Name)))
    return from as Readonly<Record<Name, string>>;
  const variables = missing.map((name) => `GAME_DATA_${Str.constantCase(name)}`);
  return yield* new Failure({
    code: "SettingMissing",
    message: `No service is configured: ${missing.join(", ")} missing.`,
    next: `set ${variables.join(", ")}, or add ${missing.join(", ")} to ${from.file.path}`,
    details: { missing },
  });
});
