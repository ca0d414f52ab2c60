/** `TokenSet` with promises: the type, and the functions under the same name. */
import type * as Model from "../Model.ts";
import {
  authorizationHeader,
  fromJson,
  fromRefreshToken,
  isFresh,
  missingScopes,
  remainingMillis,
  toJson,
  withoutRefreshToken,
} from "../TokenSet.ts";

/** A set of tokens. `toJson` and `fromJson` are the only ways to text that shows the secrets. */
export type TokenSet = Model.TokenSet;

/** Functions of token sets. */
export const TokenSet = {
  authorizationHeader,
  fromJson,
  fromRefreshToken,
  isFresh,
  missingScopes,
  remainingMillis,
  toJson,
  withoutRefreshToken,
} as const;
