/** Reads one row of a logged page: a change, parsed only if its stash is wanted, or a market. */
import type { MarketHour, StashChange } from "../Model.ts";
import { marketHour, stashChange } from "./PageRow.ts";
import { checkMarket, checkStash } from "./validateRows.ts";

/** One change of a logged page. */
export interface LoggedChange {
  /** Its index in the page. */
  readonly place: number;
  /** The change as JSON text, as the service sent it. */
  readonly json: string;
}

/** A change or market that cannot be read, and why. */
export interface RejectedChange extends LoggedChange {
  readonly message: string;
}

/** The stash, why it is none, or `undefined` where it is not wanted. */
export const readChange = (
  change: LoggedChange,
  isWanted: (id: string) => boolean,
): StashChange | RejectedChange | undefined => {
  const { json } = change;
  // The id stands first in what the service sends, so changes of other shards are not parsed. A
  // change that names two ids belongs to the shard of the first one.
  const first = FIRST_ID.exec(json)?.[1];
  if (first !== undefined && !isWanted(first)) return undefined;
  const parsed = parse(change);
  if ("message" in parsed) return parsed;
  const result = checkStash(parsed.value, "items");
  if ("error" in result) return { ...change, message: result.error };
  if (first === undefined && !isWanted(result.stash.id)) return undefined;
  return stashChange(result.stash, { json, value: parsed.value });
};

const FIRST_ID = /^\{"id":"([^"\\]*)"/u;

/** The market, or why it is none. */
export const readMarket = (change: LoggedChange, hour: number): MarketHour | RejectedChange => {
  const parsed = parse(change);
  if ("message" in parsed) return parsed;
  const result = checkMarket(parsed.value, "items");
  return "error" in result
    ? { ...change, message: result.error }
    : marketHour(hour, result.market, { json: change.json, value: parsed.value });
};

const parse = (change: LoggedChange): { readonly value: unknown } | RejectedChange => {
  try {
    return { value: JSON.parse(change.json) };
  } catch (cause) {
    return { ...change, message: `not JSON: ${(cause as Error).message}` };
  }
};
