/**
 * The OAuth server's clock, as far as the `Date` header of its responses tells it.
 *
 * The end of an access token is by the server's clock. A client remembers how far that clock is
 * ahead of this machine's. Until it has seen a response, it takes over what the stored tokens say:
 * on one machine with a wrong clock, both are off by the same time.
 */
import type { OAuthClient } from "../OAuthClient.ts";
import type { TokenSet } from "../TokenSet.ts";

/** Less than this is delay, and the header's whole seconds. */
const TOLERANCE_MILLIS = 5_000;

const skews = /*#__PURE__*/ new WeakMap<OAuthClient, number>();

/**
 * Learns from a response how many milliseconds the server's clock is ahead of ours; 0 if it agrees
 * within five seconds. The header must lie between the request and the arrival of the response.
 */
export const learnSkew = (
  client: OAuthClient,
  date: string | undefined,
  { receivedAt, sentAt }: { readonly sentAt: number; readonly receivedAt: number },
): number => {
  const at = Date.parse(date ?? "");
  if (Number.isNaN(at)) return skews.get(client) ?? 0;
  const isAhead = at > receivedAt + TOLERANCE_MILLIS;
  const isBehind = at < sentAt - TOLERANCE_MILLIS;
  const skew = isAhead ? at - receivedAt : isBehind ? at - sentAt : 0;
  skews.set(client, skew);
  return skew;
};

/** Returns the server's time at `now` of this machine, to compare with the end of `tokens`. */
export const serverTime = (
  client: OAuthClient,
  tokens: TokenSet | undefined,
  now: number,
): number => now + (skews.get(client) ?? tokens?.clockSkew ?? 0);
