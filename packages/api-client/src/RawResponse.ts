/**
 * A response whose body has not been read yet, with authentication, rate limits and typed errors
 * already applied.
 *
 * For bodies too large or too many to decode at once. The connection belongs to the surrounding
 * scope: leaving the scope aborts it. Timeouts of the call end with the headers, so watch the
 * body's progress yourself. `@game-data/api-client/raw` makes streams of the body.
 */
import type { ResponseInfo } from "./CallOptions.ts";
import type { CallInfo } from "./Errors.ts";

/** A response and its bytes. */
export interface RawResponse extends ResponseInfo {
  /**
   * The compression of the bytes: `identity`, `gzip`, … Fetch decompresses by itself, undici does
   * not.
   */
  readonly encoding: string;
  /** The next bytes; `undefined` at the end. Rejects if the connection breaks. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** Most bytes of a compressed body when it is decompressed: the client's option. */
  readonly maxBodyBytes: number;
  /** Releases the connection. */
  readonly abort: () => void;
  /** The facts that errors of the body carry. */
  readonly callInfo: CallInfo;
}
