/** Options of `createSignIn`. */
import type * as Duration from "effect/Duration";
import type { OAuthError } from "../Errors.ts";
import type { SealerOptions } from "../makeSealer.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import type { UserScope } from "../PkceFlow.ts";
import type { SessionOptions } from "../Session.ts";
import type { SessionPoolOptions } from "../SessionPool.ts";
import type { Backend } from "../TokenStore.ts";

/** Options of `createSignIn`. */
export interface SignInOptions {
  /** The client, with its redirect URI: `oauth.client` of the Promise face. */
  readonly client: OAuthClient;
  /** Asked of every user. With `oauth:revoke`, tokens are revoked when their session ends. */
  readonly scopes: ReadonlyArray<UserScope>;
  /** Shared by all servers. Give the plain store: what is written is sealed with `keys`. */
  readonly store: Backend;
  /** Root keys, which all servers have. */
  readonly keys: Pick<SealerOptions, "current" | "keys">;
  /** Stands before `/login` and `/logout`. Default: `/auth`. */
  readonly base?: string;
  /** Allows a path of this origin as `returnTo`. Default: all of them. */
  readonly isAllowedReturn?: (path: string) => boolean;
  /** Path that follows the sign-out. Default: `/`. */
  readonly afterSignOut?: string;
  /**
   * `"session"` (default): every browser has tokens of its own. `"user"`: one set per user, for
   * work while the user is away; a second sign-in replaces it.
   */
  readonly tokensPer?: "session" | "user";
  /** Makes a response in place of the error page. It has the time of `storeTimeout`. */
  readonly onError?: (
    error: OAuthError,
    request: Request,
  ) => Response | undefined | Promise<Response | undefined>;
  /** Is told of failures that users cannot mend. Default: `console.error`. */
  readonly log?: (message: string) => void;
  /** A session that was not used for so long ends. Default: 14 days. */
  readonly idle?: Duration.Input;
  /** A session ends so long after its sign-in. Default: with the user's consent. */
  readonly absolute?: Duration.Input;
  /** Every response is there within this time. Default: 10 seconds. */
  readonly answerWithin?: Duration.Input;
  /** Time limit of one call of the store. Default: 3 seconds. */
  readonly storeTimeout?: Duration.Input;
  /** Limits of the pool of sessions. */
  readonly pool?: SessionPoolOptions;
  /** Options of every session. */
  readonly session?: Omit<SessionOptions, "store" | "key">;
}
