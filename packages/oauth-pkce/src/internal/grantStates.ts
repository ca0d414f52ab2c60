/**
 * The state table of a grant, on which `Session` runs. The model test lets a process die at every
 * step of a renewal.
 *
 * A state is recognised from the stored record, the store's clock and the caller's knowledge of the
 * access token. The cell of state and token names the one thing to do next.
 */
import type { LostAnswerPolicy } from "../Model.ts";
import type { TokenSet } from "../TokenSet.ts";
import type { GrantRecord } from "./GrantRecord.ts";

/** States of a grant. */
export type GrantState = "absent" | "fresh" | "soon" | "due" | "inFlight" | "lost" | "dead";

/** Whether the access token can be used: not ended, and not refused by a server. */
export type TokenState = "good" | "over";

/** The next step in a state. */
export type Action =
  /** Fail with `NotSignedIn`. */
  | "failNotSignedIn"
  /** Return the access token. */
  | "use"
  /** Return the access token and renew in the background. */
  | "useAndRenew"
  /** Write an intent, send the refresh token, wait. */
  | "renew"
  /** Poll until the holder of the intent has finished or given up. Send nothing. */
  | "wait"
  /** Send the refresh token once more, under a new intent. */
  | "resend"
  /** Replace the record by a tombstone and fail. Send nothing. */
  | "endGrant"
  /** Fail with the tombstone's error. Send nothing. */
  | "failDead";

interface Impossible {
  readonly impossible: string;
}

type Cell = Action | Readonly<Record<LostAnswerPolicy, Action>> | Impossible;

/** The next step, by state and access token. */
const grantStates: Readonly<Record<GrantState, Readonly<Record<TokenState, Cell>>>> = {
  absent: {
    good: { impossible: "without a record there is no token" },
    over: "failNotSignedIn",
  },
  fresh: {
    good: "use",
    over: { impossible: "a token that has ended or was refused is due" },
  },
  soon: {
    good: "useAndRenew",
    over: { impossible: "a token that has ended or was refused is due" },
  },
  due: { good: "renew", over: "renew" },
  inFlight: { good: "use", over: "wait" },
  lost: { good: "use", over: { resend: "resend", signIn: "endGrant" } },
  dead: {
    good: { impossible: "a tombstone holds no token" },
    over: "failDead",
  },
};

/** Looks up the action of a state. */
export const actionFor = (
  state: GrantState,
  token: TokenState,
  policy: LostAnswerPolicy,
): Action => {
  const cell = grantStates[state][token];
  if (typeof cell === "string") return cell;
  if ("impossible" in cell) throw new Error(`${state}, ${token}: ${cell.impossible}`);
  return cell[policy];
};

/** Kinds of responses to a refresh. */
export type AnswerKind = "tokens" | "invalidGrant" | "untouched" | "unanswered";

/** The effect of a response on the intent. */
export type IntentOutcome =
  /** The new tokens replace the record. */
  | "commit"
  /** A tombstone replaces the record. */
  | "bury"
  /** The record of before the intent comes back: the grant was not touched. */
  | "undo"
  /** The intent stays, closed: the server may have used the refresh token. */
  | "close";

/** The effect on the intent, by kind of response. */
export const intentOutcomes: Readonly<Record<AnswerKind, IntentOutcome>> = {
  tokens: "commit",
  invalidGrant: "bury",
  untouched: "undo",
  unanswered: "close",
};

/** Limits that divide the life of an access token, in milliseconds before its end. */
export interface RenewalTimes {
  /** Renew in the background from here on. */
  readonly renewFrom: number;
  /** Callers wait for the renewal from here on. */
  readonly waitFrom: number;
}

/** The caller's circumstances. */
export interface Circumstances {
  /** The OAuth server's clock; the access token's end is read against it. */
  readonly now: number;
  /** The store's clock; the age of an intent is read against it. */
  readonly storeNow: number;
  /** Whether a server refused this access token. */
  readonly isRefused: boolean;
  /** Whether something can be renewed at all: a public client may have no refresh token. */
  readonly isRenewable: boolean;
  readonly times: RenewalTimes;
}

/**
 * Whether the intent's holder has given up. A negative age (a clock set back) counts as given up.
 */
const isOver = (
  { at, patience }: { readonly at: number; readonly patience: number },
  now: number,
) => now < at || now - at >= patience;

/** Whether the access token can be used. */
export const tokenState = (
  tokens: TokenSet | undefined,
  { isRefused, now }: Pick<Circumstances, "isRefused" | "now">,
): TokenState =>
  tokens && !isRefused && (typeof tokens.expiresAt === "string" || now < tokens.expiresAt)
    ? "good"
    : "over";

/** Recognises the state of a record. */
export const grantState = (
  record: GrantRecord | undefined,
  circumstances: Circumstances,
): GrantState => {
  if (record === undefined) return "absent";
  const { dead, intent, tokens } = record;
  if (dead || !tokens) return "dead";
  if (intent)
    return intent.isClosed || isOver(intent, circumstances.storeNow) ? "lost" : "inFlight";
  if (tokenState(tokens, circumstances) === "over") return "due";
  const { expiresAt } = tokens;
  if (typeof expiresAt === "string" || !circumstances.isRenewable) return "fresh";
  const left = expiresAt - circumstances.now;
  if (left <= circumstances.times.waitFrom) return "due";
  return left <= circumstances.times.renewFrom ? "soon" : "fresh";
};
