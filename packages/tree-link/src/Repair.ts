/**
 * Offers payloads that differ from a refused payload in one place. The offers are guesses for people
 * to choose from. A program that needs a link uses `decode`.
 */
import { safeDecode } from "./Decode.ts";
import type { TreeLinkError } from "./Errors.ts";
import { copyBytes, toPaddedText, wholeBytes } from "./internal/base64url.ts";
import { type Field, splitFields } from "./internal/fields.ts";
import { isVersion, versionFields } from "./internal/table.ts";

/** A payload that `decode` accepts, and the changes that made it acceptable. */
export interface Repair {
  /**
   * The changes, with places counted from 0, as a sentence without a full stop, such as `sets the
   * count of hashes (byte 6) from 5 to 2, drops byte 11`.
   */
  readonly note: string;
  readonly payload: string;
}

/** Longest text to repair, in characters. Links with counts are shorter. */
const MAX_LENGTH = 10_000;

/**
 * Offers at most two repairs of a refused payload, likeliest first: of padding, tail bits, the end
 * or a count. Returns none if `decode` accepts the payload, or if no repair is known.
 *
 * @example
 * ```ts
 * import { repair } from "@game-data/tree-link/partial";
 *
 * const [likeliest] = repair("AAAABgMCAghnES0AAboaES0==");
 * console.log(likeliest?.note); // sets the padding to =
 * ```
 */
export const repair = (payload: string): ReadonlyArray<Repair> => {
  if (typeof payload !== "string" || payload.length > MAX_LENGTH) return [];
  if (safeDecode(payload).ok) return [];
  const { notes, text } = repairText(payload);
  const bytes = [...copyBytes(text)];
  const result = safeDecode(text);
  const changes = result.ok ? [{ notes: [], bytes }] : repairBytes(bytes, result.error);
  return changes
    .map((change) => ({
      note: [...notes, ...change.notes].join(", "),
      payload: toPaddedText(change.bytes),
    }))
    .filter((offer) => safeDecode(offer.payload).ok);
};

/** Returns the text as canonical base64url without padding, and notes of the changes. */
const repairText = (payload: string): { text: string; notes: ReadonlyArray<string> } => {
  const notes: Array<string> = [];
  let end = payload.length;
  while (payload[end - 1] === "=") end--;
  const padding = payload.slice(end);
  let text = payload.slice(0, end);
  const change = (next: string, note: string) => {
    if (next !== text) notes.push(note);
    text = next;
  };
  change(text.replaceAll("+", "-"), "writes + as -");
  change(text.replaceAll("/", "_"), "writes / as _");
  const foreign = [...text.matchAll(/[^\w-]/gu)];
  const first = foreign[0]?.index;
  change(
    text.replace(/[^\w-]/gu, ""),
    foreign.length === 1
      ? `leaves out character ${first} (not base64url)`
      : `leaves out ${foreign.length} characters that are not base64url (from ${first})`,
  );
  const isCut = text.length % 4 === 1;
  const what = isCut ? "leaves out" : "clears the unused bits of";
  change(wholeBytes(text), `${what} the last character`);
  const right = "=".repeat(-text.length & 3);
  if (padding !== "" && padding !== right)
    notes.push(right === "" ? "leaves out the padding" : `sets the padding to ${right}`);
  return { text, notes };
};

interface Change {
  readonly notes: ReadonlyArray<string>;
  readonly bytes: ReadonlyArray<number>;
}

const repairBytes = (bytes: ReadonlyArray<number>, error: TreeLinkError): ReadonlyArray<Change> => {
  const { offset, reason } = error;
  const cutAt = (end: number): Change => ({
    notes: [drops(bytes, end)],
    bytes: bytes.slice(0, end),
  });
  switch (reason) {
    case "invalid-fullscreen":
      return [0, 1].map((value) => ({
        notes: [`sets fullscreen (byte 6) from ${bytes[6]} to ${value}`],
        bytes: bytes.with(6, value),
      }));
    case "odd-tail":
      return [cutAt(offset)];
    case "truncated":
      return cutLists(bytes);
    case "trailing-bytes":
      return [cutAt(offset), extendLastList(bytes, bytes.length - offset)];
    default:
      return [];
  }
};

const drops = ({ length }: ReadonlyArray<number>, start: number): string =>
  length - start === 1 ? `drops byte ${start}` : `drops bytes ${start} to ${length - 1}`;

const readCounts = (bytes: ReadonlyArray<number>): ReadonlyArray<Field> =>
  splitFields(Uint8Array.from(bytes)).filter(({ name }) => name === "count");

const setsCount = ({ bytes, group, value }: Field, to: number): string =>
  `sets the count of ${group} (byte ${bytes.start}) from ${value} to ${to}`;

/** Lowers the count of the list that is cut off to its whole entries, and empties later lists. */
const cutLists = (bytes: ReadonlyArray<number>): ReadonlyArray<Change> => {
  const version = bytes[3];
  if (!isVersion(version) || version === 4) return [];
  const lists = versionFields(version).filter((field) => "count" in field);
  const counts = readCounts(bytes);
  const notes: Array<string> = [];
  let kept = bytes;
  const last = counts.at(-1);
  if (last !== undefined) {
    const start = last.bytes.end;
    const width = 2 * lists[counts.length - 1]!.entry.length;
    const count = Math.min(last.value, Math.floor((bytes.length - start) / width));
    const end = start + count * width;
    if (count < last.value) notes.push(setsCount(last, count));
    if (end < bytes.length) notes.push(drops(bytes, end));
    kept = bytes.with(last.bytes.start, count).slice(0, end);
  }
  const missing = lists.slice(counts.length).map(({ name }) => name);
  if (missing.length > 0) notes.push(`appends a count of 0 for ${missing.join(" and ")}`);
  return [{ notes, bytes: [...kept, ...missing.map(() => 0)] }];
};

/** Raises the last count to include the surplus bytes, which may not be whole entries. */
const extendLastList = (bytes: ReadonlyArray<number>, surplus: number): Change => {
  const count = readCounts(bytes).at(-1)!;
  const raised = count.value + surplus / (count.group === "masteries" ? 4 : 2);
  return { notes: [setsCount(count, raised)], bytes: bytes.with(count.bytes.start, raised) };
};
