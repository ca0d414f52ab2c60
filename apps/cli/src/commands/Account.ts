/**
 * `gamedata login`, `logout`, `whoami`: who this machine speaks for.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { PkceFlow, TokenSet } from "@game-data/oauth-pkce";
import { Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { connection, gameApi } from "../Api.ts";
import { failure } from "../Failure.ts";
import { type Cell, facts, note, print } from "../Output.ts";
import { connected, settings, type Settings } from "../Settings.ts";

/** All that a user can grant (§5): what the other commands need. */
const USER_SCOPES = [
  "account:profile",
  "account:leagues",
  "account:stashes",
  "account:characters",
  "account:league_accounts",
  "account:item_filter",
  "oauth:revoke",
  "oauth:introspect",
] as const satisfies ReadonlyArray<PkceFlow.UserScope>;

/** What may be told about a set of tokens: everything but the tokens. */
const describe = (tokens: TokenSet.TokenSet, from: Settings) => ({
  username: tokens.username,
  sub: tokens.sub,
  clientId: from.clientId,
  scopes: tokens.scopes,
  expiresAt: timeOf(tokens.expiresAt),
  consentExpiresAt: timeOf(tokens.consentExpiresAt),
  store: { kind: "file", path: from.tokens },
});

const timeOf = (time: number | "never" | "unknown" | undefined) =>
  typeof time === "number" ? new Date(time).toISOString() : time;

const rest = (value: ReturnType<typeof describe>): ReadonlyArray<readonly [string, Cell]> => [
  ["client", value.clientId],
  ["scopes", value.scopes.join(" ")],
  ["token until", value.expiresAt],
  ["consent until", value.consentExpiresAt],
  ["kept in", `${value.store.path} (files that only you can read)`],
];

const human = (value: ReturnType<typeof describe>) =>
  facts([["account", value.username], ["uuid", value.sub], ...rest(value)]);

export const loginCommand = Command.make(
  "login",
  {
    scope: Flag.Literals("scope", USER_SCOPES).pipe(
      Flag.withDescription(
        "Ask for this scope alone; may be repeated (default: all that a user can grant)",
      ),
      Flag.atLeast(0),
    ),
    noBrowser: Flag.Boolean("no-browser").pipe(
      Flag.withDescription("Print the address and open nothing"),
      Flag.withDefault(false),
    ),
    timeout: Flag.Int("timeout").pipe(
      Flag.withDescription("Seconds to wait for the browser"),
      Flag.withDefault(600),
    ),
  },
  Effect.fnUntraced(function* ({ noBrowser, scope, timeout }) {
    const from = yield* settings;
    const { keyOf, oauthClient, probe, tokenStore } = yield* connection;
    const { Session } = yield* Effect.promise(() => import("@game-data/oauth-pkce"));
    const { openBrowser, signIn } = yield* Effect.promise(
      () => import("@game-data/oauth-pkce/node"),
    );
    const client = yield* oauthClient(from);
    if (client.kind === "confidential")
      return yield* failure("no-user-needed", `${client.clientId} has a secret: it is no user's.`);
    const store = yield* tokenStore(from);
    yield* probe(store);
    const isRemote = process.env["SSH_CONNECTION"] !== undefined && !process.env["DISPLAY"];
    const scopes = scope.length === 0 ? USER_SCOPES : scope;
    const tokens = yield* signIn(client, {
      scopes,
      timeout: `${timeout} seconds`,
      show: (url) => note(invitation(url, isRemote)),
      open: noBrowser || isRemote ? () => Effect.void : openBrowser,
      paste: yield* pasted,
    });
    yield* Session.forUser(client, { store, key: keyOf(client) }).signIn(tokens);
    const withheld = scopes.filter((wanted) => !tokens.scopes.includes(wanted));
    if (withheld.length > 0) yield* note(`Not granted: ${withheld.join(" ")}`);
    yield* print(describe(tokens, from), (value) => `Signed in.\n${human(value)}`);
  }),
).pipe(
  Command.withDescription("Sign in as a user, in the browser"),
  Command.withExamples([
    { command: "gamedata login", description: "Open the consent page and wait for it" },
    {
      command: "gamedata login --no-browser",
      description: "On another machine: open the address there, paste the one it ends at here",
    },
  ]),
  connected,
);

const invitation = (url: string, isRemote: boolean) =>
  `To sign in, open this page in your browser:\n\n  ${url}\n\n${
    isRemote ? "You seem to be on a remote machine. When" : "If"
  } the browser ends at an address that does not load, paste that address here and press Enter.\n`;

/** The next line of standard input; never, when it has ended. */
const pasted = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => createInterface({ input: process.stdin, terminal: false })),
    (reader) =>
      Effect.sync(() => {
        reader.close();
        process.stdin.unref?.();
      }),
  ),
  (reader) => {
    let count = 0;
    return Effect.suspend(() => {
      const again =
        "That address is not the answer to this sign-in. Paste the whole address again:";
      const ask = count++ === 0 ? Effect.void : note(again);
      return Effect.andThen(
        ask,
        Effect.promise(async (signal) => {
          const [line] = (await once(reader, "line", { signal })) as [string];
          return line.trim();
        }),
      );
    });
  },
);

export const logoutCommand = Command.make(
  "logout",
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { signOut } = yield* Effect.promise(() => import("../SignOut.ts"));
    yield* print(yield* signOut(from), ({ forgotten, revoked }) => {
      if (forgotten === 0) return "Nobody was signed in.";
      return `Signed out; the tokens are ${revoked ? "revoked and " : ""}removed from this machine.${
        revoked ? "" : "\nThe service still accepts them: revoke them on your applications page."
      }`;
    });
  }),
).pipe(Command.withDescription("Revoke the tokens, and remove them from this machine"), connected);

export const whoamiCommand = Command.make(
  "whoami",
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { sessionFor } = yield* connection;
    const tokens =
      from.token === undefined
        ? yield* Effect.flatMap(sessionFor(from, ["account:profile"]), (session) => session.tokens)
        : undefined;
    const hasProfile = tokens === undefined || tokens.scopes.includes("account:profile");
    const profile = hasProfile
      ? yield* Effect.flatMap(gameApi("account:profile"), (api) => api.profile.get())
      : undefined;
    const known = tokens === undefined ? undefined : describe(tokens, from);
    yield* print({ profile, ...known }, () =>
      facts([
        ["account", profile?.name ?? known?.username],
        ["uuid", profile?.uuid ?? known?.sub],
        ["locale", profile?.locale],
        ["stream", profile?.livestream?.name],
        ...(known === undefined ? [] : rest(known)),
      ]),
    );
  }),
).pipe(Command.withDescription("Whom the tokens speak for, and for how long"), connected);
