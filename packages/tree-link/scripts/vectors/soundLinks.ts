/** Links of all shapes: lengths of lists, numbers at their bounds, orders, headers. */
import type { TreeLink } from "@game-data/tree-link";
import type { Flag } from "@game-data/tree-link/fuzz";
import { EMPTY4, EMPTY5, EMPTY6 } from "./bytes.ts";

const run = (count: number, first = 3, step = 257) =>
  Array.from({ length: count }, (_, i) => (first + i * step) % 65_536);
const pairs = (nodes: ReadonlyArray<number>) =>
  nodes.map((node) => ({ node, effect: 65_535 - node }));

export const SIX = {
  ...EMPTY6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [63_468, 1],
  masteries: [{ node: 4, effect: 47_642 }],
};
export const FIVE = {
  ...EMPTY5,
  class: 2,
  ascendancy: 27,
  hashes: [513],
  extendedHashes: [7, 65_535],
};
export const FOUR = {
  ...EMPTY4,
  class: 1,
  ascendancy: 3,
  fullscreen: 1 as const,
  hashes: [48_879, 0, 2],
};

type Sound = readonly [flag: Flag, family: string, note: string, link: TreeLink];

const shapes = (): ReadonlyArray<Sound> => {
  const few = [0, 1, 2];
  const six = few.flatMap((a) =>
    few.flatMap((b) =>
      few.map((c): Sound => {
        const lists = {
          hashes: run(a),
          extendedHashes: run(b, 9),
          masteries: pairs(run(c, 600)),
        };
        const note = `Version 6 with ${a} hashes, ${b} extended hashes and ${c} masteries.`;
        return ["count", `shape6-${a}${b}${c}`, note, { ...EMPTY6, class: 4, ...lists }];
      }),
    ),
  );
  const five = few.flatMap((a) =>
    few.map((b): Sound => {
      const lists = { hashes: run(a), extendedHashes: run(b, 9) };
      const note = `Version 5 with ${a} hashes and ${b} extended hashes.`;
      return ["count", `shape5-${a}${b}`, note, { ...EMPTY5, class: 5, ...lists }];
    }),
  );
  const four = [0, 1, 2, 3, 4, 5].map((count): Sound => [
    "count",
    `shape4-${count}`,
    `Version 4 with ${count} hashes, which have no count.`,
    { ...EMPTY4, class: 6, hashes: run(count) },
  ]);
  return [...six, ...five, ...four];
};

const COUNTS = [64, 65, 127, 128, 129, 254, 255];

const longLists = (): ReadonlyArray<Sound> => [
  ...COUNTS.flatMap((count): ReadonlyArray<Sound> => {
    const note = (list: string) => `${count} ${list}: around the bounds of a byte and its sign.`;
    return [
      ["long", `6h-${count}`, note("hashes"), { ...EMPTY6, hashes: run(count) }],
      ["long", `6e-${count}`, note("extended hashes"), { ...EMPTY6, extendedHashes: run(count) }],
      ["long", `6m-${count}`, note("masteries"), { ...EMPTY6, masteries: pairs(run(count)) }],
      ["long", `5h-${count}`, note("hashes"), { ...EMPTY5, hashes: run(count) }],
      ["long", `5e-${count}`, note("extended hashes"), { ...EMPTY5, extendedHashes: run(count) }],
    ];
  }),
  ...[127, 255, 256, 257, 700, 2_049, 4_097].map((count): Sound => [
    "long",
    `4h-${count}`,
    `${count} hashes of version 4, which has no count and no limit.`,
    { ...EMPTY4, hashes: run(count) },
  ]),
  [
    "long",
    "full",
    "255 entries in each list.",
    {
      ...EMPTY6,
      hashes: run(255),
      extendedHashes: run(255, 1, 3),
      masteries: pairs(run(255, 2, 5)),
    },
  ],
];

const LISTS: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["Each bit of a uint16", [0, ...Array.from({ length: 16 }, (_, bit) => 2 ** bit), 65_535]],
  ["Bounds of bytes and signs", [255, 256, 257, 4_095, 32_767, 32_768, 65_280, 65_534]],
  ["Descending numbers", [9, 8, 7, 6]],
  ["Numbers that sort otherwise as text", [9, 10, 100, 11, 2]],
  ["Repeated numbers", [7, 7, 3, 7, 0, 0]],
  ["0 alone", [0]],
  ["65535 alone", [65_535]],
  ["A number and its bytes exchanged", [258, 513, 13, 3_328, 10, 2_560]],
];

const valuesAndOrder = (): ReadonlyArray<Sound> => [
  ...LISTS.flatMap(([note, list]): ReadonlyArray<Sound> => [
    [
      "value",
      `5 ${note}`,
      `${note}, in version 5.`,
      { ...EMPTY5, hashes: list, extendedHashes: list },
    ],
    [
      "value",
      `6e ${note}`,
      `${note}, in all lists.`,
      { ...EMPTY6, hashes: list, extendedHashes: list, masteries: pairs(list) },
    ],
    ["value", `4 ${note}`, `${note}, in version 4.`, { ...EMPTY4, hashes: list }],
    [
      "order",
      `n ${note}`,
      `${note}, as nodes of one effect.`,
      { ...EMPTY6, masteries: list.map((node) => ({ node, effect: 5 })) },
    ],
    [
      "order",
      `f ${note}`,
      `${note}, as effects of one node.`,
      { ...EMPTY6, masteries: list.map((effect) => ({ node: 5, effect })) },
    ],
  ]),
  [
    "value",
    "pair of 0",
    "A mastery effect of 0 on node 0, between two others.",
    { ...EMPTY6, masteries: [1, 0, 2].map((number) => ({ node: number, effect: number })) },
  ],
  ...[1, 2, 3, 4].map((step): Sound => {
    const hashes = run(39, step * 7_919, 16_411 * step + 2);
    return ["alphabet", `mix-${step}`, "Bits of all kinds.", { ...EMPTY6, class: step, hashes }];
  }),
];

const headers = (): ReadonlyArray<Sound> => [
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 127, 128, 129, 255].flatMap((value) =>
    [SIX, FIVE, FOUR].map((link): Sound => [
      "header",
      `class-${value}`,
      `Class ${value}: a byte whose values the codec does not know.`,
      { ...link, class: value },
    ]),
  ),
  ...[0, 1, 2, 3, 4, 5, 16, 27, 64, 127, 128, 252, 255].flatMap((value) =>
    [FIVE, FOUR].map((link): Sound => [
      "header",
      `ascendancy-${link.version}-${value}`,
      `Ascendancy ${value}: the whole byte before version 6.`,
      { ...link, ascendancy: value },
    ]),
  ),
  ...[0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 48, 63].flatMap((value) =>
    [0, 1, 2, 3].map((ascendancy): Sound => [
      "header",
      `second-${value}`,
      `Second ascendancy ${value} in the high six bits, ascendancy ${ascendancy} in the low two.`,
      { ...SIX, ascendancy, alternateAscendancy: value },
    ]),
  ),
  ...([0, 1] as const).map((fullscreen): Sound => [
    "fullscreen",
    `fullscreen-${fullscreen}`,
    `Fullscreen ${fullscreen}.`,
    { ...FOUR, fullscreen },
  ]),
];

/** The links, each with the rule and the family that its case has. */
export const soundLinks = (): ReadonlyArray<Sound> => [
  ...shapes(),
  ...longLists(),
  ...valuesAndOrder(),
  ...headers(),
];
