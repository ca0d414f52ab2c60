/**
 * What a row must have at each decode level; the reason why it is set aside where it does not.
 * Pure, and the same in every thread.
 */
import { Market } from "@game-data/schemas/Market";
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import { PublicStashChange } from "@game-data/schemas/PublicStashChange";
import type { DecodeLevel } from "../Decode.ts";

/**
 * An unlisted stash may carry its other members as null, as empty lists or not at all: the table of
 * §2 and the rule of §4.2 disagree, so `id` and `public` are all that is asked of it at any level.
 */
export const stashError = (value: unknown, level: DecodeLevel): string | undefined => {
  if (!isObject(value)) return "a stash that is not an object";
  if (typeof value["id"] !== "string" || value["id"] === "") return "a stash without id";
  if (typeof value["public"] !== "boolean") return "a stash without public";
  if (!value["public"] || level === "envelope") return undefined;
  if (!Array.isArray(value["items"])) return "a listed stash without items";
  return level === "full" ? problemOf(PublicStashChange, value) : undefined;
};

/** The same of a market. */
export const marketError = (value: unknown, level: DecodeLevel): string | undefined => {
  if (!isObject(value)) return "a market that is not an object";
  if (typeof value["league"] !== "string") return "a market without league";
  if (typeof value["market_id"] !== "string") return "a market without market_id";
  return level === "full" ? problemOf(Market, value) : undefined;
};

const problemOf = (record: PlainRecord<unknown>, value: unknown): string | undefined => {
  const result = record.safeDecode(value, { issues: 1 });
  return result.ok ? undefined : result.error.message.slice(0, 500);
};

/** A JSON object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
