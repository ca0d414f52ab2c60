/**
 * Signing in as a user at a prompt: through the browser, or by pasting the address that a browser
 * elsewhere ended at.
 *
 * The token store is tried before anybody is sent anywhere, so that a sign-in does not end with
 * tokens that nobody can keep.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type OAuthClient, type PkceFlow, Session, type TokenSet } from "@game-data/oauth-pkce";
import { openBrowser, signIn as signInByBrowser } from "@game-data/oauth-pkce/node";
import { Effect } from "effect";
import { keyOf, oauthClient, probe, sessionFor, tokenStore } from "@game-data/terminal/Connection";
import { failure } from "@game-data/terminal/Failure";
import { note } from "@game-data/terminal/Output";
import { gameApi } from "./apiContext.ts";
import type { Settings } from "@game-data/terminal/Settings";

/** How a user is asked. */
export interface SignInOptions {
  /** The scopes to ask for; a user may grant fewer. */
  readonly scopes: ReadonlyArray<PkceFlow.UserScope>;
  /** Seconds to wait for the browser. */
  readonly timeout: number;
  /**
   * Whether to open a browser (default: where there seems to be one); the address is printed in any
   * case.
   */
  readonly open?: boolean;
}

/**
 * Signs a user in and keeps the tokens in the store of the settings. A client with a secret is no
 * user's: `no-user-needed`.
 */
export const signIn = Effect.fnUntraced(function* (from: Settings, options: SignInOptions) {
  const client = yield* publicOnly(yield* oauthClient(from));
  const store = yield* tokenStore(from);
  yield* probe(store);
  const isRemote = process.env["SSH_CONNECTION"] !== undefined && !process.env["DISPLAY"];
  const tokens = yield* signInByBrowser(client, {
    scopes: options.scopes,
    timeout: `${options.timeout} seconds`,
    show: (url) => note(invitation(url, isRemote)),
    open: (options.open ?? true) && !isRemote ? openBrowser : () => Effect.void,
    paste: yield* pasted,
  });
  yield* Session.forUser(client, { store, key: keyOf(client) }).signIn(tokens);
  const withheld = options.scopes.filter((wanted) => !tokens.scopes.includes(wanted));
  if (withheld.length > 0) yield* note(`Not granted: ${withheld.join(" ")}`);
  return tokens;
});

const publicOnly = (client: OAuthClient.OAuthClient) =>
  client.kind === "public"
    ? Effect.succeed(client)
    : Effect.fail(failure("no-user-needed", `${client.clientId} has a secret: it is no user's.`));

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

/** What may be told about a sign-in: everything but the tokens. */
export interface SignedIn {
  readonly username: string | undefined;
  readonly sub: string | undefined;
  readonly clientId: string | undefined;
  readonly scopes: ReadonlyArray<string>;
  /** ISO 8601, or `never`, or `unknown`. */
  readonly expiresAt: string | undefined;
  /** Until when tokens can be renewed without asking the user again. */
  readonly consentExpiresAt: string | undefined;
  readonly store: { readonly kind: "file"; readonly path: string };
}

/** Tells about a set of tokens of the settings' client. */
export const describe = (tokens: TokenSet.TokenSet, from: Settings): SignedIn => ({
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

/**
 * Whom the tokens of the settings speak for: the account's profile where the token may read it, and
 * what is known of the sign-in.
 */
export const whoAmI = Effect.fnUntraced(function* (from: Settings) {
  const tokens =
    from.token === undefined
      ? yield* Effect.flatMap(sessionFor(from, ["account:profile"]), (session) => session.tokens)
      : undefined;
  const hasProfile = tokens === undefined || tokens.scopes.includes("account:profile");
  const profile = hasProfile
    ? yield* Effect.flatMap(gameApi("account:profile"), (api) => api.profile.get())
    : undefined;
  return { profile, known: tokens === undefined ? undefined : describe(tokens, from) };
});
