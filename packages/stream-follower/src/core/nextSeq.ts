/** The number of a page. */
import type { StreamKey } from "../Model.ts";

/** Stash pages are counted; exchange pages carry their hour, unless that would not grow. */
export const nextSeq = (
  key: StreamKey,
  requestedId: string | undefined,
  nextId: string,
  last: bigint,
): bigint => {
  if (key.source === "stashes") return last + 1n;
  const hour = requestedId === undefined ? BigInt(nextId) - 3600n : BigInt(requestedId);
  return hour > last ? hour : last + 1n;
};
