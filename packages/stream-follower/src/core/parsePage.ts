/**
 * From an inflated body to its envelope and rows. Pure, and the same in every thread.
 */
import { hash } from "node:crypto";
import type { Envelope } from "../Decode.ts";
import { MalformedPage } from "../Errors.ts";
import type { StreamSource } from "../Model.ts";
import { isObject } from "./validateRows.ts";
import { scanNextId } from "./NextIdScanner.ts";
import { split } from "./stashRows.ts";

/** An envelope; `bounds` where the rows are text in the body, see `SplitPage`. */
export interface ParsedPage extends Envelope {
  readonly bounds?: ReadonlyArray<number>;
}

/**
 * Parses a body's JSON text and looks at its envelope. What is no page of the stream is told as an
 * error, not thrown.
 */
export const parsePage = (raw: Uint8Array, source: StreamSource): ParsedPage | MalformedPage => {
  const quick = source === "stashes" ? split(raw) : undefined;
  if (quick !== undefined) return quick;
  let value: unknown;
  try {
    value = JSON.parse(textOf(raw));
  } catch (cause) {
    return malformed(raw, cause instanceof Error ? cause.message : "not JSON");
  }
  if (!isObject(value)) return malformed(raw, "not an object");
  const rows = source === "stashes" ? value["stashes"] : value["markets"];
  if (!Array.isArray(rows)) return malformed(raw, "its list is missing");
  const nextId = idOf(value["next_change_id"], source);
  if (nextId === undefined) return malformed(raw, "next_change_id is missing");
  return { nextId, rows };
};

/** A page that cannot be read, with the next id where its first bytes show one. */
export const malformed = (raw: Uint8Array, detail: string): MalformedPage => {
  const headId = scanNextId(raw);
  return new MalformedPage({ detail, raw, ...(headId === undefined ? {} : { headId }) });
};

/**
 * A Buffer's own decoder is the fastest way to a string; a byte order mark would make JSON.parse
 * fail, so it does.
 */
export const textOf = (raw: Uint8Array): string =>
  Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString("utf8");

const idOf = (value: unknown, source: StreamSource): string | undefined => {
  if (typeof value === "string" && value !== "" && source === "stashes") return value;
  if (source === "exchange" && Number.isSafeInteger(value) && (value as number) >= 0) {
    return String(value);
  }
  return undefined;
};

/** SHA-256 in hexadecimal. */
export const sha256 = (bytes: Uint8Array): string => hash("sha256", bytes, "hex");
