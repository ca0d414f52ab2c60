/**
 * Redacts answers of the data API: every string by its path in the record, keyed by a secret that
 * is thrown away with the recorder. One person stays one person within a recording and cannot be
 * joined to another recording, or to the service.
 */
import { bodies } from "@game-data/contract/results";
import { isObject } from "@game-data/schemas/PlainRecord";
import { readPrice } from "@game-data/schemas/price";
import { createHmac, randomBytes } from "node:crypto";
import { type ContractRoute, type RouteName, ROUTES } from "../contract.ts";
import type { Parameters } from "../data/parameters.ts";
import { mapRecord, type Shaped, type ShapeVisitor } from "../internal/mapShape.ts";
import { parameterClasses, type StringClass, stringTable } from "./stringTable.ts";

export interface Redacted {
  readonly value: unknown;
  readonly replaced: number;
}

export interface NotRedactable {
  readonly reason: string;
}

/** Whether a note is a price and nothing else, with the code of a currency and no text of a person. */
const isPrice = (note: string): boolean => /^[a-z-]{1,40}$/u.test(readPrice(note)?.currency ?? "");

/** The end of a private league's name, which a person has chosen. */
const PRIVATE_LEAGUE = /\(PL(\d+)\)$/u;

/** Keys of dictionaries are ids and codes of the game; in any other one a person may stand. */
const GAME_KEY = /^[a-z\d_.|-]{1,80}$/u;

/** Of a version 4 the digits that say so stay. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;

/** What a name begins with, up to where a word ends. */
const WORD = /[\p{L}\p{N}_]+/gu;

/** Originals shorter than this occur by chance. */
const LEAST_LEAK = 5;

export class Redaction {
  readonly #key: Uint8Array;
  /** Names of earlier answers by their first word. */
  readonly #names = new Map<string, Set<string>>();
  /** Whose each pseudonym is. */
  readonly #owners = new Map<string, string>();

  /** The key is a secret; tests give one, so that what occurs by chance does so each time. */
  constructor(key: Uint8Array = randomBytes(32)) {
    this.#key = key;
  }

  /** The same value for the same id, of its length and form. */
  id(value: string): string {
    const made = this.#keyed(value);
    return UUID.test(value)
      ? `${made.slice(0, 14)}4${made.slice(15, 19)}${value[19]}${made.slice(20)}`
      : made;
  }

  #keyed(value: string): string {
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

  /** A pseudonym, which no other name has; the number behind `#` keeps its length. */
  person(value: string): string {
    const [name = "", tag] = value.split("#");
    // Half a surrogate pair is written as its number: a name that differs there has other letters.
    const digest = this.#digest(`person ${JSON.stringify(value)}`);
    const letters = Array.from(digest.matchAll(/../gu), ([pair]) =>
      String.fromCharCode(97 + (Number.parseInt(pair, 16) % 26)),
    ).join("");
    const number = tag === undefined ? "" : `#${this.id(tag)}`;
    let length = Math.max(4, Math.min(9, name.length));
    let pseudonym: string;
    do pseudonym = `P${letters}`.slice(0, length++) + number;
    while ((this.#owners.get(pseudonym) ?? value) !== value);
    this.#owners.set(pseudonym, value);
    return pseudonym;
  }

  /** The parameters of a request: one id or name is the same one there and in the answers. */
  parameters(parameters: Parameters): Parameters {
    return Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => {
        const kind = Object.hasOwn(parameterClasses, name) ? parameterClasses[name]! : "word";
        return [name, typeof value === "string" ? this.#replaced(kind, value) : value];
      }),
    );
  }

  /** The body of an answer 200 in neutral words without ids, persons and free texts. */
  body(endpoint: RouteName, value: unknown): Redacted | NotRedactable {
    let replaced = 0;
    const originals = new Set<string>();
    const visitor: ShapeVisitor<string> = {
      ...PATHS,
      leaf: (leaf, _letters, path) => {
        const kind = stringTable.get(path) ?? "text";
        if (kind === "id" && typeof leaf === "number") {
          replaced += 1;
          return Number(this.id(String(leaf)));
        }
        // Anything may stand here (`a`); its strings are emptied, and its numbers are no ids.
        if (typeof leaf === "object" && leaf !== null) return emptied(leaf);
        if (typeof leaf !== "string") return leaf;
        const after = this.#replaced(kind, leaf);
        if (after === leaf) return leaf;
        replaced += 1;
        if ((kind === "id" || kind === "person") && leaf.length >= LEAST_LEAK) originals.add(leaf);
        if (kind === "person" && leaf.length >= LEAST_LEAK) this.#know(leaf);
        return after;
      },
      isClosed: true,
      key: (key) => (GAME_KEY.test(key) ? key : this.id(key)),
      misfit: (unknown) => {
        replaced += 1;
        return emptied(unknown);
      },
    };
    const copy = mapRecord(recordOf(endpoint), value, visitor, "");
    const text = JSON.stringify(copy);
    // A value that was replaced in one place must not occur in another.
    for (const original of [...originals, ...this.#knownIn(text)])
      if (text.includes(JSON.stringify(original).slice(1, -1)))
        return { reason: "an id or a name of it occurs in a member that is kept" };
    return { value: copy, replaced };
  }

  #know(name: string): void {
    const [first = ""] = name.match(WORD) ?? [];
    this.#names.set(first, (this.#names.get(first) ?? new Set()).add(name));
  }

  /** The names of which a text has the first word. */
  #knownIn(text: string): ReadonlyArray<string> {
    const words = new Set(text.match(WORD));
    return [...words].flatMap((word) => [...(this.#names.get(word) ?? [])]);
  }

  #replaced(kind: StringClass, value: string): string {
    if (value === "") return value;
    const league = PRIVATE_LEAGUE.exec(value)?.[1];
    if (league !== undefined && kind !== "text") return `Private league (PL${this.id(league)})`;
    if (kind === "word" || ((kind === "text" || kind === "tab") && isPrice(value))) return value;
    if (kind === "id") return this.id(value);
    return kind === "text" ? "" : this.person(value);
  }

  #digest(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("hex");
  }
}

/** Contexts are paths: the record's name and the members on the way, without lists. */
const PATHS = {
  record: (record: Shaped) => record.name,
  member: (name: string, path: string) => `${path}.${name}`,
  element: (_key: string | number, path: string) => path,
};

const recordOf = (endpoint: RouteName): Shaped => {
  const { results } = ROUTES[endpoint] as ContractRoute & {
    readonly results: Readonly<Record<string, keyof typeof bodies>>;
  };
  return bodies[results["200"]!] as Shaped;
};

/** What no shape knows: of its strings, numbers and names of members nothing is left. */
const emptied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(emptied);
  if (isObject(value)) return {};
  if (typeof value === "string") return "";
  return typeof value === "number" ? 0 : value;
};
