/** Limits on the size of request bodies, by path. */
import { pathOf } from "./messages.ts";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/** The largest body in bytes: forms 64 kB, filters and control 1 MB, snapshots 64 MB. */
export const bodyLimit = (url: string): number => {
  const path = pathOf(url);
  if (path === "/control/restore") return 64 * MEGABYTE;
  if (path.startsWith("/control/") || path.startsWith("/item-filter")) return MEGABYTE;
  return 64 * KILOBYTE;
};

/** Returns the message to a client whose body is over the limit. */
export const tooLarge = (limit: number): string =>
  `The body is too large: at most ${limit} bytes are read.`;
