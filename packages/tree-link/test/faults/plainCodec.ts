/**
 * A second codec, written from the specification's tables and sharing nothing with the package:
 * slow and obvious. Without switches it is the control that the package is compared with. A switch
 * replaces one of its rules, and makes a faulty codec (`faults.ts`).
 */
import type { Codec, Flag } from "@game-data/tree-link/fuzz";

export const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
export const SKIP = -2;
export const STOP = -3;

export type Link = Record<string, any>;
type Bytes = Array<number>;

/** What a faulty codec does otherwise. Each has the control's rule as its default. */
export interface Switches {
  readonly text?: (text: string) => string;
  /** Value of a code unit: a sextet, -1 to refuse, `SKIP` or `STOP`; `undefined`: as always. */
  readonly sextet?: (unit: string, at: number, text: string) => number | undefined;
  readonly padding?: (padding: string, body: string) => boolean;
  /** Whether the bits that no byte uses may be so. */
  readonly tail?: (bits: number, width: number) => boolean;
  readonly bytes?: (bytes: Bytes) => Bytes;
  readonly version?: (version: number) => number;
  readonly trailing?: (rest: Bytes, version: number) => boolean;
  readonly odd?: boolean;
  readonly fullscreen?: (byte: number) => number | undefined;
  readonly ascendancy?: (byte: number, version: number) => readonly [number, number];
  /** The last word about a link that was read; `undefined` refuses it. */
  readonly link?: (link: Link) => Link | undefined;
  readonly input?: (link: any) => any;
  /** A number to write; `undefined` refuses it. */
  readonly number?: (value: any, max: number, field: string) => number | undefined;
  readonly list?: (value: any, field: string, version: number) => any;
  /** Whether a member of another version may be there. */
  readonly room?: (value: any, field: string, version: number) => boolean;
  readonly writtenCount?: (count: number, field: string) => number | undefined;
  readonly stream?: (bytes: Bytes, link: Link) => Bytes;
}

/** A faulty codec. */
export interface Fault {
  readonly name: string;
  readonly flag: Flag;
  readonly switches: Switches;
}

/** Gives each of some faults, by name, its flag. */
export const faultsOf = (
  flag: Flag,
  all: Readonly<Record<string, Switches>>,
): ReadonlyArray<Fault> =>
  Object.entries(all).map(([name, switches]) => ({ name, flag, switches }));

class Refused extends Error {}
const refuse = (): never => {
  throw new Refused();
};
const unlessRefused = <A>(run: () => A): A | undefined => {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
};

/** The control, or a codec that is faulty in the given ways. */
export const plainCodec = (switches: Switches = {}): Codec => ({
  decode: (payload) => unlessRefused(() => read(readText(payload, switches), switches)) as never,
  encode: (link) => unlessRefused(() => writeText(write(link as Link, switches))),
});

const fits = (padding: string, body: string) =>
  padding === "" || (padding.length < 3 && (body.length + padding.length) % 4 === 0);

const readText = (given: string, s: Switches): Bytes => {
  const text = s.text ? s.text(given) : given;
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === "=") end--;
  if (!(s.padding ?? fits)(text.slice(end), text.slice(0, end))) refuse();
  const bytes: Bytes = [];
  let held = 0;
  let bits = 0;
  for (let i = 0; i < end; i++) {
    const unit = text.charAt(i);
    const value = s.sextet?.(unit, i, text) ?? ALPHABET.indexOf(unit);
    if (value === SKIP) continue;
    if (value === STOP) break;
    if (value < 0) refuse();
    held = (held << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 255);
      held &= (1 << bits) - 1;
    }
  }
  const isClean = s.tail ? s.tail(held, bits) : bits < 6 && held === 0;
  if (!isClean) refuse();
  return s.bytes ? s.bytes(bytes) : bytes;
};

const read = (bytes: Bytes, s: Switches): Link => {
  let at = 0;
  const uint = (width: number): number => {
    if (at + width > bytes.length) refuse();
    let value = 0;
    for (let i = 0; i < width; i++) value = value * 256 + bytes[at++]!;
    return value;
  };
  const raw = uint(4);
  const version = s.version ? s.version(raw) : raw;
  if (![4, 5, 6].includes(version)) refuse();
  const link: Link = { version, class: uint(1) };
  const byte = uint(1);
  const split = s.ascendancy?.(byte, version);
  const [own, second] = split ?? (version === 6 ? [byte % 4, Math.floor(byte / 4)] : [byte, 0]);
  link["ascendancy"] = own;
  if (version === 6) link["alternateAscendancy"] = second;
  const list = <A>(entry: () => A): Array<A> => Array.from({ length: uint(1) }, entry);
  const uint16 = () => uint(2);
  if (version === 4) {
    const fullscreen = uint(1);
    link["fullscreen"] = s.fullscreen
      ? (s.fullscreen(fullscreen) ?? refuse())
      : fullscreen < 2
        ? fullscreen
        : refuse();
    if ((bytes.length - at) % 2 !== 0 && s.odd !== true) refuse();
    link["hashes"] = [];
    while (at + 1 < bytes.length) link["hashes"].push(uint(2));
  } else {
    link["hashes"] = list(uint16);
    link["extendedHashes"] = list(uint16);
    if (version === 6)
      link["masteries"] = list(() => {
        const effect = uint(2);
        return { node: uint(2), effect };
      });
    const rest = bytes.slice(at);
    if (rest.length > 0 && s.trailing?.(rest, version) !== true) refuse();
  }
  return s.link ? (s.link(link) ?? refuse()) : link;
};

const MEMBERS: Record<number, ReadonlyArray<string>> = {
  4: ["fullscreen", "hashes"],
  5: ["hashes", "extendedHashes"],
  6: ["alternateAscendancy", "hashes", "extendedHashes", "masteries"],
};
/** Members that not every version has. */
export const OTHERS = ["alternateAscendancy", "fullscreen", "extendedHashes", "masteries"];

const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);

const write = (given: unknown, s: Switches): Bytes => {
  const link = (s.input ? s.input(given) : given) as Link;
  if (typeof link !== "object" || link === null) return refuse();
  const version = link["version"];
  const members = MEMBERS[version as 4];
  if (typeof version !== "number" || members === undefined) return refuse();
  for (const name of OTHERS)
    if (
      !members.includes(name) &&
      !isEmpty(link[name]) &&
      s.room?.(link[name], name, version) !== true
    )
      refuse();
  const number = (value: unknown, max: number, field: string): number => {
    if (s.number) return s.number(value, max, field) ?? refuse();
    return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max
      ? (value as number)
      : refuse();
  };
  const uint16 = (value: unknown, field: string): Bytes => {
    const sound = number(value, 65_535, field);
    return [(sound >> 8) & 255, sound & 255];
  };
  const entries = (field: string): ReadonlyArray<unknown> => {
    const value = s.list ? s.list(link[field], field, version) : link[field];
    return Array.isArray(value) ? value : refuse();
  };
  const entry = (field: string) => (one: any) =>
    field === "masteries"
      ? [...uint16(one?.effect, field), ...uint16(one?.node, field)]
      : uint16(one, field);
  const counted = (field: string): Bytes => {
    const all = entries(field);
    const limited = all.length <= 255 ? all.length : undefined;
    const count = s.writtenCount ? s.writtenCount(all.length, field) : limited;
    return [(count ?? refuse()) & 255, ...all.flatMap(entry(field))];
  };
  const own = number(link["ascendancy"], version === 6 ? 3 : 255, "ascendancy");
  const second =
    version === 6 ? number(link["alternateAscendancy"] ?? 0, 63, "alternateAscendancy") : 0;
  const head = [0, 0, 0, version, number(link["class"], 255, "class"), (own | (second << 2)) & 255];
  const bytes =
    version === 4
      ? [
          ...head,
          number(link["fullscreen"], 1, "fullscreen"),
          ...entries("hashes").flatMap(entry("hashes")),
        ]
      : [...head, ...members.filter((name) => name !== "alternateAscendancy").flatMap(counted)];
  return s.stream ? s.stream(bytes, link) : bytes;
};

const writeText = (bytes: Bytes): string => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text += ALPHABET.charAt((group >> shift) & 63);
  }
  const surplus = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - surplus) + "=".repeat(surplus);
};

/** Reads one field otherwise, where a link has it. */
export function change(
  field: string,
  to: (value: any, link: Link) => unknown,
): (link: Link) => Link {
  return (link) => (field in link ? { ...link, [field]: to(link[field], link) } : link);
}
