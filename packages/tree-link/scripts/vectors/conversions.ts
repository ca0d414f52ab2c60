/** Conversions between versions, with what they lose. */
import type { TreeLink } from "@game-data/tree-link";
import { EMPTY4, EMPTY5, EMPTY6, padded, some, someMasteries, streamOf } from "./bytes.ts";

interface ConversionCase {
  readonly id: string;
  readonly why: string;
  readonly from: string;
  readonly to: 4 | 5 | 6;
  /** Payload of the converted link. */
  readonly payload: string;
  readonly lost: ReadonlyArray<{ readonly field: string; readonly count: number }>;
}

const conversion = (
  id: string,
  why: string,
  [from, to]: readonly [TreeLink, TreeLink],
  lost: ConversionCase["lost"] = [],
): ConversionCase => ({
  id,
  why,
  from: padded(streamOf(from)),
  to: to.version,
  payload: padded(streamOf(to)),
  lost,
});

const common = { class: 3, ascendancy: 2 };
const EMPTY = [EMPTY4, EMPTY5, EMPTY6];

const whole = (count: number): ReadonlyArray<ConversionCase> => {
  const links = EMPTY.map((empty): TreeLink => ({ ...empty, ...common, hashes: some(count) }));
  return links.flatMap((from) =>
    links.map((to) =>
      conversion(
        `${from.version}-to-${to.version}-${count}`,
        `${count} hashes fit every version: nothing is lost.`,
        [from, to],
      ),
    ),
  );
};

const cut = (count: number): ReadonlyArray<ConversionCase> =>
  [EMPTY5, EMPTY6].map((to) =>
    conversion(
      `4-to-${to.version}-${count}`,
      "A count of one byte ends at 255: the rest is lost.",
      [
        { ...EMPTY4, ...common, hashes: some(count) },
        { ...to, ...common, hashes: some(count).slice(0, 255) },
      ],
      [{ field: "hashes", count: count - 255 }],
    ),
  );

const fullscreens = [EMPTY5, EMPTY6].map((to) =>
  conversion(
    `fullscreen-to-${to.version}`,
    "Only version 4 has a fullscreen byte.",
    [
      { ...EMPTY4, ...common, fullscreen: 1 },
      { ...to, ...common },
    ],
    [{ field: "fullscreen", count: 1 }],
  ),
);

const narrow = (ascendancy: number): ReadonlyArray<ConversionCase> =>
  [EMPTY4, EMPTY5].map((from) =>
    conversion(
      `ascendancy-${ascendancy}-from-${from.version}`,
      `Version 6 has two bits for the ascendancy: ${ascendancy} becomes ${ascendancy & 3}.`,
      [
        { ...from, class: 3, ascendancy },
        { ...EMPTY6, class: 3, ascendancy: ascendancy & 3 },
      ],
      [{ field: "ascendancy", count: 1 }],
    ),
  );

const alternates = (alternateAscendancy: number): ReadonlyArray<ConversionCase> =>
  [EMPTY4, EMPTY5].map((to) =>
    conversion(
      `alternate-${alternateAscendancy}-to-${to.version}`,
      "Older versions have no second ascendancy.",
      [
        { ...EMPTY6, ...common, alternateAscendancy },
        { ...to, ...common },
      ],
      [{ field: "alternateAscendancy", count: 1 }],
    ),
  );

const lists = (count: number): ReadonlyArray<ConversionCase> => [
  ...[EMPTY5, EMPTY6].map((from) =>
    conversion(
      `extended-${count}-from-${from.version}`,
      "Version 4 has no cluster-jewel hashes.",
      [
        { ...from, ...common, extendedHashes: some(count) },
        { ...EMPTY4, ...common },
      ],
      [{ field: "extendedHashes", count }],
    ),
  ),
  ...[EMPTY4, EMPTY5].map((to) =>
    conversion(
      `masteries-${count}-to-${to.version}`,
      "Only version 6 has mastery effects.",
      [
        { ...EMPTY6, ...common, masteries: someMasteries(count) },
        { ...to, ...common },
      ],
      [{ field: "masteries", count }],
    ),
  ),
];

/** All conversion cases. */
export const conversions = (): ReadonlyArray<ConversionCase> => [
  ...[0, 1, 2, 100, 255].flatMap(whole),
  ...[256, 257, 300].flatMap(cut),
  ...fullscreens,
  ...[4, 27, 255].flatMap(narrow),
  ...[1, 3, 63].flatMap(alternates),
  ...[1, 2, 255].flatMap(lists),
];
