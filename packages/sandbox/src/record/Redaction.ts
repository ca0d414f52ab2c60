/**
 * Redacts bodies of the data API: every string by the class of its member, keyed by a secret that
 * is thrown away with the recorder. One person stays one person within a recording and cannot be
 * joined to another recording, or to the service.
 */
import { createHmac, randomBytes } from "node:crypto";
import { classOf, type StringClass } from "./stringClasses.ts";

/** A body after redaction. */
export interface Redacted {
  readonly text: string;
  /** Number of strings of each class that were replaced. */
  readonly counts: Readonly<Record<Exclude<StringClass, "word">, number>>;
}

/** The reason for which a body is not recorded. */
export interface NotRedactable {
  readonly reason: string;
}

/** A note that is a price and nothing else. */
const PRICE = /^~(?:price|b\/o|gb\/o|c\/o|skip) \d+(?:[./]\d+)? [a-z-]{1,40}$/u;

/** The end of a private league's name, which a person has chosen. */
const PRIVATE_LEAGUE = /\(PL(\d+)\)$/u;

/** Digits outside of strings that JavaScript's numbers cannot hold. */
const LARGE_NUMBER = /(?:^|[[,:\s])-?\d{16,}/u;
/** Also one that does not end: it is no start for others. */
const STRINGS = /"(?:[^"\\]|\\.)*"?/gsu;

/** Originals shorter than this occur by chance. */
const LEAST_LEAK = 5;

/** Redacts the bodies of one recording. */
export class Redaction {
  readonly #key = randomBytes(32);

  /** The same value for the same id, of its length and form. */
  id(value: string): string {
    let digits = "";
    let round = 0;
    return Array.from(value, (character) => {
      if (digits === "") digits = this.#digest(`id ${round++} ${value}`);
      const number = Number.parseInt(digits.slice(0, 2), 16);
      if (!/[0-9a-zA-Z]/u.test(character)) return character;
      digits = digits.slice(2);
      if (/\d/u.test(character)) return String(number % 10);
      const isHex = /^[\da-f-]+$/iu.test(value);
      const letter = String.fromCharCode(97 + (number % (isHex ? 6 : 26)));
      return /[A-Z]/u.test(character) ? letter.toUpperCase() : letter;
    }).join("");
  }

  /** A pseudonym; the number behind `#` keeps its length. */
  person(value: string): string {
    const [name = "", tag] = value.split("#");
    const digest = this.#digest(`person ${value}`);
    const letters = Array.from(digest.slice(0, 16).matchAll(/../gu), ([pair]) =>
      String.fromCharCode(97 + (Number.parseInt(pair, 16) % 26)),
    ).join("");
    const pseudonym = `P${letters}`.slice(0, Math.max(4, Math.min(9, name.length)));
    return tag === undefined ? pseudonym : `${pseudonym}#${this.id(tag)}`;
  }

  /** A JSON body without ids, persons and free texts. */
  body(text: string): Redacted | NotRedactable {
    if (LARGE_NUMBER.test(text.replaceAll(STRINGS, '""')))
      return { reason: "it holds a number that would lose digits" };
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { reason: "it is no JSON" };
    }
    const counts = { id: 0, person: 0, text: 0 };
    const originals = new Set<string>();
    const replaced = (kind: StringClass, string: string): string => {
      const league = PRIVATE_LEAGUE.exec(string)?.[1];
      if (league !== undefined && kind !== "text") {
        counts.person += 1;
        originals.add(string);
        return `Private league (PL${this.id(league)})`;
      }
      if (kind === "word" || string === "") return string;
      if (kind === "text" && PRICE.test(string)) return string;
      counts[kind] += 1;
      if (kind !== "text" && string.length >= LEAST_LEAK) originals.add(string);
      if (kind === "id") return this.id(string);
      return kind === "person" ? this.person(string) : "";
    };
    const walk = (node: unknown, kind: StringClass, parent: string): unknown => {
      if (typeof node === "string") return replaced(kind, node);
      if (Array.isArray(node)) return node.map((item) => walk(item, kind, parent));
      if (typeof node !== "object" || node === null) return node;
      const owner = node as Readonly<Record<string, unknown>>;
      return Object.fromEntries(
        Object.entries(owner).map(([name, member]) => [
          name,
          walk(member, classOf(name, owner, parent), name),
        ]),
      );
    };
    const redacted = JSON.stringify(walk(value, "text", ""));
    // A value that was replaced in one place must not occur in another.
    for (const original of originals)
      if (redacted.includes(JSON.stringify(original).slice(1, -1)))
        return { reason: "an id or a name of it occurs in a member that is kept" };
    return { text: redacted, counts };
  }

  #digest(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("hex");
  }
}
