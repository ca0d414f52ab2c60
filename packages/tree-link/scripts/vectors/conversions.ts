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

/** All conversion cases. */
export const conversions = (): ReadonlyArray<ConversionCase> => {
  const cases: Array<ConversionCase> = [];
  const add = (
    id: string,
    why: string,
    from: TreeLink,
    to: TreeLink,
    lost: ConversionCase["lost"] = [],
  ) =>
    cases.push({
      id,
      why,
      from: padded(streamOf(from)),
      to: to.version,
      payload: padded(streamOf(to)),
      lost,
    });
  const common = { class: 3, ascendancy: 2 };

  for (const count of [0, 1, 2, 100, 255]) {
    const hashes = some(count);
    const [four, five, six] = [
      { ...EMPTY4, ...common, hashes },
      { ...EMPTY5, ...common, hashes },
      { ...EMPTY6, ...common, hashes },
    ] as const;
    for (const from of [four, five, six])
      for (const to of [four, five, six])
        add(
          `${from.version}-to-${to.version}-${count}`,
          `${count} hashes fit every version: nothing is lost.`,
          from,
          to,
        );
  }
  for (const count of [256, 257, 300]) {
    const from = { ...EMPTY4, ...common, hashes: some(count) };
    const lost = [{ field: "hashes", count: count - 255 }];
    const hashes = some(count).slice(0, 255);
    add(
      `4-to-5-${count}`,
      "A count of one byte ends at 255: the rest is lost.",
      from,
      { ...EMPTY5, ...common, hashes },
      lost,
    );
    add(
      `4-to-6-${count}`,
      "A count of one byte ends at 255: the rest is lost.",
      from,
      { ...EMPTY6, ...common, hashes },
      lost,
    );
  }
  for (const to of [EMPTY5, EMPTY6])
    add(
      `fullscreen-to-${to.version}`,
      "Only version 4 has a fullscreen byte.",
      { ...EMPTY4, ...common, fullscreen: 1 },
      { ...to, ...common },
      [{ field: "fullscreen", count: 1 }],
    );
  for (const ascendancy of [4, 27, 255])
    for (const from of [EMPTY4, EMPTY5])
      add(
        `ascendancy-${ascendancy}-from-${from.version}`,
        `Version 6 has two bits for the ascendancy: ${ascendancy} becomes ${ascendancy & 3}.`,
        { ...from, class: 3, ascendancy },
        { ...EMPTY6, class: 3, ascendancy: ascendancy & 3 },
        [{ field: "ascendancy", count: 1 }],
      );
  for (const alternateAscendancy of [1, 3, 63])
    for (const to of [EMPTY4, EMPTY5])
      add(
        `alternate-${alternateAscendancy}-to-${to.version}`,
        "Older versions have no second ascendancy.",
        { ...EMPTY6, ...common, alternateAscendancy },
        { ...to, ...common },
        [{ field: "alternateAscendancy", count: 1 }],
      );
  for (const count of [1, 2, 255]) {
    for (const from of [EMPTY5, EMPTY6])
      add(
        `extended-${count}-from-${from.version}`,
        "Version 4 has no cluster-jewel hashes.",
        { ...from, ...common, extendedHashes: some(count) },
        { ...EMPTY4, ...common },
        [{ field: "extendedHashes", count }],
      );
    for (const to of [EMPTY4, EMPTY5])
      add(
        `masteries-${count}-to-${to.version}`,
        "Only version 6 has mastery effects.",
        { ...EMPTY6, ...common, masteries: someMasteries(count) },
        { ...to, ...common },
        [{ field: "masteries", count }],
      );
  }
  return cases;
};
