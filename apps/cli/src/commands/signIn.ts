/** `gamedata login`, `logout`, `whoami` and `token`: the sign-in, and its tokens. */
import { userScopes } from "@game-data/contract/Scope";
import type { TokenSet } from "@game-data/oauth-pkce";
import { Effect, Redacted, type Stdio, Stream } from "effect";
import { Flag } from "effect/cli";
import { command, count, group, load, loadGameApi, text, toggle } from "../command.ts";
import { connected, type Settings, settings } from "../config.ts";
import { Failure } from "../failures.ts";
import { readText, stdinLines } from "../files.ts";
import { print, printMessage } from "../print.ts";

const loadConnect = load(() => import("../connect.ts"));
const loadOAuth = load(() => import("@game-data/oauth-pkce"));

/** Returns the facts about tokens that are not secret. Times are ISO 8601, `never` or `unknown`. */
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
    noBrowser: toggle("no-browser", "Print the address instead of opening a browser"),
    timeout: count("timeout", "Seconds to wait for the browser (default: 600)"),
  },
  Effect.fnUntraced(function* ({ noBrowser, scope, timeout = 600 }) {
    const from = yield* settings;
    const { client, sessionFor } = yield* (yield* loadConnect).openClient(from);
    if (client.kind !== "public")
      return yield* new Failure({
        code: "NoUserNeeded",
        message: `The client ${client.clientId} has a secret: it signs in by itself.`,
        next: "run the command that you want; to sign in as a user, set a client without a secret",
      });
    const session = yield* sessionFor(scope);
    // Checks the store before the user signs in, because tokens that cannot be stored are lost.
    yield* session.status;
    const held = Effect.map(session.tokens, (tokens) => tokens.scopes as typeof userScopes);
    const granted = Effect.orElseSucceed(held, () => []);
    const scopes = scope.length === 0 ? userScopes : [...new Set([...(yield* granted), ...scope])];
    const { openBrowser, signIn } = yield* load(() => import("@game-data/oauth-pkce/node"));
    const context = yield* Effect.context<Stdio.Stdio>();
    const tokens = yield* signIn(client, {
      scopes,
      timeout: `${timeout} seconds`,
      show: (url) => Effect.provideContext(printMessage(invitation(url)), context),
      open: noBrowser ? () => Effect.void : openBrowser,
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

/** Returns an effect that reads the next line of standard input, and fails after the last line. */
const pastedLines = Effect.gen(function* () {
  const pull = yield* Stream.toPull(Stream.rechunk(stdinLines, 1));
  let taken = 0;
  return Effect.suspend(() => {
    const again = "That address does not belong to this sign-in. Paste the whole address again:";
    const message = taken++ === 0 ? Effect.void : printMessage(again);
    return Effect.andThen(
      message,
      Effect.map(pull, ([line]) => line),
    );
  });
});

export const logout = command(
  "logout",
  "Sign out: revoke the tokens of the configured client and remove them from this machine.",
  {},
  Effect.fnUntraced(function* () {
    const { signOut } = yield* loadConnect;
    yield* print(yield* signOut(yield* settings));
  }),
).pipe(connected);

export const whoami = command(
  "whoami",
  "Show the account and the scopes that commands act with.",
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { tokensFor } = yield* loadConnect;
    const tokens = from.token ? undefined : yield* tokensFor(from, ["account:profile"]);
    const hasProfile = tokens?.scopes.includes("account:profile") ?? true;
    const profile = hasProfile
      ? yield* Effect.flatMap(loadGameApi("profile.get"), (api) => api.profile.get())
      : undefined;
    yield* print({ profile, ...(tokens !== undefined && describe(tokens, from)) });
  }),
).pipe(connected);

// A token is read from a file, because other users can see the command line.
const file = text("file", "File with the token, or - for standard input (default: your own)");

/**
 * Returns the client, the token of `path` or the user's own, and as `using` the user's own token,
 * which authorizes a request to inspect or revoke `token`.
 */
const openToken = Effect.fnUntraced(function* (
  scope: "oauth:introspect" | "oauth:revoke",
  path?: string,
) {
  const { openClient } = yield* loadConnect;
  const { InsufficientScope, TokenCall } = yield* loadOAuth;
  const { client, sessionFor } = yield* openClient(yield* settings);
  const { accessToken: using, scopes } = yield* (yield* sessionFor([scope])).tokens;
  if (!scopes.includes(scope)) return yield* new InsufficientScope({ scope });
  const token = path === undefined ? using : Redacted.make((yield* readText(path)).trim());
  if (Redacted.value(token) === "")
    return yield* new Failure({ code: "InvalidRequest", message: "The input has no token." });
  return { TokenCall, client, token, using };
});

const introspect = command(
  "introspect",
  [
    "Ask the OAuth server whether a token is active, and for whom. Needs oauth:introspect.",
    "gamedata token introspect --file token.txt",
  ],
  { file },
  Effect.fnUntraced(function* ({ file: path }) {
    const { TokenCall, client, token, using } = yield* openToken("oauth:introspect", path);
    const { claims: _, ...status } = yield* TokenCall.introspect(client, token, { using });
    yield* print(status);
  }),
);

const revoke = command(
  "revoke",
  [
    "Revoke a token. Without --file it revokes your own and signs you out.",
    "gamedata token revoke --file -",
  ],
  { file },
  Effect.fnUntraced(function* ({ file: path }) {
    const { TokenCall, client, token, using } = yield* openToken("oauth:revoke", path);
    if (path === undefined) yield* (yield* loadConnect).signOut(yield* settings);
    else yield* TokenCall.revoke(client, token, { using });
    yield* print({ revoked: true });
  }),
);

export const token = group("token", "Introspect and revoke tokens", [introspect, revoke]).pipe(
  connected,
);
