/**
 * Composes `oauth-pkce` and `api-client`: an OAuth client, a session with its tokens, and the API
 * client that uses them.
 *
 * Tokens stay in memory. A public client acts for a user who signs in, a client with a secret for
 * the application.
 */
import { type Credentials, GameApi, type GameApiService } from "@game-data/api-client";
import { makeWords, type Scope, type WordsInput } from "@game-data/contract";
import { OAuthClient, Session } from "@game-data/oauth-pkce";
import { Context, Effect, Layer, type Redacted } from "effect";
import { FetchHttpClient } from "effect/http";

/** A service and a client that is registered there. */
export interface Registration {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly contact: string;
  /** The deployment's names of realms. */
  readonly words?: Partial<WordsInput> | undefined;
}

/** The number of responses that all clients have received. */
export const received = { responses: 0 };

/** Builds the API client. Its rate limits are learned from the responses. */
const apiFor = (registration: Registration, credentials: Credentials) => {
  const { baseUrl, words } = registration;
  return GameApi.layer({
    baseUrl,
    credentials,
    onResponse: () => void (received.responses += 1),
    userAgent: userAgentOf(registration),
    ...(words !== undefined && { words: makeWords(words) }),
  }).pipe(Layer.provide(FetchHttpClient.layer), Layer.build, Effect.map(Context.get(GameApi)));
};

/** Names this program to the OAuth server and to the data API. */
const userAgentOf = ({ clientId, contact }: Registration) => ({
  clientId,
  version: "1.0.0",
  contact,
});

/** Composes the session of a user. `api` works after `session.signIn`. */
export const userSession = Effect.fnUntraced(function* (
  registration: Registration & { readonly redirectUri: string },
  scopes: ReadonlyArray<Scope>,
) {
  const { authUrl, clientId, redirectUri } = registration;
  const client = yield* OAuthClient.publicClient({
    authUrl,
    clientId,
    redirectUri,
    userAgent: userAgentOf(registration),
  });
  const session = Session.forUser(client);
  const api: GameApiService = yield* apiFor(registration, session);
  /** An API client with this token only, without a way to renew it. */
  const apiWithToken = (token: Redacted.Redacted) => apiFor(registration, token);
  return { client, scopes, session, api, apiWithToken };
});

/** Composes the session of an application, which gets its own token. */
export const applicationSession = Effect.fnUntraced(function* (
  registration: Registration & { readonly clientSecret: Redacted.Redacted },
  scopes: ReadonlyArray<Scope>,
) {
  const { authUrl, clientId, clientSecret } = registration;
  const client = yield* OAuthClient.confidentialClient({
    authUrl,
    clientId,
    clientSecret,
    userAgent: userAgentOf(registration),
  });
  const session = Session.forApplication(client, { scopes });
  const api: GameApiService = yield* apiFor(registration, session);
  return { client, scopes, session, api };
});

/** A user's session. */
export type UserSession = Effect.Success<ReturnType<typeof userSession>>;

/** An application's session. */
export type ApplicationSession = Effect.Success<ReturnType<typeof applicationSession>>;
