/**
 * The seeded accounts: the people who sign in at the sandbox, and who own its applications.
 *
 * Names are fixed; identifiers follow from the seed. What these people own (characters, stashes,
 * leagues) is the world's.
 */
import type { Platform } from "../platform/Platform.ts";

export interface SeededAccount {
  readonly name: string;
  /** UUIDv4 in canonical form. */
  readonly uuid: string;
  /** Language of the account, or null. */
  readonly locale: string | null;
  /** Name of the linked stream, or null if none is linked. */
  readonly livestream: string | null;
}

export class Accounts {
  /** In the order of seeding; the first owns the first seeded client. */
  readonly all: ReadonlyArray<SeededAccount>;

  constructor(seed: number, platform: Platform) {
    this.all = PEOPLE.map(([name, locale, livestream]) => ({
      name,
      uuid: uuidOf(platform.sha256(`${seed}:account:${name}`, "hex")),
      locale,
      livestream,
    }));
  }

  byName(name: string): SeededAccount | undefined {
    return this.all.find((one) => one.name === name);
  }

  byUuid(uuid: string): SeededAccount | undefined {
    return this.all.find((one) => one.uuid === uuid);
  }

  find(text: string): SeededAccount | undefined {
    return this.byName(text) ?? this.byUuid(text);
  }
}

/** Name, locale, linked stream. One name has letters beyond ASCII: clients meet such names. */
const PEOPLE: ReadonlyArray<readonly [string, string | null, string | null]> = [
  ["Emberlyn#4071", "en_US", "emberlyn_live"],
  ["Quillon#1182", "de_DE", null],
  ["Wayfarer#9020", null, null],
  ["Tamsin#3355", "fr_FR", "tamsin_plays"],
  ["Oakhollow#6407", "pt_BR", null],
  ["Łucja#0077", "pl_PL", null],
];

/** A UUIDv4 of a hash: the same text gives the same identifier. */
const uuidOf = (hex: string): string => {
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join("-");
};
