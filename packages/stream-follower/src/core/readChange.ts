/** Reads one change of a logged page: parsed only if its stash is wanted. */
import type { StashChange } from "../Model.ts";
import type { LoggedChange } from "../PageLog.ts";
import { CheckedRow, stashColumns, type WireStash } from "./PageRow.ts";
import { stashError } from "./validateRows.ts";

/** The stash, why it is none, or `undefined` where it is not wanted. */
export const readChange = (
  change: LoggedChange,
  isWanted: (id: string) => boolean,
): StashChange | (LoggedChange & { readonly message: string }) | undefined => {
  const { json } = change;
  // The id stands first in what the service sends, so changes of other shards are not parsed. A
  // change that names two ids belongs to the shard of the first one.
  const first = FIRST_ID.exec(json)?.[1];
  if (first !== undefined && !isWanted(first)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    return { ...change, message: `not JSON: ${(cause as Error).message}` };
  }
  const error = stashError(value, "items");
  if (error !== undefined) return { ...change, message: error };
  const stash = value as WireStash & { readonly items?: unknown };
  if (first === undefined && !isWanted(stash.id)) return undefined;
  const columns = stashColumns(stash, Array.isArray(stash.items) ? stash.items.length : 0);
  return CheckedRow.stash({ text: json, value }, "items", { columns }).stash;
};

const FIRST_ID = /^\{"id":"([^"\\]*)"/u;
