/** How large the body of a request may be, by its path. */
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

/** What a client is told. */
export const tooLarge = (limit: number): string =>
  `The body is too large: at most ${limit} bytes are read.`;
