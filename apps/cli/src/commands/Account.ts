/**
 * The commands that every program has use for: `login`, `logout`, `whoami`, `token`, `doctor`,
 * `explain`. The failures' next steps name them.
 */
import { userScopes } from "@game-data/contract/Scope";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { described, explanations, explanationsOf } from "../output/explain.ts";
import { failure } from "@game-data/terminal/Failure";
import { switchFlag, textFlag } from "@game-data/terminal/Flags";
import { readText } from "@game-data/terminal/Input";
import { type Cell, facts, print, printList, table } from "@game-data/terminal/Output";
import { connected, settings } from "@game-data/terminal/Settings";
import type { SignedIn } from "../session/signIn.ts";

/** A sign-in, fact by fact, for people; without whom it is for. */
const signInFacts = (value: SignedIn): ReadonlyArray<readonly [string, Cell]> => [
  ["client", value.clientId],
  ["scopes", value.scopes.join(" ")],
  ["token until", value.expiresAt],
  ["consent until", value.consentExpiresAt],
  ["kept in", `${value.store.path} (files that only you can read)`],
];

/** `login`: signs in as a user, in the browser. */
export const loginCommand = Command.make(
  "login",
  {
    scope: Flag.Literals("scope", userScopes).pipe(
      Flag.withDescription(
        "Ask for this scope alone; may be repeated (default: all that a user can grant)",
      ),
      Flag.atLeast(0),
    ),
    noBrowser: switchFlag("no-browser", "Print the address and open nothing"),
    timeout: Flag.Int("timeout").pipe(
      Flag.withDescription("Seconds to wait for the browser"),
      Flag.withDefault(600),
    ),
  },
  Effect.fnUntraced(function* ({ noBrowser, scope, timeout }) {
    const from = yield* settings;
    const { describe, signIn } = yield* Effect.promise(() => import("../session/signIn.ts"));
    const scopes = scope.length === 0 ? userScopes : scope;
    const tokens = yield* signIn(from, { scopes, timeout, open: !noBrowser });
    yield* print(
      describe(tokens, from),
      (value) =>
        `Signed in.\n${facts([["account", value.username], ["uuid", value.sub], ...signInFacts(value)])}`,
    );
  }),
).pipe(
  Command.withDescription("Sign in as a user, in the browser"),
  Command.withExamples([
    { command: "login", description: "Open the consent page and wait for it" },
    {
      command: "login --no-browser",
      description: "On another machine: open the address there, paste the one it ends at here",
    },
  ]),
  connected,
);

/** `logout`: revokes the tokens, and removes them from this machine. */
export const logoutCommand = Command.make(
  "logout",
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { signOut } = yield* Effect.promise(() => import("../session/signOut.ts"));
    yield* print(yield* signOut(from), ({ forgotten, revoked }) => {
      if (forgotten === 0) return "Nobody was signed in.";
      return `Signed out; the tokens are ${revoked ? "revoked and " : ""}removed from this machine.${
        revoked ? "" : "\nThe service still accepts them: revoke them on your applications page."
      }`;
    });
  }),
).pipe(Command.withDescription("Revoke the tokens, and remove them from this machine"), connected);

/** `whoami`: whom the tokens speak for. */
export const whoamiCommand = Command.make(
  "whoami",
  {},
  Effect.fnUntraced(function* () {
    const { whoAmI } = yield* Effect.promise(() => import("../session/signIn.ts"));
    const { known, profile } = yield* whoAmI(yield* settings);
    yield* print({ profile, ...known }, () =>
      facts([
        ["account", profile?.name ?? known?.username],
        ["uuid", profile?.uuid ?? known?.sub],
        ["locale", profile?.locale],
        ["stream", profile?.livestream?.name],
        ...(known === undefined ? [] : signInFacts(known)),
      ]),
    );
  }),
).pipe(Command.withDescription("Whom the tokens speak for, and for how long"), connected);

const tokenFile = textFlag(
  "file",
  "A file with the token, or - for standard input (default: your own token)",
);
const tokens = Effect.promise(() => import("../session/tokens.ts"));

/** The text of the file; `undefined` without one. */
const readToken = (path: Option.Option<string>) =>
  Option.isNone(path) ? Effect.succeed(undefined) : readText(path.value);

const introspectCommand = Command.make(
  "introspect",
  { file: tokenFile },
  Effect.fnUntraced(function* ({ file: path }) {
    const { introspect } = yield* tokens;
    const status = yield* introspect(yield* settings, yield* readToken(path));
    yield* print(status, ({ active, clientId, exp, scopes, sub, username }) =>
      facts([
        ["active", active ? "yes" : "no"],
        ["account", username],
        ["uuid", sub],
        ["client", clientId],
        ["scopes", scopes.length === 0 ? undefined : scopes.join(" ")],
        ["until", exp === undefined ? undefined : new Date(exp * 1000).toISOString()],
      ]),
    );
  }),
).pipe(Command.withDescription("Ask the server what a token is worth"));

const revokeCommand = Command.make(
  "revoke",
  { file: tokenFile },
  Effect.fnUntraced(function* ({ file: path }) {
    const { revoke } = yield* tokens;
    yield* revoke(yield* settings, yield* readToken(path));
    yield* print({ revoked: true }, () =>
      Option.isNone(path)
        ? "Revoked; you are signed out."
        : "Revoked, if it was a token of this server.",
    );
  }),
).pipe(Command.withDescription("End a token; your own signs you out"));

/**
 * `token`: asks the server about a token, and ends one. Tokens are read from files, never from the
 * command line.
 */
export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Ask about tokens and revoke them"),
  Command.withSubcommands([introspectCommand, revokeCommand]),
  connected,
);

/**
 * `doctor`: checks everything that a command needs. Ends with the exit code of the first thing to
 * repair.
 */
export const doctorCommand = Command.make(
  "doctor",
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const Checks = yield* Effect.promise(() => import("@game-data/terminal/doctor"));
    const checked = yield* Checks.checkAll(from);
    yield* print(checked.findings, (all) => all.map(Checks.described).join("\n"));
    if (checked.failure !== undefined) return yield* checked.failure;
  }),
).pipe(
  Command.withDescription("Check settings, addresses, clock, token store and sign-in"),
  connected,
);

/** `explain`: what a failure means. */
export const explainCommand = Command.make(
  "explain",
  {
    code: Argument.String("code").pipe(
      Argument.withDescription("A failure code, or the tag of an error (default: list the codes)"),
      Argument.optional,
    ),
  },
  Effect.fnUntraced(function* ({ code }) {
    if (Option.isNone(code)) {
      return yield* printList(explanations(), (entries) =>
        table(
          ["code", "exit", "meaning"],
          entries.map((entry) => [entry.code, entry.exitCode, entry.means]),
        ),
      );
    }
    const found = explanationsOf(code.value);
    if (found.length === 0)
      return yield* failure("unknown-code", `There is no code or error ${code.value}.`);
    yield* print(found, (entries) => entries.map(described).join("\n\n"));
  }),
).pipe(
  Command.withDescription("What a failure means, and what to do about it"),
  Command.withExamples([
    { command: "explain not-signed-in", description: "A code of this program" },
    { command: "explain InvalidGrant", description: "An error of the packages" },
  ]),
);
