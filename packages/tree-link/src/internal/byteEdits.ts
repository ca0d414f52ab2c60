/**
 * Single edits of the bytes of a canonical payload: versions, counts, cuts and surplus. The text
 * stays canonical base64url.
 */
import type { Edit } from "./edits.ts";
import { bytesOf, textOf, wholeBytes } from "./Base64Url.ts";
import type { Flag } from "../Vectors.ts";

const edit = (
  flag: Flag,
  note: string,
  change: (bytes: Array<number>, at: number) => ReadonlyArray<number>,
): Edit => ({
  flag,
  note,
  // Another edit may have left what is no base64url.
  apply: (payload, at) =>
    textOf(change([...bytesOf(wholeBytes(payload.replace(/[^\w-]/gu, "")))], at)),
});

const set = (bytes: ReadonlyArray<number>, at: number, value: number) =>
  at < bytes.length ? bytes.with(at, value & 255) : bytes;

/** Places of the counts; version 4 has the fullscreen byte there. */
const countsOf = (bytes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const extended = 7 + 2 * (bytes[6] ?? 0);
  const masteries = extended + 1 + 2 * (bytes[extended] ?? 0);
  return bytes[3] === 4 ? [6] : bytes[3] === 5 ? [6, extended] : [6, extended, masteries];
};

/** Version bytes around the known ones: each value in each of the four bytes. */
const versions: ReadonlyArray<Edit> = [
  ...[0, 1, 2, 3, 7, 8, 9, 16, 52, 53, 54, 64, 127, 128, 132, 134, 255].map((low) =>
    edit("version", `A version whose low byte is ${low}`, (bytes) => set(bytes, 3, low)),
  ),
  ...[0, 1, 2].flatMap((at) =>
    [1, 2, 6, 16, 128, 255].map((value) =>
      edit("version", `A version whose byte ${at} is ${value}`, (bytes) => set(bytes, at, value)),
    ),
  ),
  edit("version", "A version in little-endian order", (bytes) => [
    ...bytes.slice(0, 4).toReversed(),
    ...bytes.slice(4),
  ]),
  edit("version", "A version of two bytes", (bytes) => bytes.slice(2)),
  edit("version", "A version of one byte", (bytes) => bytes.slice(3)),
  edit("version", "The version of another layout", (bytes) =>
    set(bytes, 3, bytes[3] === 6 ? 5 : bytes[3]! + 1),
  ),
  edit("version", "The version two lower", (bytes) => set(bytes, 3, bytes[3]! - 2)),
];

const fullscreens: ReadonlyArray<Edit> = [0, 1, 2, 3, 4, 16, 127, 128, 129, 254, 255].map((value) =>
  edit("fullscreen", `The seventh byte ${value}`, (bytes) => set(bytes, 6, value)),
);

const counts: ReadonlyArray<Edit> = [
  ["one more", 1],
  ["two more", 2],
  ["one less", -1],
  ["four more", 4],
  ["128 more", 128],
  ["64 more", 64],
].map(([note, more]) =>
  edit("count", `A count with ${note}`, (bytes, at) => {
    const places = countsOf(bytes);
    const place = places[at % places.length]!;
    return set(bytes, place, (bytes[place] ?? 0) + (more as number));
  }),
);

const surplus: ReadonlyArray<Edit> = [
  [0],
  [255],
  [10],
  [0, 0],
  [0, 0, 0],
  [0, 0, 0, 0],
  [1, 2, 3, 4, 5],
  [0, 0, 0, 0, 0, 0, 0, 0],
].map((more) =>
  edit("trailing", `Bytes ${more.join(" ")} behind the last list`, (bytes) => [...bytes, ...more]),
);

const cuts: ReadonlyArray<Edit> = [1, 2, 3, 4, 5].map((less) =>
  edit("truncated", `The last ${less} bytes cut off`, (bytes) => bytes.slice(0, -less)),
);

const single: ReadonlyArray<Edit> = [
  edit("truncated", "Cut off", (bytes, at) => bytes.slice(0, at % bytes.length)),
  edit("truncated", "A byte left out", (bytes, at) => bytes.toSpliced(at % bytes.length, 1)),
  edit("trailing", "A byte inserted", (bytes, at) => bytes.toSpliced(at % bytes.length, 0, at)),
  edit("trailing", "The stream twice", (bytes) => [...bytes, ...bytes]),
  edit("value", "A bit turned", (bytes, at) => {
    const place = at % bytes.length;
    return set(bytes, place, bytes[place]! ^ (1 << (at & 7)));
  }),
  edit("value", "A byte of 255", (bytes, at) => set(bytes, at % bytes.length, 255)),
  edit("value", "A byte of 0", (bytes, at) => set(bytes, at % bytes.length, 0)),
];

/** Edits of the bytes. */
export const BYTE_EDITS: ReadonlyArray<Edit> = [
  ...versions,
  ...fullscreens,
  ...counts,
  ...surplus,
  ...cuts,
  ...single,
];
