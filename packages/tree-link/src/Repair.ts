/**
 * Offers for a refused payload: what it would be if one thing about it were otherwise. The offers
 * are guesses for people to choose from; a program that needs a link uses `decode`.
 */
import { decode } from "./Decode.ts";
import { encode } from "./Encode.ts";
import type { TreeLinkError } from "./Errors.ts";
import { bytesOf, textOf, wholeBytes } from "./internal/Base64Url.ts";
import { fieldsOf } from "./internal/fields.ts";

/** A payload that `decode` accepts, and what was changed to get it. */
export interface Repair {
  /** A sentence without its full stop, such as `clears the unused bits of the last character`. */
  readonly note: string;
  readonly payload: string;
}

/** No version 5 or 6 link is longer. */
const MAX_LENGTH = 10_000;

/**
 * Offers at most two repairs of a refused payload, the likeliest first: its padding or tail bits,
 * its end, a count. Returns none for a payload that `decode` accepts, or where there is none.
 */
export const repair = (payload: string): ReadonlyArray<Repair> => {
  if (typeof payload !== "string" || payload.length > MAX_LENGTH) return [];
  if (errorOf(() => decode(payload)) === undefined) return [];
  const { notes, text } = repairText(payload);
  const bytes = [...bytesOf(text)];
  const error = errorOf(() => decode(text));
  const changes = error === undefined ? [{ note: "", bytes }] : repairBytes(bytes, error);
  return changes.flatMap(({ bytes: repaired, note }) => {
    const whole = textOf(repaired);
    if (errorOf(() => decode(whole)) !== undefined) return [];
    const canonical = encode(decode(whole));
    return [{ note: [...notes, note].filter(Boolean).join(", "), payload: canonical }];
  });
};

const errorOf = (run: () => unknown): TreeLinkError | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as TreeLinkError;
  }
};

/** The text as canonical base64url without padding, and what that took. */
const repairText = (payload: string): { text: string; notes: ReadonlyArray<string> } => {
  const notes: Array<string> = [];
  const change = (text: string, next: string, note: string): string => {
    if (next !== text) notes.push(note);
    return next;
  };
  let text = payload.replaceAll("+", "-").replaceAll("/", "_");
  if (text !== payload) notes.push("writes + and / as - and _");
  const body = text.replace(/(?<!=)=+$/u, "");
  const padded = body.padEnd(Math.ceil(body.length / 4) * 4, "=");
  const isWhole = /^[\w-]*$/u.test(body) && body.length % 4 !== 1;
  if (isWhole && text !== body && text !== padded) notes.push("sets the padding");
  text = change(body, body.replace(/[^\w-]/gu, ""), "leaves out what is no base64url");
  return { text: change(text, wholeBytes(text), tailNote(text)), notes };
};

const tailNote = (text: string): string =>
  text.length % 4 === 1
    ? "leaves out the last character"
    : "clears the unused bits of the last character";

interface Change {
  readonly note: string;
  readonly bytes: ReadonlyArray<number>;
}

const repairBytes = (bytes: ReadonlyArray<number>, error: TreeLinkError): ReadonlyArray<Change> => {
  const { offset, reason } = error;
  const rest = bytes.length - offset;
  switch (reason) {
    case "invalid-fullscreen":
      return [0, 1].map((value) => ({
        note: `sets fullscreen to ${value}`,
        bytes: bytes.with(6, value),
      }));
    case "odd-tail":
      return [{ note: "cuts off half a hash", bytes: bytes.slice(0, -1) }];
    case "truncated":
      return cutLists(bytes);
    case "trailing-bytes": {
      const cut = {
        note: `cuts off ${rest} ${rest === 1 ? "byte" : "bytes"} at the end`,
        bytes: bytes.slice(0, offset),
      };
      return [cut, longerList(bytes, rest)];
    }
    default:
      return [];
  }
};

/** Sets the count of the list that is cut off to what is there; the lists behind it are empty. */
const cutLists = (bytes: ReadonlyArray<number>): ReadonlyArray<Change> => {
  const fields = fieldsOf(Uint8Array.from(bytes));
  const count = fields.findLast(({ name }) => name === "count");
  const lists = bytes[3] === 5 ? 2 : 3;
  if (bytes[3] === 4) return [];
  if (count === undefined)
    return [{ note: "ends the link without nodes", bytes: [...bytes, ...new Uint8Array(lists)] }];
  const { bytes: place, group } = count;
  const width = group === "masteries" ? 4 : 2;
  const isWhole = bytes.length >= place.end + count.value * width;
  const there = isWhole ? count.value : Math.floor((bytes.length - place.end) / width);
  const behind = lists - fields.filter(({ name }) => name === "count").length;
  const note = isWhole
    ? `ends the link behind ${group}`
    : `sets the count of ${group} from ${count.value} to ${there}`;
  const kept = bytes.with(place.start, there).slice(0, place.end + there * width);
  return [{ note, bytes: [...kept, ...new Uint8Array(behind)] }];
};

/** Raises the count of the last list. It stays refused unless that makes whole entries of the rest. */
const longerList = (bytes: ReadonlyArray<number>, rest: number): Change => {
  const count = fieldsOf(Uint8Array.from(bytes)).findLast(({ name }) => name === "count")!;
  const raised = count.value + rest / (count.group === "masteries" ? 4 : 2);
  const note = `sets the count of ${count.group} from ${count.value} to ${raised}`;
  return { note, bytes: bytes.with(count.bytes.start, raised) };
};
