/**
 * Blocks the whole client after a firewall response or too many 4xx responses.
 */
import type { RequestOutcome } from "../effect/Model.ts";
import type { NotSentReason } from "../effect/RequestNotSent.ts";

/** Why a request is not sent, and when it could be. */
export interface Refusal {
  readonly kind: NotSentReason;
  readonly until: number;
  readonly policy: string | undefined;
}

/** What is known about the block. */
export interface ClientBlock {
  readonly blockedUntil: number;
  /** Times of 4xx answers, oldest first. */
  readonly invalid: ReadonlyArray<number>;
}

/** When the client is blocked; times in milliseconds. */
export interface ClientBlockOptions {
  readonly maxClientErrors: number;
  readonly clientErrorWindow: number;
  readonly firewallCooldown: number;
}

/** Why nothing may be sent now, if so. */
export const blockReason = (
  block: ClientBlock | undefined,
  now: number,
  { maxClientErrors, clientErrorWindow }: ClientBlockOptions,
  policy: string | undefined,
): Refusal | undefined => {
  if (block === undefined) return undefined;
  if (block.blockedUntil > now) return { kind: "firewall", until: block.blockedUntil, policy };
  const recent = block.invalid.filter((time) => time + clientErrorWindow > now);
  const oldest = recent[recent.length - maxClientErrors];
  return oldest === undefined
    ? undefined
    : { kind: "too-many-errors", until: oldest + clientErrorWindow, policy };
};

/** Whether an outcome counts toward the block. */
export const affectsWholeClient = ({ status, isFirewallBlock }: RequestOutcome): boolean =>
  isFirewallBlock === true || (status !== undefined && status >= 400 && status < 500);

/** The block after such an outcome. */
export const recordError = (
  block: ClientBlock | undefined,
  now: number,
  { clientErrorWindow, firewallCooldown }: ClientBlockOptions,
  { isFirewallBlock }: RequestOutcome,
): ClientBlock => ({
  blockedUntil: isFirewallBlock ? now + firewallCooldown : (block?.blockedUntil ?? 0),
  invalid: [...(block?.invalid ?? []), ...(isFirewallBlock ? [] : [now])].filter(
    (time) => time + clientErrorWindow > now,
  ),
});
