/**
 * Whom a client speaks for: a user who signs in while the program runs, or the application itself.
 * Tokens stay in memory.
 *
 * For programs that live for one run, or that speak for several at once (a user and an application,
 * or clients of a sandbox). Commands that people call again and again go by `Service`, which keeps
 * the sign-in.
 */
import { type Credentials, GameApi, type GameApiService } from "@game-data/api-client";
import type { Scope as GrantedScope } from "@game-data/contract";
import { type OAuthClient, PkceFlow, Session, type TokenSet } from "@game-data/oauth-pkce";
import { signIn as receive } from "@game-data/oauth-pkce/node";
import { Clock, Context, Effect, Layer, Redacted, type Scope } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { checkWords, limiterOf, oauthClient } from "@game-data/terminal/Connection";
import { Program } from "@game-data/terminal/Program";
import * as Report from "./report/Report.ts";
import { required, type Settings } from "@game-data/terminal/Settings";

/** The responses that all sessions of this process received. */
export const received = { responses: 0 };
const onResponse = () => {
  received.responses += 1;
};

/** Someone with a token, or who will have one after signing in. */
export interface Speaker<Client extends OAuthClient.OAuthClient = OAuthClient.OAuthClient> {
  readonly client: Client;
  /** What is asked for. */
  readonly scopes: ReadonlyArray<GrantedScope>;
  readonly session: Session.Session;
  readonly api: GameApiService;
  /** A client of the API with this very token and no way to another one. */
  readonly withToken: (
    token: Redacted.Redacted,
  ) => Effect.Effect<GameApiService, never, Scope.Scope>;
}

/**
 * A public client speaks for the user, one with a secret for the application: one of the two is
 * there.
 */
export interface Speakers {
  readonly user: Speaker<OAuthClient.PublicClient> | undefined;
  readonly application: Speaker<OAuthClient.ConfidentialClient> | undefined;
}

/**
 * The speaker of the settings. A user has to sign in through `session` before `api` can be used.
 */
export const speakersOf = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<GrantedScope>,
) {
  const client = yield* oauthClient(from);
  const baseUrl = yield* required(from, "baseUrl");
  const words = from.words && (yield* checkWords(from.words));
  const { version } = yield* Program;
  const userAgent = { clientId: client.clientId, version, contact: from.contact };
  const apiWith = (credentials: Credentials) =>
    GameApi.layerWithLimiter({ baseUrl, credentials, userAgent, words, onResponse }).pipe(
      Layer.provide(Layer.merge(limiterOf(from), FetchHttpClient.layer)),
      Layer.orDie,
      Layer.build,
      Effect.map(Context.get(GameApi)),
    );
  const speaker = <Client extends OAuthClient.OAuthClient>(of: Client, session: Session.Session) =>
    Effect.map(apiWith(session), (api): Speaker<Client> => ({
      client: of,
      scopes,
      session,
      api,
      withToken: apiWith,
    }));
  const speakers: Speakers =
    client.kind === "public"
      ? { user: yield* speaker(client, Session.forUser(client)), application: undefined }
      : {
          user: undefined,
          application: yield* speaker(client, Session.forApplication(client, { scopes })),
        };
  return speakers;
});

/**
 * Signs a user in through whatever answers the authorize URL with the address that the browser is
 * sent to: a person elsewhere, or the control plane of a sandbox (`consent` of
 * `@game-data/sandbox/approveConsent`).
 */
export const signInThrough = Effect.fnUntraced(function* <E, R>(
  { client, scopes, session }: Speaker<OAuthClient.PublicClient>,
  answer: (authorizeUrl: string) => Effect.Effect<string, E, R>,
) {
  const { pending, url } = yield* PkceFlow.start(client, {
    scopes: scopes as ReadonlyArray<PkceFlow.UserScope>,
  });
  const callback = yield* PkceFlow.validateCallback(client, pending, yield* answer(url));
  const tokens: TokenSet.TokenSet = yield* PkceFlow.exchange(client, callback);
  yield* session.signIn(tokens);
  return tokens;
});

/**
 * Signs a user in through the browser of this machine; `show` is given the address to open.
 * Elsewhere than at a terminal none is opened.
 */
export const signInByBrowser = Effect.fnUntraced(function* (
  { client, scopes, session }: Speaker<OAuthClient.PublicClient>,
  show: (authorizeUrl: string) => void,
) {
  const tokens: TokenSet.TokenSet = yield* receive(client, {
    scopes: scopes as ReadonlyArray<PkceFlow.UserScope>,
    show: (url) => Effect.sync(() => show(url)),
    ...(process.stdout.isTTY === true ? {} : { open: () => Effect.void }),
  });
  yield* session.signIn(tokens);
  return tokens;
});

/** What calls need: somebody who speaks, and scopes. */
export interface Needs {
  readonly speaker: keyof Speakers;
  readonly scopes: ReadonlyArray<GrantedScope>;
}

/** Why what has these needs cannot be done, in words; `undefined` when it can. */
export const obstacleTo = Effect.fnUntraced(function* (
  speakers: Speakers,
  { scopes: needed, speaker }: Needs,
) {
  const found = speakers[speaker];
  if (found === undefined)
    return speaker === "user"
      ? "it needs a user, and a client with a secret speaks for the application"
      : "it needs a client with a secret (GAME_DATA_CLIENT_SECRET)";
  if (needed.length === 0) return undefined;
  const { scopes } = yield* found.session.tokens;
  // An empty list says that the server did not tell.
  const missing = needed.filter((scope) => scopes.length > 0 && !scopes.includes(scope));
  return missing.length === 0 ? undefined : `the token lacks ${missing.join(" ")}`;
});

/** The user, where there is known to be one. */
export const userOf = ({ user }: Speakers): NonNullable<Speakers["user"]> => user ?? nobody("user");

/** The application, where it is known to speak. */
export const applicationOf = ({ application }: Speakers): NonNullable<Speakers["application"]> =>
  application ?? nobody("application");

const nobody = (speaker: keyof Speakers): never => {
  throw new Error(`nobody speaks as the ${speaker}`);
};

/** What may be told about a speaker's token, as facts. */
export const tokenFacts = Effect.fnUntraced(function* ({ client, session }: Speaker) {
  const { consentExpiresAt, expiresAt, scopes } = yield* session.tokens;
  const now = yield* Clock.currentTimeMillis;
  const until = (end: typeof expiresAt) =>
    typeof end === "number" ? `for ${Report.time(end - now)}` : ENDLESS[end];
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    ["client", client.clientId],
    ["scopes", scopes.join(" ")],
    ["access token", until(expiresAt)],
    ["refreshable", consentExpiresAt === undefined ? undefined : until(consentExpiresAt)],
  ];
  return rows;
});

const ENDLESS = { never: "until it is revoked", unknown: "until it is refused" } as const;

/** Where a client is known from, if not from flags, environment and file: a sandbox, a test. */
export interface KnownClient {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Its registered redirect; a client with a secret needs none. */
  readonly redirectUri?: string;
  readonly contact: string;
}

/** Settings of a client that is known: nothing is read, and nothing is to be stored. */
export const settingsOf = ({
  clientSecret,
  redirectUri = "",
  ...known
}: KnownClient): Settings => ({
  ...known,
  redirectUri,
  clientSecret: clientSecret === undefined ? undefined : Redacted.make(clientSecret),
  token: undefined,
  words: undefined,
  maxWait: 300,
  tokens: "",
  file: "",
  sources: {},
});
