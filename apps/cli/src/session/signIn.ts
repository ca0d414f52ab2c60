/**
 * Signs a user in through the browser. On a remote machine the user pastes the address that the
 * browser ends at.
 *
 * The token store is probed first, so that a sign-in does not end with tokens that cannot be
 * stored.
 */
import { routes } from "@game-data/contract/routes";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type OAuthClient, type PkceFlow, Session, type TokenSet } from "@game-data/oauth-pkce";
import { openBrowser, signIn as signInByBrowser } from "@game-data/oauth-pkce/node";
import { Effect } from "effect";
import { oauthClient, probeStore, storeKey, sessionFor, tokenStore } from "./connect.ts";
import { failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { printError } from "@game-data/terminal/Output";
import { gameApi } from "./apiContext.ts";
import type { Settings } from "../config/Settings.ts";

/** Options of a sign-in. */
export interface SignInOptions {
  /** The scopes to request. The user may grant fewer. */
  readonly scopes: ReadonlyArray<PkceFlow.UserScope>;
  /** Seconds to wait for the browser. */
  readonly timeout: number;
  /** Whether to open a browser, unless this machine is remote. The address is printed in any case. */
  readonly open: boolean;
}

/**
 * Signs a user in and stores the tokens. Fails with `no-user-needed` for a client with a secret.
 */
export const signIn = Effect.fnUntraced(function* (from: Settings, options: SignInOptions) {
  const client = yield* publicOnly(yield* oauthClient(from));
  const store = yield* tokenStore(from);
  yield* probeStore(store);
  const { env } = yield* Host;
  const isRemote = env["SSH_CONNECTION"] !== undefined && !env["DISPLAY"];
  const tokens = yield* signInByBrowser(client, {
    scopes: options.scopes,
    timeout: `${options.timeout} seconds`,
    show: (url) => printError(invitation(url, isRemote)),
    open: options.open && !isRemote ? openBrowser : () => Effect.void,
    paste: yield* pasted,
  });
  yield* Session.forUser(client, { store, key: storeKey(client) }).signIn(tokens);
  const withheld = options.scopes.filter((wanted) => !tokens.scopes.includes(wanted));
  if (withheld.length > 0) yield* printError(`Not granted: ${withheld.join(" ")}`);
  return tokens;
});

const publicOnly = (client: OAuthClient.OAuthClient) =>
  client.kind === "public"
    ? Effect.succeed(client)
    : Effect.fail(
        failure(
          "no-user-needed",
          `The client ${client.clientId} has a secret: it signs in by itself.`,
        ),
      );

const invitation = (url: string, isRemote: boolean) =>
  `To sign in, open this page in your browser:\n\n  ${url}\n\n${
    isRemote ? "You seem to be on a remote machine. When" : "If"
  } the browser ends at an address that does not load, paste that address here and press Enter.\n`;

/** Reads the next line of standard input. Never completes after its end. */
const pasted = Effect.map(
  Effect.acquireRelease(
    Effect.map(Host, ({ stdin }) => createInterface({ input: stdin, terminal: false })),
    (reader) =>
      Effect.sync(() => {
        reader.close();
        // The process need not wait for its standard input.
        process.stdin.unref?.();
      }),
  ),
  (reader) => {
    let count = 0;
    return Effect.suspend(() => {
      const again = "That address does not belong to this sign-in. Paste the whole address again:";
      const ask = count++ === 0 ? Effect.void : printError(again);
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

/** A sign-in without its tokens. Times are ISO 8601, or `never`, or `unknown`. */
export const describe = (tokens: TokenSet.TokenSet, from: Settings) => ({
  username: tokens.username,
  sub: tokens.sub,
  clientId: from.clientId,
  scopes: tokens.scopes,
  expiresAt: timeOf(tokens.expiresAt),
  /** Time until which tokens can be renewed without a new sign-in. */
  consentExpiresAt: timeOf(tokens.consentExpiresAt),
  store: { kind: "file", path: from.tokens } as const,
});
export type SignedIn = ReturnType<typeof describe>;

const timeOf = (time: number | "never" | "unknown" | undefined) =>
  typeof time === "number" ? new Date(time).toISOString() : time;

/** Returns the account's profile, if the token may read it, and the sign-in. */
export const whoAmI = Effect.fnUntraced(function* (from: Settings) {
  const tokens = from.token === undefined ? yield* ownTokens(from) : undefined;
  const hasProfile = tokens === undefined || tokens.scopes.includes("account:profile");
  const profile = hasProfile
    ? yield* Effect.flatMap(gameApi("profile.get"), (api) => api.profile.get())
    : undefined;
  return { profile, known: tokens === undefined ? undefined : describe(tokens, from) };
});

/** The sign-in of the selected profile. */
export interface SignInStatus extends Partial<Omit<SignedIn, "scopes">> {
  readonly profile: string | undefined;
  readonly authUrl: string | undefined;
  readonly signedIn: boolean;
  /** Source of the access token. */
  readonly credentials: "access token" | "client secret" | "sign-in" | "none";
  readonly scopes: ReadonlyArray<string>;
}

/**
 * Returns the sign-in of the settings' client. That no user is signed in is a status, not an error.
 */
export const signInStatus = Effect.fnUntraced(function* (from: Settings) {
  const { authUrl, profile } = from;
  const status = (credentials: SignInStatus["credentials"], known?: SignedIn): SignInStatus => ({
    profile,
    authUrl,
    signedIn: credentials !== "none",
    credentials,
    scopes: [],
    ...known,
  });
  if (from.token !== undefined) return status("access token");
  return yield* ownTokens(from).pipe(
    Effect.map((tokens) =>
      status(from.clientSecret === undefined ? "sign-in" : "client secret", describe(tokens, from)),
    ),
    Effect.catchTag("NotSignedIn", () => Effect.succeed(status("none"))),
  );
});

/** The stored tokens of the settings' client. */
const ownTokens = (from: Settings) =>
  Effect.flatMap(sessionFor(from, routes["profile.get"].scopes), (session) => session.tokens);
