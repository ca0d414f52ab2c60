/**
 * The command line: an index over the sandbox's living world, or over a deployment.
 */
import { Config, Console, Data, Effect, FileSystem, Option, Path, Record, Runtime } from "effect";
import { Command, Flag } from "effect/cli";
import { openSandbox } from "./openSandbox.ts";
import { ROLES, runStashIndex } from "./stashIndex.ts";

/** The command line is invalid, or a port is taken. */
class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = 64;
  override readonly [Runtime.errorReported] = false;
}

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

const number = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional);

const flags = {
  port: number("port", "Port of the page and the API (default: 8770, or a free one with --json)"),
  host: Flag.String("host").pipe(
    Flag.withDescription("Address to listen at"),
    Flag.withDefault("127.0.0.1"),
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print the addresses as a line of JSON"),
    Flag.withDefault(false),
  ),
  store: text("store", "The page log: sqlite:FILE or postgres://… (default: a temporary file)"),
  index: text(
    "index",
    "The search index is PATH.index (default: beside a sqlite store, or temporary)",
  ),
  roles: Flag.String("roles").pipe(
    Flag.withDescription(`What this process does, of ${ROLES.join(",")} (default: all)`),
    Flag.withDefault(ROLES.join(",")),
  ),
  realm: Flag.Literals("realm", ["pc", "console_a", "console_b"]).pipe(
    Flag.withDescription("Realm to follow"),
    Flag.withDefault("pc" as const),
  ),
  rate: Flag.Int("rate").pipe(
    Flag.withDescription("Requests per address and second"),
    Flag.withDefault(50),
  ),
  opsPort: number("ops-port", "Serve /health and /metrics on this port"),
  opsHost: text("ops-host", "Address that they listen at (default: 127.0.0.1)"),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Seed of the sandbox's world"),
    Flag.withDefault(1),
  ),
  baseUrl: text("base-url", "Data API of a deployment; without it a sandbox is started"),
  authUrl: text("auth-url", "OAuth server of the deployment"),
  clientId: text("client-id", "Client that follows; GAME_DATA_CLIENT_SECRET is its secret"),
  contact: text("contact", "How to reach you; part of the User-Agent"),
};

type Flags = Command.Command.Config.Infer<typeof flags>;

/** Runs `stash-index`. */
export const command = Command.make("stash-index", flags, (given) =>
  Effect.tapErrorTag(run(given), "Refused", ({ message }) => Console.error(`error: ${message}`)),
).pipe(
  Command.withDescription("Follow the public stash stream, index it, and serve search and prices."),
  Command.withExamples([
    { command: "npm run stash-index", description: "Over the sandbox's living world" },
    { command: "npm run stash-index -- --store sqlite:pages.db", description: "Keep the pages" },
  ]),
);

const run = Effect.fnUntraced(function* (given: Flags) {
  const { host, json: isJson, rate, realm } = given;
  const roles = yield* readRoles(given.roles);
  const opsPort = Option.getOrUndefined(given.opsPort);
  const opsHost = Option.getOrUndefined(given.opsHost);
  if (opsPort === undefined && opsHost !== undefined)
    return yield* new Refused({ message: "--ops-host needs --ops-port." });
  const { controlUrl, service } = yield* openService(given);
  const { opsUrl, origin } = yield* runStashIndex({
    ...(yield* openPlaces(given)),
    roles,
    realm,
    host,
    service,
    port: Option.getOrElse(given.port, () => (isJson ? 0 : 8770)),
    ratePerSecond: rate,
    ops: opsPort === undefined ? undefined : { port: opsPort, ...(opsHost && { host: opsHost }) },
  }).pipe(
    Effect.catchTags({
      ServeError: ({ cause }) => new Refused({ message: `Cannot listen: ${String(cause)}` }),
      HealthServerFailed: ({ message }) => new Refused({ message }),
      InvalidStoreUrl: ({ message }) => new Refused({ message }),
    }),
  );
  const url = origin === undefined ? {} : { url: `${origin}/`, apiUrl: `${origin}/api` };
  if (isJson) yield* Console.log(JSON.stringify({ ...url, opsUrl, roles: [...roles], controlUrl }));
  else if (origin === undefined) yield* Console.error(`Running: ${given.roles} (Ctrl-C ends it)`);
  else yield* Console.error(`The stash index is at ${origin}/ (Ctrl-C ends it)`);
  return yield* Effect.never;
});

/** Returns the store and the index. Files that are not named are temporary. */
const openPlaces = Effect.fnUntraced(function* (given: Pick<Flags, "store" | "index">) {
  const files = yield* FileSystem.FileSystem;
  const { join } = yield* Path.Path;
  const folder = yield* Effect.orDie(files.makeTempDirectoryScoped());
  const store = Option.getOrElse(given.store, () => `sqlite:${join(folder, "pages.db")}`);
  const file = /^sqlite:(.+)$/su.exec(store)?.[1] ?? join(folder, "pages");
  return { store, index: Option.getOrElse(given.index, () => file) };
});

const readRoles = Effect.fnUntraced(function* (list: string) {
  const roles = list.split(",");
  const known = ROLES.filter((role) => roles.includes(role));
  const unknown = roles.find((role) => !known.some((each) => each === role));
  if (unknown === undefined) return new Set(known);
  return yield* new Refused({ message: `--roles ${unknown}: use ${ROLES.join(", ")}.` });
});

const openService = Effect.fnUntraced(function* (given: Flags) {
  const { authUrl, baseUrl, clientId, contact } = Record.getSomes({
    authUrl: given.authUrl,
    baseUrl: given.baseUrl,
    clientId: given.clientId,
    contact: given.contact,
  });
  if (baseUrl === undefined && authUrl === undefined && clientId === undefined)
    return yield* openSandbox(given.seed);
  if (baseUrl === undefined || authUrl === undefined || clientId === undefined)
    return yield* new Refused({
      message: "A deployment needs --base-url, --auth-url and --client-id.",
    });
  const secret = yield* Effect.orDie(Config.option(Config.Redacted("GAME_DATA_CLIENT_SECRET")));
  if (Option.isNone(secret))
    return yield* new Refused({ message: "GAME_DATA_CLIENT_SECRET is missing." });
  const service = {
    authUrl,
    baseUrl,
    clientId,
    clientSecret: secret.value,
    contact: contact ?? "https://github.com/game-data/game-data",
  };
  return { service, controlUrl: undefined };
});
