/**
 * Holds the state, the verifier and the addresses of an open authorization request until its
 * callback comes.
 *
 * Made by `PkceFlow.start`. A web server keeps `serialize(flow)` in the user's own session (server
 * side, or in a sealed cookie) and nowhere else: it holds the verifier. A flow dies ten minutes
 * after it was started.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { TokenStoreFailed } from "./Errors.ts";
import { isNumber, isString, isStrings, parseObject, readMembers } from "./internal/json.ts";

/** Time that a user has on the consent page. */
export const PENDING_LIFETIME_MILLIS = 10 * 60 * 1000;

/** An open authorization request. */
export interface PendingAuthorization {
  /** Names the flow without telling its state. */
  readonly id: string;
  readonly state: Redacted.Redacted;
  readonly verifier: Redacted.Redacted;
  /**
   * The server and client that the request went to: the code is exchanged there and nowhere else
   * (RFC 9700 §4.4).
   */
  readonly authUrl: string;
  readonly clientId: string;
  /** Sent again at the exchange, byte for byte. */
  readonly redirectUri: string;
  readonly scopes: ReadonlyArray<string>;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Writes the flow as text, for the user's session. Redacted, because it holds the verifier. */
export const serialize = ({
  state,
  verifier,
  ...rest
}: PendingAuthorization): Redacted.Redacted => {
  const secrets = { state: Redacted.value(state), verifier: Redacted.value(verifier) };
  return Redacted.make(JSON.stringify({ ...rest, ...secrets }), { label: "flow" });
};

/** Reads the text of `serialize`; `undefined` for any other text. */
export const deserialize = (text: Redacted.Redacted | string): PendingAuthorization | undefined => {
  const found = readMembers<Stored>(
    parseObject(Redacted.isRedacted(text) ? Redacted.value(text) : text),
    {
      id: isString,
      state: isString,
      verifier: isString,
      authUrl: isString,
      clientId: isString,
      redirectUri: isString,
      scopes: isStrings,
      createdAt: isNumber,
    },
  );
  if (found === undefined) return undefined;
  return { ...found, state: Redacted.make(found.state), verifier: Redacted.make(found.verifier) };
};

/** A flow whose secrets are in clear. */
type Stored = Omit<PendingAuthorization, "state" | "verifier"> &
  Readonly<Record<"state" | "verifier", string>>;

/**
 * Remembers which flows have been answered, so that a state is good once even when copies of the
 * flow exist.
 *
 * `claim` tells the first caller `true` and all later ones `false`; an entry may be forgotten at
 * `expiresAt`. The default lives in this process; give a shared one when several processes answer
 * callbacks of the same flows.
 */
export interface UsedStates {
  /**
   * True for the first caller with this `id`, until `expiresAt` (both times in milliseconds since
   * 1970).
   */
  readonly claim: (
    id: string,
    expiresAt: number,
    now: number,
  ) => Effect.Effect<boolean, TokenStoreFailed>;
}

/** The `UsedStates` in use. */
export const UsedStates: Context.Reference<UsedStates> =
  /*#__PURE__*/ Context.Reference<UsedStates>("@game-data/oauth-pkce/UsedStates", {
    defaultValue: () => {
      const answered = new Map<string, number>();
      return {
        claim: (id, expiresAt, now) =>
          Effect.sync(() => {
            for (const [old, end] of answered) {
              if (end > now) break;
              answered.delete(old);
            }
            return !answered.has(id) && answered.set(id, expiresAt) === answered;
          }),
      };
    },
  });
