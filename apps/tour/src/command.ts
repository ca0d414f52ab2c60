/**
 * The command line of the tour: against its own sandbox, captured responses, or a deployment.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Scope, scopes } from "@game-data/contract";
import { type Failure, failure } from "@game-data/terminal/Failure";
import { switchFlag, textFlag } from "@game-data/terminal/flags";
import { Host } from "@game-data/terminal/Host";
import { Config, Effect, Option, Redacted } from "effect";
import { Command, Flag } from "effect/cli";

/** The service that the tour runs against. */
export type TourTarget =
  | { readonly kind: "sandbox" }
  | { readonly kind: "replay"; readonly folder: string }
  | Deployment;

const connectionFlags = {
  "auth-url": textFlag("auth-url", "Address of the deployment's OAuth server", "URL"),
  "base-url": textFlag("base-url", "Address of the deployment's data API", "URL"),
  "client-id": textFlag("client-id", "The registered client", "ID"),
  "redirect-uri": textFlag("redirect-uri", "The client's loopback redirect", "URL"),
  contact: textFlag("contact", "How to reach you; part of the User-Agent", "ADDRESS"),
  words: textFlag("words", "JSON file with the deployment's names of realms", "FILE"),
};

const flags = {
  ...connectionFlags,
  replay: textFlag("replay", "Folder of captured responses to serve and to compare with", "FOLDER"),
  scopes: Flag.Literals("scope", scopes).pipe(
    Flag.withDescription("Scope to request from the deployment; repeatable"),
    Flag.atLeast(0),
  ),
  pages: Flag.Int("pages").pipe(
    Flag.withDescription("Pages of the stash stream (default: 60; of a deployment 5)"),
    Flag.withMetavar("N"),
    Flag.optional,
  ),
  exit: switchFlag("exit", "End after the last step, also on a terminal"),
};

const DEPLOYMENT = "--auth-url URL --base-url URL --client-id ID";

/** The command of the tour. */
export const tour = Command.make(
  "tour",
  flags,
  Effect.fnUntraced(function* ({ exit, pages, replay, scopes: requested, ...connection }) {
    const streamPages = Option.getOrUndefined(pages);
    if (streamPages !== undefined && streamPages < 1)
      return yield* failure("usage", "Invalid --pages: use 1 or more.");
    const target = yield* targetOf(Option.getOrUndefined(replay), requested, connection);
    const { stdin, stdout } = yield* Host;
    const isInteractive = !exit && stdin.isTTY === true && stdout.isTTY === true;
    // Loaded after the command line is checked, so that its errors come at once.
    const { runTour } = yield* Effect.promise(() => import("./runTour.ts"));
    yield* runTour(target, { isInteractive, streamPages });
  }),
).pipe(
  Command.withDescription("Run every package in one story, from sign-in to a revoked token."),
  Command.withExamples([
    { command: "npm start", description: "Against a sandbox that the tour starts" },
    { command: "npm start -- --replay DIR", description: "Against captured responses" },
    { command: `npm start -- ${DEPLOYMENT}`, description: "Against a deployment, read-only" },
  ]),
);

type Connection = Readonly<Record<keyof typeof connectionFlags, Option.Option<string>>>;

const targetOf = Effect.fnUntraced(function* (
  replay: string | undefined,
  requested: ReadonlyArray<Scope>,
  connection: Connection,
): Effect.fn.Return<TourTarget, Failure> {
  // Only flags select a deployment. `GAME_DATA_*` alone must not: `npm start` stays offline.
  const [name] = Object.entries(connection).find(([, value]) => Option.isSome(value)) ?? [];
  const flag = name ?? (requested.length > 0 ? "scope" : undefined);
  if (replay !== undefined)
    return flag === undefined
      ? { kind: "replay", folder: yield* existingFolder(replay) }
      : yield* failure("usage", `--replay cannot be combined with --${flag}.`);
  return flag === undefined ? { kind: "sandbox" } : yield* deploymentOf(connection, requested);
});

/** Flags override `GAME_DATA_*`. */
const deploymentOf = Effect.fnUntraced(function* (
  flagged: Connection,
  requested: ReadonlyArray<Scope>,
) {
  const read = (name: keyof Connection | "client-secret") => {
    const variable = `GAME_DATA_${name.replaceAll("-", "_").toUpperCase()}`;
    const given = name === "client-secret" ? Option.none<string>() : flagged[name];
    return Option.isSome(given)
      ? Effect.succeed(given.value)
      : Effect.map(Effect.orDie(Config.option(Config.String(variable))), (value) =>
          Option.getOrUndefined(Option.filter(value, (found) => found !== "")),
        );
  };
  const required = Effect.fnUntraced(function* (name: keyof Connection) {
    return (
      (yield* read(name)) ??
      (yield* failure("usage", `--${name} is missing.`, { next: `add ${DEPLOYMENT}` }))
    );
  });
  const secret = yield* read("client-secret");
  return {
    kind: "deployment" as const,
    authUrl: yield* required("auth-url"),
    baseUrl: yield* required("base-url"),
    clientId: yield* required("client-id"),
    // With a secret the tour acts as the application, otherwise as the user who signs in.
    clientSecret: secret === undefined ? undefined : Redacted.make(secret),
    redirectUri: (yield* read("redirect-uri")) ?? "http://127.0.0.1/callback",
    contact: (yield* read("contact")) ?? "https://github.com/game-data/game-data",
    /** A file with the deployment's names of realms. */
    words: yield* read("words"),
    scopes: requested,
  };
});

/** A service that somebody else runs. */
export type Deployment = Effect.Success<ReturnType<typeof deploymentOf>>;

const existingFolder = Effect.fnUntraced(function* (path: string) {
  const { env } = yield* Host;
  // Relative to the folder where npm was called: root scripts run in the root.
  const found = [path, join(env["INIT_CWD"] ?? ".", path)].find((each) => existsSync(each));
  return found ?? (yield* failure("usage", `--replay ${path}: no such folder.`));
});
