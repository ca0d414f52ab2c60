/** The command line: runs an index over the sandbox's world, or over a deployment. */
import { Config, Console, Data, Effect, FileSystem, Option, Path, Runtime, Schema } from "effect";
import { CliOutput, Command, Flag } from "effect/cli";
import { openSandbox } from "./openSandbox.ts";
import { ROLES, runStashIndex } from "./stashIndex.ts";

/** An invalid command line (exit code 64), or an unavailable port or sandbox file (69). */
class Refused extends Data.TaggedError("Refused")<{
  readonly message: string;
  readonly exitCode?: number;
}> {
  override readonly [Runtime.errorExitCode] = this.exitCode ?? 64;
  override readonly [Runtime.errorReported] = false;
}

const unavailable = (message: string) => new Refused({ message, exitCode: 69 });

const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.withDefault(undefined));

const withDefault = <A>(flag: Flag.Flag<A>, value: NoInfer<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.withDefault(value));

const isRole = Schema.is(Schema.Literals(ROLES));

const REALMS = ["pc", "console_a", "console_b"] as const;
const PROJECT = "https://github.com/game-data/game-data";

const readRoles = (list: string) => {
  const roles = list.split(",");
  return roles.every(isRole) ? Option.some(roles) : Option.none();
};

const flags = {
  port: optional(Flag.Int("port"), "Port of the page (default: 8770; with --json, a free one)"),
  host: withDefault(Flag.String("host"), "127.0.0.1", "Address to listen at"),
  json: withDefault(Flag.Boolean("json"), false, "Print the addresses as a line of JSON"),
  store: optional(Flag.String("store"), "Page log: sqlite:FILE, postgres://… (default: temporary)"),
  index: optional(Flag.String("index"), "Search index PATH.index (default: beside the page log)"),
  roles: withDefault(
    Flag.filterMap(Flag.String("roles"), readRoles, () => `roles of ${ROLES.join(",")}`),
    [...ROLES],
    `What this process does, of ${ROLES.join(",")} (default: all)`,
  ),
  realm: withDefault(Flag.Literals("realm", REALMS), "pc", "Realm to follow"),
  rate: withDefault(Flag.Int("rate"), 50, "Requests per address and second"),
  opsPort: optional(Flag.Int("ops-port"), "Serve /health and /metrics on this port"),
  opsHost: withDefault(Flag.String("ops-host"), "127.0.0.1", "Address that they listen at"),
  baseUrl: optional(Flag.String("base-url"), "Data API of a deployment (default: a sandbox)"),
  authUrl: optional(Flag.String("auth-url"), "OAuth server of the deployment"),
  clientId: optional(Flag.String("client-id"), "Its client, with GAME_DATA_CLIENT_SECRET"),
  contact: withDefault(Flag.String("contact"), PROJECT, "How to reach you, for the User-Agent"),
};

type Flags = Command.Command.Config.Infer<typeof flags>;

const command = Command.make("stash-index", flags, (given) => run(given)).pipe(
  Command.withDescription("Follow the public stash stream, index it, and serve search and prices."),
);

/** Runs the command line of `stash-index`. A wrong command line ends with a message and code 64. */
export const stashIndex = Command.run(command, { version: "1.0.0" }).pipe(
  Effect.scoped,
  Effect.catchTag("ShowHelp", ({ errors }) =>
    errors.length === 0
      ? Effect.void
      : new Refused({ message: errors.map(({ message }) => message).join("\n") }),
  ),
  Effect.tapErrorTag("Refused", ({ message }) => Console.error(`error: ${message}`)),
  // The whole help would scroll the message off the screen.
  Effect.provideService(CliOutput.Presenter, {
    present: (event) =>
      event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event),
  }),
);

const run = Effect.fnUntraced(function* (given: Flags) {
  const { host, json: isJson, opsHost, opsPort, rate, realm, roles } = given;
  if (!isJson) yield* Console.error("Starting. The first start takes longer than the next ones.");
  const places = yield* openPlaces(given);
  const { controlUrl, service } = yield* openService(given, places.sandbox);
  const { opsUrl, origin } = yield* runStashIndex({
    ...places,
    realm,
    host,
    service,
    roles: new Set(roles),
    ratePerSecond: rate,
    port: given.port ?? (isJson ? 0 : 8770),
    ops: opsPort === undefined ? undefined : { host: opsHost, port: opsPort },
  }).pipe(
    Effect.catchTags({
      ServeError: ({ cause }) =>
        unavailable(`${(cause as Error).message}. Choose another address with --port or --host.`),
      HealthServerFailed: ({ message }) => unavailable(message),
      InvalidStoreUrl: ({ message }) => new Refused({ message }),
    }),
  );
  const url = origin === undefined ? {} : { url: `${origin}/`, apiUrl: `${origin}/api` };
  if (isJson) yield* Console.log(JSON.stringify({ ...url, opsUrl, roles, controlUrl }));
  else if (origin === undefined) yield* Console.error(`Running: ${roles} (Ctrl-C ends it)`);
  else yield* Console.error(`The stash index is at ${origin}/ (Ctrl-C ends it)`);
  return yield* Effect.never;
});

/**
 * Returns the store, the index and the sandbox's file. Files without a flag are temporary. The
 * sandbox's file is beside a SQLite log, because a new sandbox would not know the change ids of the
 * log. With PostgreSQL it is beside the index.
 */
const openPlaces = Effect.fnUntraced(function* (given: Flags) {
  const files = yield* FileSystem.FileSystem;
  const { join } = yield* Path.Path;
  const folder = yield* Effect.orDie(files.makeTempDirectoryScoped());
  const { store = `sqlite:${join(folder, "pages.db")}` } = given;
  const file = /^sqlite:(.+)$/su.exec(store)?.[1] ?? join(folder, "pages");
  const index = given.index ?? file;
  return { store, index, sandbox: `${store.startsWith("sqlite:") ? file : index}.sandbox` };
});

/** Returns the deployment of the flags, or starts a sandbox. Only the role follower needs it. */
const openService = Effect.fnUntraced(function* (given: Flags, file: string) {
  const { authUrl, baseUrl, clientId, contact, roles } = given;
  if (!roles.includes("follower")) return { service: undefined, controlUrl: undefined };
  if (!authUrl && !baseUrl && !clientId)
    return yield* Effect.mapError(openSandbox(file), ({ message }) => unavailable(message));
  const secret = yield* Effect.orDie(Config.option(Config.Redacted("GAME_DATA_CLIENT_SECRET")));
  if (!authUrl || !baseUrl || !clientId || Option.isNone(secret))
    return yield* new Refused({
      message:
        "A deployment needs --base-url, --auth-url, --client-id and GAME_DATA_CLIENT_SECRET.",
    });
  const service = { authUrl, baseUrl, clientId, clientSecret: secret.value, contact };
  return { service, controlUrl: undefined };
});
