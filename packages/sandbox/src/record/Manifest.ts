/**
 * The index of a recording, `manifest.json`: a table from requests to answers. The recorder writes
 * it, `--replay` reads it, and both name a request by the parameters that handlers receive.
 */
import type { Parameters } from "../data/parameters.ts";

/** The version of the format. A folder of another one has to be recorded again. */
export const MANIFEST_VERSION = 2;

export const MANIFEST = "manifest.json";

/** An answer of a recording, as the manifest lists it. */
export interface Answer {
  /** The file of the body, below the folder. */
  readonly file: string;
  /** `group.endpoint` in the contract's names. */
  readonly endpoint: string;
  readonly status: number;
  /** Of the file's bytes, in hexadecimal digits. */
  readonly sha256: string;
  /** When it was recorded (ISO 8601). */
  readonly at: string;
  /** Parameters of path and query in neutral words, redacted like the body. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}

/** The content of `manifest.json`. */
export interface Manifest {
  readonly version: typeof MANIFEST_VERSION;
  /** In the order of the requests. Several answers to one request are given in turn. */
  readonly answers: ReadonlyArray<Answer>;
}

/** The name of a request: sorted parameters, without the realm `pc`, which may be left out. */
export const requestName = (endpoint: string, parameters: Parameters): string => {
  const pairs = Object.entries(parameters)
    .filter(([name, value]) => value !== undefined && !(name === "realm" && value === "pc"))
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .toSorted();
  return pairs.length === 0 ? endpoint : `${endpoint}?${pairs.join("&")}`;
};

/** The target of a request, in neutral words. */
interface CaptureQuery {
  /** `group.endpoint`, whatever form the path had. */
  readonly endpoint: string;
  readonly params: Parameters;
  readonly query: Parameters;
}

export interface LeftOut {
  readonly file: string;
  readonly reason: string;
}

/** The bytes of an answer, or that there is none: "world" leaves the answer to the world. */
type Captured = { readonly bytes: Uint8Array } | "unrecorded" | "world";

export interface Recording {
  find(question: CaptureQuery): Captured;
  /** Number of answers that are served. */
  readonly served: number;
  readonly leftOut: ReadonlyArray<LeftOut>;
  /** Requests that were not recorded, with their counts; the first hundred. */
  unrecorded(): Readonly<Record<string, number>>;
}
