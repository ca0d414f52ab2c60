/**
 * Rules above all policies: a firewall's block and too many refused requests stop everything.
 */
import type { Refusal } from "../NotLetGo.ts";
import type { LimiterReport } from "../PolicyLimiter.ts";

/** What is known about the house. */
export interface House {
  readonly edgeUntil: number;
  /** Times of 4xx answers, oldest first. */
  readonly invalid: ReadonlyArray<number>;
}

/** How strict the house is; times in milliseconds. */
export interface HouseRules {
  readonly invalidLimit: number;
  readonly invalidPeriod: number;
  readonly edgeCooldown: number;
}

/** Why nobody may go now, if so. */
export const refusalOf = (
  house: House | undefined,
  now: number,
  { invalidLimit, invalidPeriod }: HouseRules,
  policy: string | undefined,
): Refusal | undefined => {
  if (house === undefined) return undefined;
  if (house.edgeUntil > now) return { reason: "edge", retryAt: house.edgeUntil, policy };
  const recent = house.invalid.filter((time) => time + invalidPeriod > now);
  const oldest = recent[recent.length - invalidLimit];
  return oldest === undefined
    ? undefined
    : { reason: "invalid-requests", retryAt: oldest + invalidPeriod, policy };
};

/** Whether an answer is one that the house remembers. */
export const concernsHouse = ({ status, edge }: LimiterReport): boolean =>
  edge === true || (status !== undefined && status >= 400 && status < 500);

/** The house after such an answer. */
export const remember = (
  house: House | undefined,
  now: number,
  { invalidPeriod, edgeCooldown }: HouseRules,
  { edge }: LimiterReport,
): House => ({
  edgeUntil: edge ? now + edgeCooldown : (house?.edgeUntil ?? 0),
  invalid: [...(house?.invalid ?? []), ...(edge ? [] : [now])].filter(
    (time) => time + invalidPeriod > now,
  ),
});
