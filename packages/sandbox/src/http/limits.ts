/** Limits of request bodies, and the answers of adapters to requests that they do not read. */
import { splitUrl } from "./Exchange.ts";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/** The largest body in bytes: forms 64 kB, filters and control 1 MB, snapshots 64 MB. */
export const bodyLimit = (url: string): number => {
  const [path] = splitUrl(url);
  if (path === "/control/restore") return 64 * MEGABYTE;
  if (path.startsWith("/control/") || path.startsWith("/item-filter")) return MEGABYTE;
  return 64 * KILOBYTE;
};

export const tooLarge = (limit: number): string =>
  refusedBody(10, `The body is too large: at most ${limit} bytes are read.`);

/** The body of a refusal, as the control plane and as the data API write it. */
export const refusedBody = (code: number, message: string): string =>
  JSON.stringify({ reason: message, error: { code, message } });
