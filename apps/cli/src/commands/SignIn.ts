/**
 * `gamedata login`, `logout`, `whoami`, `auth` and `token`: sign-in and tokens.
 */
import { command, commands, help } from "./command.ts";
import { userScopes } from "@game-data/contract/Scope";
import { failure } from "@game-data/terminal/Failure";
import { readText } from "@game-data/terminal/Input";
import { print } from "@game-data/terminal/Output";
import { type Cell, facts } from "@game-data/terminal/View";
import { Effect, Option } from "effect";
import { Flag } from "effect/cli";
import { readIfPresent, writeConfigFile } from "../config/file.ts";
import { switchFlag, textFlag, numberFlag, optionalArgument } from "@game-data/terminal/flags";
import { configFile, connected, settings } from "../config/Settings.ts";
import type { SignedIn } from "../session/signIn.ts";

const signInModule = Effect.promise(() => import("../session/signIn.ts"));

/** A sign-in without the account. */
const signInFacts = (
  value: SignedIn | Partial<SignedIn>,
): ReadonlyArray<readonly [string, Cell]> => [
  ["client", value.clientId],
  ["scopes", value.scopes?.join(" ") || undefined],
  ["token expires", value.expiresAt],
  ["sign-in expires", value.consentExpiresAt],
  ["stored in", value.store && `${value.store.path} (readable only by you)`],
];

/** The scopes of the commands that act for a user; those of `token` and `logout` are the last. */
export const COMMAND_SCOPES: typeof userScopes = [
  "account:profile",
  "account:leagues",
  "account:stashes",
  "account:characters",
  "account:item_filter",
  "oauth:revoke",
  "oauth:introspect",
];

/** `gamedata login`. */
export const loginCommand = command(
  "login",
  help(
    "Sign in as a user, in the browser. The tokens are stored in files that only you can read.\nWith the setting keychain (gamedata config set keychain true) they are sealed with a key of the\nsystem's keychain, which needs: npm install -g @napi-rs/keyring",
    {
      "gamedata login": "Open the consent page and wait for the browser",
      "gamedata login --scope account:profile --scope account:characters":
        "Request two scopes only",
      "gamedata login --no-browser":
        "On a remote machine: paste the address that your browser ends at",
    },
  ),
  {
    scope: Flag.Literals("scope", userScopes).pipe(
      Flag.withDescription(
        "Scope to request; repeatable (default: those that the commands of a user need)",
      ),
      Flag.atLeast(0),
    ),
    noBrowser: switchFlag("no-browser", "Print the address instead of opening a browser"),
    timeout: numberFlag("timeout", "Seconds to wait for the browser (default: 600)", 600),
  },
  Effect.fnUntraced(function* ({ noBrowser, scope, timeout }) {
    const { askForSettings } = yield* Effect.promise(() => import("../config/askForSettings.ts"));
    const from = yield* askForSettings(yield* settings);
    const { describe, signIn } = yield* signInModule;
    const scopes = scope.length === 0 ? COMMAND_SCOPES : scope;
    const tokens = yield* signIn(from, { scopes, timeout, open: !noBrowser });
    yield* print(describe(tokens, from), (value) => [
      "Signed in.",
      facts([["account", value.username], ["uuid", value.sub], ...signInFacts(value)]),
    ]);
  }),
).pipe(connected);

/** `gamedata logout`. */
export const logoutCommand = command(
  "logout",
  help("Sign out: revoke the tokens of the configured client and remove them from this machine.", {
    "gamedata logout": "Sign out",
  }),
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { signOut } = yield* Effect.promise(() => import("../session/tokens.ts"));
    yield* print(yield* signOut(from), ({ forgotten, revoked }) => {
      if (forgotten === 0) return "Nobody was signed in.";
      return revoked
        ? "Signed out. The tokens are revoked and removed from this machine."
        : "Signed out. The tokens are removed from this machine but not revoked:\nrevoke them on your applications page.";
    });
  }),
).pipe(connected);

/** `gamedata whoami`. */
export const whoamiCommand = command(
  "whoami",
  help("Show the account and the scopes that commands act with.", {
    "gamedata whoami --jq .profile.name": "The account's name alone",
  }),
  {},
  Effect.fnUntraced(function* () {
    const { whoAmI } = yield* signInModule;
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
).pipe(connected);

/** `auth status` reads the store and sends nothing, apart from the renewal of an expired token. */
const statusCommand = command(
  "status",
  help(
    "Show whether you are signed in, with which credentials and scopes, and where the token is\nstored. Never prints the token. Exits with 77 if nobody is signed in.",
    {
      "gamedata auth status": "Of the selected profile",
      "gamedata auth status --profile staging --json": "Of another profile",
    },
  ),
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { signInStatus } = yield* signInModule;
    const status = yield* signInStatus(from);
    yield* print(status, ({ credentials, profile, signedIn, ...known }) =>
      facts([
        ["profile", profile],
        ["service", known.authUrl],
        ["signed in", signedIn ? "yes" : "no"],
        ["credentials", credentials],
        ["account", known.username],
        ...signInFacts(known),
      ]),
    );
    if (!status.signedIn) return yield* failure("not-signed-in", "Nobody is signed in.");
  }),
);

const switchCommand = command(
  "switch",
  help(
    "Select the profile that commands use from now on.\n--profile and GAME_DATA_PROFILE override it.",
    { "gamedata auth switch staging": "Use the profile staging" },
  ),
  {
    name: optionalArgument(
      "profile",
      "Profile of the configuration file (default: the other one of two)",
    ),
  },
  Effect.fnUntraced(function* ({ name }) {
    const { path } = yield* configFile;
    const file = yield* readIfPresent(path);
    const profiles = Object.keys(file.profiles);
    const others = profiles.filter((each) => each !== file.profile);
    const chosen = Option.getOrElse(name, () => (others.length === 1 ? others[0] : undefined));
    if (chosen === undefined)
      return yield* failure("usage", "Name the profile to switch to.", {
        next: `choose one of: ${profiles.join(", ") || "(none)"}`,
      });
    if (!profiles.includes(chosen))
      return yield* failure("setting-invalid", `${path} has no profile ${chosen}.`, {
        next:
          profiles.length === 0
            ? `add one with: gamedata config set clientId ID --profile ${chosen}`
            : `choose one of: ${profiles.join(", ")}`,
        details: { setting: "profile" },
      });
    yield* writeConfigFile(path, { ...file, profile: chosen });
    yield* print({ profile: chosen, file: path }, () => `Switched to profile ${chosen}.`);
  }),
);

/** `gamedata auth`. */
export const authCommand = commands("auth", "Show the sign-in and switch between profiles", [
  statusCommand,
  switchCommand,
]).pipe(connected);

const tokenFile = textFlag(
  "file",
  "File with the token, or - for standard input (default: your own token)",
);
const tokens = Effect.promise(() => import("../session/tokens.ts"));

/** Reads the token of a file; `undefined` without one. */
const readToken = (path: Option.Option<string>) =>
  Option.isNone(path) ? Effect.succeed(undefined) : readText(path.value);

const introspectCommand = command(
  "introspect",
  help(
    "Ask the OAuth server whether a token is active, and for whom. Needs the scope oauth:introspect.",
    {
      "gamedata token introspect": "Your own token",
      "gamedata token introspect --file token.txt": "A token from a file",
    },
  ),
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
        ["expires", exp === undefined ? undefined : new Date(exp * 1000).toISOString()],
      ]),
    );
  }),
);

const revokeCommand = command(
  "revoke",
  help("Revoke a token. Without --file it revokes your own and signs you out.", {
    "gamedata token revoke --file -": "A token from standard input",
  }),
  { file: tokenFile },
  Effect.fnUntraced(function* ({ file: path }) {
    const { revoke } = yield* tokens;
    yield* revoke(yield* settings, yield* readToken(path));
    yield* print({ revoked: true }, () =>
      Option.isNone(path)
        ? "Revoked. You are signed out."
        : "Revoked, if it was a token of this server.",
    );
  }),
);

/** `gamedata token`. Tokens come from files, never from the command line. */
export const tokenCommand = commands("token", "Introspect and revoke tokens", [
  introspectCommand,
  revokeCommand,
]).pipe(connected);
