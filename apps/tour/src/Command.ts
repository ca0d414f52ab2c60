/**
 * What the tour is asked for on the command line: the sandbox it starts itself, captured answers,
 * or a deployment.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Failure, failure } from "@game-data/terminal/Failure";
import { connected, flagIn } from "@game-data/terminal/Settings";
import { type Scope, scopes } from "@game-data/contract";
import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";

/** Where the tour goes. */
export type Place =
  | { readonly kind: "sandbox" }
  | { readonly kind: "replay"; readonly folder: string }
  /** A service that somebody else runs, as the settings tell it. */
  | { readonly kind: "deployment"; readonly scopes: ReadonlyArray<Scope> };

const flags = {
  replay: Flag.String("replay").pipe(
    Flag.withDescription("A folder of captured answers to tell the story on, counted in the files"),
    Flag.optional,
  ),
  scopes: Flag.Literals("scope", scopes).pipe(
    Flag.withDescription("A scope to ask the deployment for; may be given more than once"),
    Flag.atLeast(0),
  ),
  exit: Flag.Boolean("exit").pipe(
    Flag.withDescription("Do not stay at the end"),
    Flag.withDefault(false),
  ),
};

const DEPLOYMENT = "--auth-url URL --base-url URL --client-id ID";

/** The command. */
export const tour = Command.make(
  "tour",
  flags,
  Effect.fnUntraced(function* ({ exit, replay, scopes: asked }) {
    const place = yield* placeOf(Option.getOrUndefined(replay), asked);
    // Loaded once the command line is known to make sense.
    const { tellStory } = yield* Effect.promise(() => import("./Story.ts"));
    const told = yield* tellStory(place);
    if (exit || process.stdin.isTTY !== true || process.stdout.isTTY !== true) return;
    const { stay } = yield* Effect.promise(() => import("./Stay.ts"));
    yield* stay(told);
  }),
).pipe(
  Command.withDescription("The packages at work, from signing in to a revoked token"),
  Command.withExamples([
    { command: "npm start", description: "Against a sandbox that the tour starts and stops" },
    { command: "npm start -- --replay DIR", description: "The same on captured answers" },
    { command: `npm start -- ${DEPLOYMENT}`, description: "What only reads, of a deployment" },
  ]),
  connected,
);

const placeOf = Effect.fnUntraced(function* (
  replay: string | undefined,
  asked: ReadonlyArray<Scope>,
): Effect.fn.Return<Place, Failure> {
  // Settings in the environment or a file do not turn a plain `npm start` into a visit to a
  // deployment: only flags do.
  const flag = flagIn(process.argv.slice(2)) ?? (asked.length === 0 ? undefined : "--scope");
  if (replay !== undefined)
    return flag === undefined
      ? { kind: "replay", folder: yield* folder(replay) }
      : yield* failure("usage", `--replay has no use for ${flag}`);
  return flag === undefined ? { kind: "sandbox" } : { kind: "deployment", scopes: asked };
});

const folder = (path: string) => {
  // From the place where the person typed it: a script of the root package runs in the root.
  const found = [path, join(process.env["INIT_CWD"] ?? ".", path)].find((one) => existsSync(one));
  return found === undefined
    ? Effect.fail(failure("usage", `--replay ${path}: there is no such folder`))
    : Effect.succeed(found);
};
