/** The server of a shared store: each of its functions is one atomic round trip. */
import type { Reading } from "../core/Log.ts";
import type { Claim } from "../core/opening.ts";

/** One window of one policy, for one identity or for all. */
export interface SharedWindow {
  readonly policy: string;
  readonly key: string;
  readonly scope: string;
  /** Requests whose responses came earlier do not matter any more. */
  readonly since: number;
}

/** A request of any process. */
export interface SharedHit {
  readonly id: string;
  readonly sent: number;
  /** `Infinity` in flight. */
  readonly received: number;
  readonly lostAt: number;
}

/** A request has its response, since `received` or now, or was not sent. */
interface SharedOutcome {
  readonly hit: SharedHit;
  readonly isSent: boolean;
  /** What the response told of each window. */
  readonly counts?: ReadonlyArray<number | undefined> | undefined;
}

/** A reply of the server. */
export interface SharedReply {
  /** The server's time. */
  readonly now: number;
  readonly granted: boolean;
  /** After a loss of data nothing is granted before. */
  readonly opensAt: number;
  /** For each window all hits of all processes. */
  readonly hits: ReadonlyArray<ReadonlyArray<SharedHit>>;
  /** For each window the count that a response told last. */
  readonly readings: ReadonlyArray<Reading | undefined>;
  /** The knowledge of other processes, if it has changed, and its version. */
  readonly knowledge: string | undefined;
  readonly version: number;
  /** The server lost its data: tell it what is known. */
  readonly isEmpty: boolean;
}

/** The server of a shared store. Each function is one atomic round trip. */
export interface SharedServer {
  /** Adds a request to all windows if each has room for it. */
  readonly reserve: (
    key: string,
    version: number,
    request: { readonly id: string; readonly lease: number },
    windows: ReadonlyArray<SharedWindow & Claim>,
  ) => Promise<SharedReply>;
  /** Tells an outcome. Without a request it only asks for the hits. */
  readonly settle: (
    key: string,
    version: number,
    request: SharedOutcome | undefined,
    windows: ReadonlyArray<SharedWindow>,
  ) => Promise<SharedReply>;
  /** Replaces what is known, unless it is not of this version any more. */
  readonly publish: (key: string, version: number, knowledge: string) => Promise<SharedReply>;
  /** Adds hits that the server does not have. */
  readonly restore: (
    key: string,
    windows: ReadonlyArray<SharedWindow & { readonly hits: ReadonlyArray<SharedHit> }>,
  ) => Promise<void>;
}
