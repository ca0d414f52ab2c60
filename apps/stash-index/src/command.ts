/**
 * The command line: an index over the sandbox's living world, or over a deployment.
 */
import { type Failure, failure } from "@game-data/terminal/Failure";
import { numberFlag, textFlag } from "@game-data/terminal/flags";
import { Host } from "@game-data/terminal/Host";
import { isMachineReadable, printError, printLine } from "@game-data/terminal/Output";
import { Config, Effect, Option, type Scope } from "effect";
import { Command, Flag } from "effect/cli";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Service } from "./follower/follow.ts";
import { openSandbox, type Target } from "./openSandbox.ts";
import { ROLES, runStashIndex } from "./stashIndex.ts";

const flags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port of the page and the API (default: 8770, or a free one with --json)"),
    Flag.optional,
  ),
  host: Flag.String("host").pipe(
    Flag.withDescription("Address to listen at"),
    Flag.withDefault("127.0.0.1"),
  ),
  store: textFlag(
    "store",
    "The page log: sqlite:FILE, postgres://… or nats://… (default: a temporary file)",
    "ADDRESS",
  ),
  nats: textFlag("nats", "A JetStream for the pages; leases stay in --store", "URL"),
  index: textFlag(
    "index",
    "File of the search index (default: beside a sqlite store, or temporary)",
    "FILE",
  ),
  roles: Flag.String("roles").pipe(
    Flag.withDescription(`What this process does, of ${ROLES.join(",")} (default: all)`),
    Flag.withDefault(ROLES.join(",")),
  ),
  realm: Flag.Literals("realm", ["pc", "console_a", "console_b"]).pipe(
    Flag.withDescription("Realm to follow"),
    Flag.withDefault("pc" as const),
  ),
  rate: numberFlag("rate", "Requests per address and second", 50),
  "ops-port": Flag.Int("ops-port").pipe(
    Flag.withDescription("Serve /health and /metrics on this port"),
    Flag.optional,
  ),
  "ops-host": textFlag("ops-host", "Address that they listen at (default: 127.0.0.1)", "ADDRESS"),
  seed: numberFlag("seed", "Seed of the sandbox's world", 1),
  "base-url": textFlag(
    "base-url",
    "Data API of a deployment; without it a sandbox is started",
    "URL",
  ),
  "auth-url": textFlag("auth-url", "OAuth server of the deployment", "URL"),
  "client-id": textFlag(
    "client-id",
    "Client that follows; GAME_DATA_CLIENT_SECRET is its secret",
    "ID",
  ),
  "web-client-id": textFlag("web-client-id", "Client that users sign in with", "ID"),
  "web-redirect-uri": textFlag(
    "web-redirect-uri",
    "Its redirect URI, at this server's /callback",
    "URL",
  ),
  contact: textFlag("contact", "How to reach you; part of the User-Agent", "ADDRESS"),
};

type Flags = Command.Command.Config.Infer<typeof flags>;

/** Runs `stash-index`. */
export const command = Command.make(
  "stash-index",
  flags,
  Effect.fnUntraced(function* (given) {
    const { host, rate, realm } = given;
    const { args } = yield* Host;
    const isJson = isMachineReadable(args);
    const { index, store } = placesOf(given);
    const target = yield* targetOf(given);
    const opsPort = Option.getOrUndefined(given["ops-port"]);
    const opsHost = Option.getOrUndefined(given["ops-host"]);
    if (opsPort === undefined && opsHost !== undefined)
      return yield* failure("usage", "--ops-host needs --ops-port.");
    const { opsUrl, origin } = yield* runStashIndex({
      roles: yield* rolesOf(given.roles),
      store,
      nats: Option.getOrUndefined(given.nats),
      index,
      realm,
      host,
      port: Option.getOrElse(given.port, () => (isJson ? 0 : 8770)),
      ratePerSecond: rate,
      opsPort,
      opsHost,
      ...target,
    }).pipe(
      Effect.catchTags({
        ServeError: ({ cause }) =>
          failure("setting-invalid", `Cannot listen: ${String(cause)}`, {
            next: "choose another --port",
          }),
        HealthServerFailed: ({ message }) =>
          failure("setting-invalid", message, { next: "choose another --ops-port or --ops-host" }),
      }),
    );
    yield* isJson
      ? printLine(
          JSON.stringify({
            ...(origin === undefined ? {} : { url: `${origin}/`, apiUrl: `${origin}/api` }),
            ...(opsUrl === undefined ? {} : { opsUrl }),
            roles: given.roles.split(","),
            ...target.announced,
          }),
        )
      : printError(
          origin === undefined
            ? `Running: ${given.roles} (Ctrl-C ends it)`
            : `The stash index is at ${origin}/ (Ctrl-C ends it)`,
        );
    return yield* Effect.never;
  }),
).pipe(
  Command.withDescription("Follow the public stash stream, index it, and serve search and prices."),
  Command.withExamples([
    { command: "npm run stash-index", description: "Over the sandbox's living world" },
    {
      command: "npm run stash-index -- --store sqlite:pages.db",
      description: "Keep what was followed",
    },
  ]),
);

/** Files that are not named are in a folder of their own, which is deleted at the end. */
const placesOf = (given: Flags) => {
  let folder: string | undefined;
  const temporary = (name: string) => {
    folder ??= mkdtempSync(join(tmpdir(), "game-data-stash-index-"));
    return join(folder, name);
  };
  const store = Option.getOrElse(given.store, () => `sqlite:${temporary("pages.db")}`);
  const [, file] = /^sqlite:(.+)$/su.exec(store) ?? [];
  const index = Option.getOrElse(given.index, () =>
    file === undefined ? temporary("index.items") : `${file}.items`,
  );
  process.once("exit", () => folder && rmSync(folder, { recursive: true, force: true }));
  return { store, index };
};

const rolesOf = Effect.fnUntraced(function* (list: string) {
  const roles = list.split(",");
  const unknown = roles.find((role) => !(ROLES as ReadonlyArray<string>).includes(role));
  if (unknown !== undefined)
    return yield* failure("usage", `--roles ${unknown}: has to be of ${ROLES.join(", ")}.`);
  return new Set(roles as ReadonlyArray<(typeof ROLES)[number]>);
});

const targetOf = Effect.fnUntraced(function* (
  given: Flags,
): Effect.fn.Return<Target, Failure, Scope.Scope> {
  const value = (name: "base-url" | "auth-url" | "client-id" | "contact") =>
    Option.getOrUndefined(given[name]);
  const [baseUrl, authUrl, clientId] = [value("base-url"), value("auth-url"), value("client-id")];
  if (baseUrl === undefined && authUrl === undefined && clientId === undefined)
    return yield* openSandbox(given.seed);
  if (baseUrl === undefined || authUrl === undefined || clientId === undefined)
    return yield* failure("usage", "A deployment needs --base-url, --auth-url and --client-id.");
  const secret = yield* Effect.orDie(Config.option(Config.Redacted("GAME_DATA_CLIENT_SECRET")));
  if (Option.isNone(secret))
    return yield* failure(
      "usage",
      "GAME_DATA_CLIENT_SECRET has to hold the secret of --client-id.",
    );
  const contact = value("contact") ?? "https://github.com/game-data/game-data";
  const service: Service = { authUrl, baseUrl, clientId, clientSecret: secret.value, contact };
  const web = Option.getOrUndefined(given["web-client-id"]);
  if (web === undefined) return { service };
  return {
    service,
    signIn: async (origin: string) => ({
      authUrl,
      clientId: web,
      redirectUri: Option.getOrElse(given["web-redirect-uri"], () => `${origin}/callback`),
    }),
  };
});
