/** `gamedata login`, `logout` and `whoami`: the sign-in of a user. */
import { userScopes } from "@game-data/contract/Scope";
import type { TokenSet } from "@game-data/oauth-pkce";
import { Effect, Queue, type Stdio, Stream } from "effect";
import { Flag } from "effect/cli";
import { command, countFlag, load, switchFlag } from "../command.ts";
import { connected, type Settings, settings } from "../config.ts";
import { Failure } from "../failures.ts";
import { stdinLines } from "../input.ts";
import { print, printMessage } from "../print.ts";

/** What may be printed of a sign-in. Times are ISO 8601, `never` or `unknown`. */
const describe = (tokens: TokenSet.TokenSet, from: Settings) => ({
  username: tokens.username,
  sub: tokens.sub,
  clientId: from.clientId,
  scopes: tokens.scopes,
  expiresAt: time(tokens.expiresAt),
  /** The time until which tokens can be renewed without a new sign-in. */
  consentExpiresAt: time(tokens.consentExpiresAt),
  store: from.tokens,
});

const time = (value: TokenSet.TokenSet["expiresAt"] | undefined) =>
  typeof value === "number" ? new Date(value).toISOString() : value;

export const login = command(
  "login",
  [
    "Sign in as a user, in the browser. The tokens are stored in files that only you can read.",
    "gamedata login",
    "gamedata login --scope account:profile",
  ],
  {
    scope: Flag.Literals("scope", userScopes).pipe(
      Flag.withDescription(
        "Scope to request beside those that you have; repeatable (default: all)",
      ),
      Flag.atLeast(0),
    ),
    noBrowser: switchFlag("no-browser", "Print the address instead of opening a browser"),
    timeout: countFlag("timeout", "Seconds to wait for the browser (default: 600)"),
  },
  Effect.fnUntraced(function* ({ noBrowser, scope, timeout = 600 }) {
    const from = yield* settings;
    const { oauthClient, storeKey } = yield* load(() => import("../connect.ts"));
    const { Session } = yield* load(() => import("@game-data/oauth-pkce"));
    const { FileStore, ...node } = yield* load(() => import("@game-data/oauth-pkce/node"));
    const client = yield* oauthClient(from);
    if (client.kind !== "public")
      return yield* new Failure({
        code: "NoUserNeeded",
        message: `The client ${client.clientId} has a secret: it signs in by itself.`,
        next: "run the command that you want; to sign in as a user, set a client without a secret",
      });
    const store = yield* FileStore.make(from.tokens);
    const key = storeKey(client);
    // Before the user goes anywhere: tokens that cannot be stored are lost.
    yield* store.read(key);
    const session = Session.forUser(client, { store, key });
    const held = Effect.map(session.tokens, (tokens) => tokens.scopes as typeof userScopes);
    const granted = yield* Effect.orElseSucceed(held, () => []);
    const scopes = scope.length === 0 ? userScopes : [...new Set([...granted, ...scope])];
    const context = yield* Effect.context<Stdio.Stdio>();
    const tokens = yield* node.signIn(client, {
      scopes,
      timeout: `${timeout} seconds`,
      show: (url) => Effect.provideContext(printMessage(invitation(url)), context),
      open: noBrowser ? () => Effect.void : node.openBrowser,
      paste: Effect.provideContext(yield* pastedLines, context),
    });
    yield* session.signIn(tokens);
    const withheld = scopes.filter((wanted) => !tokens.scopes.includes(wanted));
    if (withheld.length > 0) yield* printMessage(`Not granted: ${withheld.join(" ")}`);
    yield* print(describe(tokens, from));
  }),
).pipe(connected);

const invitation = (url: string) => `To sign in, open this page in your browser:

  ${url}

If the browser ends at an address that does not load, paste that address here and press Enter.
`;

/**
 * Returns an effect that takes the next line of standard input. After the last line it waits
 * forever, because the browser may still return.
 */
const pastedLines = Effect.gen(function* () {
  const lines = yield* Queue.unbounded<string>();
  yield* Effect.forkScoped(
    Effect.ignore(Stream.runForEach(stdinLines, (line) => Queue.offer(lines, line))),
  );
  let count = 0;
  return Effect.suspend(() => {
    const again = "That address does not belong to this sign-in. Paste the whole address again:";
    return Effect.andThen(count++ === 0 ? Effect.void : printMessage(again), Queue.take(lines));
  });
});

export const logout = command(
  "logout",
  "Sign out: revoke the tokens of the configured client and remove them from this machine.",
  {},
  Effect.fnUntraced(function* () {
    const { signOut } = yield* load(() => import("../connect.ts"));
    yield* print(yield* signOut(yield* settings));
  }),
).pipe(connected);

export const whoami = command(
  "whoami",
  "Show the account and the scopes that commands act with.",
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { gameApi, tokensFor } = yield* load(() => import("../connect.ts"));
    const tokens = from.token ? undefined : yield* tokensFor(from, ["account:profile"]);
    const hasProfile = tokens?.scopes.includes("account:profile") ?? true;
    const profile = hasProfile
      ? yield* Effect.flatMap(gameApi("profile.get"), (api) => api.profile.get())
      : undefined;
    yield* print({ profile, ...(tokens !== undefined && describe(tokens, from)) });
  }),
).pipe(connected);
