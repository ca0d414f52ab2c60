/** Faults in reading the text. */
import { type Fault, faultsOf, SKIP, STOP, type Switches } from "./plainCodec.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const text = (change: (text: string) => string): Switches => ({ text: change });
const mapped = (from: string, to: number | string): Switches => ({
  sextet: (unit) =>
    from.includes(unit) ? (typeof to === "number" ? to : ALPHABET.indexOf(to)) : undefined,
});
const ifOnly = (pattern: RegExp, value: number): Switches => ({
  sextet: (unit) => (pattern.test(unit) ? value : undefined),
});

const attempt = (decode: (text: string) => string): Switches =>
  text((value) => {
    try {
      return decode(value);
    } catch {
      return value;
    }
  });

const white = faultsOf("white", {
  "trims the text": text((t) => t.trim()),
  "trims the start": text((t) => t.trimStart()),
  "trims the end": text((t) => t.trimEnd()),
  "trims ASCII spaces alone": text((t) => t.replace(/^ +| +$/gu, "")),
  "drops a final line feed": text((t) => t.replace(/\n$/u, "")),
  "drops a final CR LF": text((t) => t.replace(/\r\n$/u, "")),
  "drops final line breaks": text((t) => t.replace(/[\r\n]+$/u, "")),
  "drops white space anywhere": text((t) => t.replace(/\s/gu, "")),
  "drops ASCII white space anywhere": text((t) => t.replace(/[ \t\n\r\f]/gu, "")),
  "skips spaces": ifOnly(/^ $/u, SKIP),
  "skips tabs": ifOnly(/^\t$/u, SKIP),
  "skips line feeds": ifOnly(/^\n$/u, SKIP),
  "skips carriage returns": ifOnly(/^\r$/u, SKIP),
  "skips form feeds": ifOnly(/^\f$/u, SKIP),
  "skips vertical tabs": ifOnly(/^\v$/u, SKIP),
  "skips no-break spaces": ifOnly(/^\u00a0$/u, SKIP),
  "skips line separators": ifOnly(/^[\u2028\u2029]$/u, SKIP),
  "skips ideographic spaces": ifOnly(/^\u3000$/u, SKIP),
  "skips the next-line character": ifOnly(/^\u0085$/u, SKIP),
  "stops at a space": ifOnly(/^ $/u, STOP),
  "stops at a line feed": ifOnly(/^\n$/u, STOP),
  "reads a space as +": mapped(" ", "-"),
  "takes the first word": text((t) => t.trim().split(/\s/u)[0] ?? ""),
  "takes the first line": text((t) => t.split("\n")[0]!),
});

const invisible = faultsOf("invisible", {
  "drops a byte order mark": text((t) => t.replace(/^\ufeff/u, "")),
  "skips byte order marks": ifOnly(/^\ufeff$/u, SKIP),
  "skips zero-width spaces": ifOnly(/^\u200b$/u, SKIP),
  "skips joiners": ifOnly(/^(?:\u200c|\u200d|\u2060)$/u, SKIP),
  "skips soft hyphens": ifOnly(/^\u00ad$/u, SKIP),
  "skips direction marks": ifOnly(/^[\u200e\u200f]$/u, SKIP),
  // oxlint-disable-next-line no-control-regex
  "skips control characters": ifOnly(/^[\u0001-\u001f\u007f]$/u, SKIP),
});

const stop = faultsOf("stop", {
  "stops at NUL": ifOnly(/^\0$/u, STOP),
  "skips NUL": ifOnly(/^\0$/u, SKIP),
  "reads NUL as A": mapped("\0", "A"),
  "drops NULs at the end": text((t) => t.replace(/\0+$/u, "")),
  "stops at an inner =": ifOnly(/^=$/u, STOP),
  "skips an inner =": ifOnly(/^=$/u, SKIP),
  "reads an inner = as A": mapped("=", "A"),
  "stops at #": text((t) => t.split("#")[0]!),
  "stops at ?": text((t) => t.split("?")[0]!),
  "stops at &": text((t) => t.split("&")[0]!),
  "stops at any foreign character": ifOnly(/^[^\w-]$/u, STOP),
  "stops at a comma": ifOnly(/^,$/u, STOP),
  "drops quotes around": text((t) => t.replace(/^["']|["']$/gu, "")),
  "drops angle brackets": text((t) => t.replace(/^<|>$/gu, "")),
  "drops a dot at the end": text((t) => t.replace(/[.,;]$/u, "")),
});

const alphabet = faultsOf("alphabet", {
  "reads + as -": mapped("+", "-"),
  "reads / as _": mapped("/", "_"),
  "reads + and /": { sextet: (unit) => (unit === "+" ? 62 : unit === "/" ? 63 : undefined) },
  "has the standard alphabet": {
    sextet: (unit) =>
      unit === "+" ? 62 : unit === "/" ? 63 : "-_".includes(unit) ? -1 : undefined,
  },
  "knows no -": mapped("-", -1),
  "knows no _": mapped("_", -1),
  "exchanges - and _": { sextet: (unit) => (unit === "-" ? 63 : unit === "_" ? 62 : undefined) },
  "reads . as -": mapped(".", "-"),
  "reads ~ as _": mapped("~", "_"),
  "reads , as _": mapped(",", "_"),
  "reads : as -": mapped(":", "-"),
  "skips foreign characters": ifOnly(/^[^\w-]$/u, SKIP),
  "skips ASCII outside the alphabet": ifOnly(/^[!-*.:-@[-^`{-~]$/u, SKIP),
  "reads foreign characters as A": ifOnly(/^[^\w-]$/u, 0),
  "reads foreign characters as _": ifOnly(/^[^\w-]$/u, 63),
  "reads foreign characters as -1 & 63 at 64": ifOnly(/^[@[`{]$/u, 63),
  "digits begin with 0 at 53": {
    sextet: (unit) => (/\d/u.test(unit) ? 53 + Number(unit) : undefined),
  },
  "exchanges the cases": {
    sextet: (unit) =>
      /[a-z]/iu.test(unit) && unit < "\x7f"
        ? ALPHABET.indexOf(unit < "a" ? unit.toLowerCase() : unit.toUpperCase())
        : undefined,
  },
  "ignores the case": {
    sextet: (unit) => (/[a-z]/u.test(unit) ? ALPHABET.indexOf(unit.toUpperCase()) : undefined),
  },
  "checks no character after the eighth": {
    sextet: (unit, at) => (at > 8 && !ALPHABET.includes(unit) ? 0 : undefined),
  },
  "checks no first character": {
    sextet: (unit, at) => (at === 0 && !ALPHABET.includes(unit) ? 0 : undefined),
  },
  "checks no last character": {
    sextet: (unit, at, t) =>
      at === t.replace(/=+$/u, "").length - 1 && !ALPHABET.includes(unit) ? 0 : undefined,
  },
  "skips backslashes": ifOnly(/^\\$/u, SKIP),
  "skips backticks": ifOnly(/^`$/u, SKIP),
  "skips asterisks": ifOnly(/^\*$/u, SKIP),
  "skips dots": ifOnly(/^\.$/u, SKIP),
});

const masked = (bits: number): Switches => ({
  sextet: (unit) => ALPHABET.indexOf(String.fromCharCode(unit.charCodeAt(0) & bits)),
});

const unicode = faultsOf("unicode", {
  "reads the low seven bits of a code unit": masked(0x7f),
  "reads the low byte of a code unit": masked(0xff),
  "normalizes compatibility characters": text((t) => t.normalize("NFKC")),
  "folds full-width letters": text((t) =>
    t.replace(/[\uff01-\uff5e]/gu, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0)),
  ),
  "composes characters": text((t) => t.normalize("NFKD").replace(/[\u0300-\u036f]/gu, "")),
  "drops what is not ASCII": text((t) => t.replace(/[^\0-\x7f]/gu, "")),
  "skips lone surrogates": ifOnly(/^[\ud800-\udfff]$/, SKIP),
  "reads letters of any script as A": ifOnly(/^[^\0-\x7f]$/u, 0),
  "reads digits of other scripts": text((t) =>
    t.replace(/[\u0660-\u0669\u0966-\u096f]/gu, (c) => String((c.charCodeAt(0) & 15) % 10)),
  ),
  "reads dashes as hyphens": text((t) => t.replace(/[\u2010-\u2015\u2212\ufe58\uff0d]/gu, "-")),
  "reads an undertie as _": text((t) => t.replace(/[\u203f\uff3f]/gu, "_")),
  "matches letters by a regular expression that folds case": text((t) =>
    t.replace(/[\u017f\u212a]/gu, (c) => (c === "\u212a" ? "K" : "s")),
  ),
  "reads look-alikes": text((t) => t.replace(/\u0410|\u0391/gu, "A")),
  "reads Latin-1 as ASCII": text((t) =>
    t.replace(/[\u0080-\u00ff]/gu, (c) => String.fromCharCode(c.charCodeAt(0) & 0x7f)),
  ),
});

const url = faultsOf("url", {
  "takes the last segment": text((t) => t.split("/").at(-1)!),
  "takes the last segment that is not empty": text((t) => t.split("/").findLast(Boolean) ?? ""),
  "drops a query": text((t) => t.replace(/\?.*$/su, "")),
  "drops a fragment": text((t) => t.replace(/#.*$/su, "")),
  "takes what follows #": text((t) => t.split("#").at(-1)!),
  "takes what follows =": text((t) => t.replace(/^\w=/u, "")),
  "drops a slash at the end": text((t) => t.replace(/\/$/u, "")),
  "drops a slash at the start": text((t) => t.replace(/^\//u, "")),
  "undoes percent-encoding": attempt(decodeURIComponent),
  "undoes percent-encoding twice": attempt((t) => decodeURIComponent(decodeURIComponent(t))),
  "reads %3D as =": text((t) => t.replaceAll("%3D", "=")),
  "drops data:": text((t) => t.replace(/^data:[^,]*,/u, "")),
  "drops a game version": text((t) => t.replace(/^\d+\.\d+\.\d+\//u, "")),
});

const anyEnd = (isFitting: (padding: string, body: string) => boolean): Switches => ({
  padding: isFitting,
});

const padding = faultsOf("padding", {
  "accepts any padding": anyEnd(() => true),
  "accepts up to two = anywhere": anyEnd((p) => p.length < 3),
  "accepts one = for two": anyEnd((p, b) => p.length < 3 && p.length <= (4 - (b.length % 4)) % 4),
  "accepts two = for one": anyEnd((p, b) => p.length < 3 && (p === "" || b.length % 4 > 1)),
  "accepts one = too many": anyEnd(
    (p, b) => p === "" || [0, 1].includes((b.length + p.length) % 4),
  ),
  "accepts three =": anyEnd(
    (p, b) => p.length <= 3 && (p === "" || (b.length + p.length) % 4 === 0 || p.length === 3),
  ),
  "accepts four =": anyEnd((p, b) => p === "" || (b.length + p.length) % 4 === 0),
  "accepts a = after whole groups": anyEnd((p, b) =>
    b.length % 4 === 0 ? p.length < 3 : (b.length + p.length) % 4 === 0 || p === "",
  ),
  "accepts no padding of two": anyEnd(
    (p, b) => p.length < 2 && (p === "" || (b.length + p.length) % 4 === 0),
  ),
  "accepts no padding of one": anyEnd(
    (p, b) => p.length !== 1 && (p === "" || (p.length === 2 && b.length % 4 === 2)),
  ),
  "accepts no padding": anyEnd((p) => p === ""),
  "accepts a dot for =": text((t) => t.replace(/\.{1,2}$/u, (dots) => "=".repeat(dots.length))),
  "accepts full-width =": text((t) => t.replace(/\uff1d/gu, "=")),
  "drops = at the start": text((t) => t.replace(/^=+/u, "")),
  "drops all =": text((t) => t.replaceAll("=", "")),
  "drops a space in the padding": text((t) => t.replace(/= =$/u, "==").replace(/= $/u, "=")),
  "cuts to whole groups": text((t) =>
    t.slice(0, t.length - (t.replace(/=+$/u, "").length % 4 === 1 ? 1 : 0)),
  ),
});

const tail = faultsOf("tail", {
  "ignores tail bits": { tail: (_, width) => width < 6 },
  "ignores tail bits of two characters": {
    tail: (bits, width) => width === 4 || (width < 6 && bits === 0),
  },
  "ignores tail bits of three characters": {
    tail: (bits, width) => width === 2 || (width < 6 && bits === 0),
  },
  "ignores the lowest tail bit": { tail: (bits, width) => width < 6 && bits < 2 },
  "ignores the highest tail bit": { tail: (bits, width) => width < 6 && (bits & 7) === 0 },
  "checks the lowest tail bit alone": { tail: (bits, width) => width < 6 && bits % 2 === 0 },
  "ignores a character too many": { tail: (bits, width) => width === 6 || bits === 0 },
  "ignores an A too many": { tail: (bits) => bits === 0 },
  "wants all tail bits set": {
    tail: (bits, width) => width < 6 && (width === 0 || bits === 2 ** width - 1),
  },
});

const whole = faultsOf("text", {
  "reads an empty text as an empty link": text((t) => t || "AAAABgAAAAAA"),
  "refuses texts above 1,000 characters": text((t) => (t.length > 1_000 ? "" : t)),
  "refuses texts above 4,096 characters": text((t) => (t.length > 4_096 ? "" : t)),
  "refuses texts above 8,192 characters": text((t) => (t.length > 8_192 ? "" : t)),
  "cuts texts at 2,048 characters": text((t) => t.slice(0, 2_048)),
  "refuses the shortest links": text((t) => (t.length < 16 ? "" : t)),
  "fills a text up with A": text((t) =>
    t.endsWith("=") ? t : t.padEnd(Math.ceil(t.length / 4) * 4, "A"),
  ),
  "cuts a text to a multiple of four": text((t) => t.slice(0, t.length & ~3)),
});

export const textFaults: ReadonlyArray<Fault> = [
  ...white,
  ...invisible,
  ...stop,
  ...alphabet,
  ...unicode,
  ...url,
  ...padding,
  ...tail,
  ...whole,
];
