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
  Option,
  Path,
  Predicate,
  Record,
  String as Str,
} from "effect";
import { Command, Flag, GlobalFlag } from "effect/cli";
import { UserDirectories } from "effect/persistence";
import { Failure } from "./failures.ts";
import { parseJson } from "./input.ts";

const setting = <const Name extends string>(name: Name, description: string) =>
  GlobalFlag.Setting(name)({
    flag: Flag.String(name).pipe(Flag.withDescription(description), Flag.optional),
  });

const flags = {
  authUrl: setting("auth-url", "Address of the OAuth server"),
  baseUrl: setting("base-url", "Address of the data API"),
  clientId: setting("client-id", "The registered client"),
  clientSecret: setting(
    "client-secret",
    "Its secret. Other users see flags: prefer GAME_DATA_CLIENT_SECRET",
  ),
};

/** Adds the flags of the connection to a command that talks to the service. */
export const connected = Command.withGlobalFlags(Object.values(flags));

/** A setting; an empty one counts as absent. */
const text = (name: string) =>
  Config.map(Config.option(Config.String(name)), (value) =>
    Option.getOrUndefined(Option.filter(value, (found) => found !== "")),
  );
const secret = (name: string) =>
  Config.map(Config.option(Config.Redacted(name)), Option.getOrUndefined);

const SETTINGS = {
  authUrl: text("authUrl"),
  baseUrl: text("baseUrl"),
  clientId: text("clientId"),
  clientSecret: secret("clientSecret"),
  /** An access token to use as it is. Nothing is stored or renewed then. */
  token: secret("token"),
  redirectUri: Config.withDefault(Config.String("redirectUri"), "http://127.0.0.1/callback"),
  /** How the service's staff reach the user; part of the User-Agent. */
  contact: Config.withDefault(Config.String("contact"), "https://github.com/game-data/game-data"),
  /** Seconds that a request may wait for the rate limits. */
  maxWait: Config.withDefault(Config.Int("maxWait"), 300),
  /** A JSON file with the deployment's names of realms. */
  words: text("words"),
  /** The folder of the token store. */
  tokens: text("tokens"),
};

/** Reads the settings. */
export const settings = Effect.gen(function* () {
  const environment = yield* ConfigProvider.ConfigProvider;
  const { content, path } = yield* readFile;
  const provider = ConfigProvider.fromUnknown(Record.getSomes(yield* Effect.all(flags))).pipe(
    ConfigProvider.orElse(
      environment.pipe(ConfigProvider.constantCase, ConfigProvider.nested("GAME_DATA")),
    ),
    ConfigProvider.orElse(ConfigProvider.fromUnknown(content ?? {})),
  );
  const found = yield* Config.all(SETTINGS).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, provider),
    // The message may quote a value.
    Effect.mapError(() => invalid("A setting is invalid: maxWait is a whole number of seconds.")),
  );
  const { join } = yield* Path.Path;
  const tokens = found.tokens ?? join(yield* userFolder("state", "GAME_DATA_TOKENS"), "tokens");
  const hasSecret = content?.["clientSecret"] !== undefined || content?.["token"] !== undefined;
  return { ...found, file: path, hasFile: content !== undefined, hasSecret, tokens };
});

/** The settings of a connection. */
export type Settings = Effect.Success<typeof settings>;

const invalid = (message: string, next = "see where settings come from with: gamedata doctor") =>
  new Failure({ code: "SettingInvalid", message, next });

/** The user's folder of a kind. It is unknown without a home folder. */
const userFolder = (kind: "config" | "state", instead: string) =>
  Effect.flatMap(UserDirectories.UserDirectories, (all) => all[kind]("gamedata")).pipe(
    Effect.mapError(() =>
      invalid(`The user's ${kind} folder is unknown.`, `set HOME or ${instead}`),
    ),
  );

/** Parses the file. A message names members, and never quotes a value, which may be a secret. */
const parseFile = Effect.fnUntraced(function* (json: string, path: string) {
  const content = yield* Effect.mapError(parseJson(json, path), ({ message, next }) =>
    invalid(message, next),
  );
  if (!Predicate.isReadonlyObject(content)) return yield* invalid(`${path} is not a JSON object.`);
  for (const [name, value] of Object.entries(content)) {
    if (!(name in SETTINGS))
      return yield* invalid(
        `${path}: ${name} is not a setting.`,
        `the settings are ${Object.keys(SETTINGS).join(", ")}`,
      );
    if (typeof value !== "string")
      return yield* invalid(`${path}: ${name} is not a text.`, `write its value in quotes`);
  }
  return content as Readonly<Record<string, string>>;
});

/** Reads the configuration file. It may be absent unless it is named. */
const readFile = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem;
  const { join } = yield* Path.Path;
  const named = Option.getOrUndefined(
    yield* Effect.orDie(Config.option(Config.String("GAME_DATA_CONFIG"))),
  );
  const path = named ?? join(yield* userFolder("config", "GAME_DATA_CONFIG"), "config.json");
  const json = yield* files.readFileString(path).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound" && named === undefined,
      () => Effect.succeed(undefined),
    ),
    Effect.mapError(() => invalid(`Cannot read ${path}.`)),
  );
  if (json === undefined) return { content: undefined, path };
  return { content: yield* parseFile(json, path), path };
});

const CONNECTION = ["authUrl", "baseUrl", "clientId"] as const;

/**
 * Returns settings that the command needs. The failure also names what other commands need, so that
 * one edit is enough.
 */
export const required = Effect.fnUntraced(function* <
  const Name extends (typeof CONNECTION)[number],
>(from: Settings, ...names: ReadonlyArray<Name>) {
  const missing = CONNECTION.filter((name) => from[name] === undefined);
  if (missing.some((name) => names.includes(name as Name)))
    return yield* new Failure({
      code: "SettingMissing",
      message: `No service is configured: ${missing.join(", ")} missing.`,
      next: `set ${missing.map(variable).join(", ")}, or add ${missing.join(", ")} to ${from.file}`,
      details: { missing },
    });
  return from as Readonly<Record<Name, string>>;
});

const variable = (name: string) => `GAME_DATA_${Str.constantCase(name)}`;
