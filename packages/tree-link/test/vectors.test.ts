/**
 * Vectors written by hand from the specification's tables, every byte spelled out.
 */
import { decode, decodeBytes, encode, encodeBytes, type TreeLink } from "@game-data/tree-link";
import { ALTERNATE_ASCENDANCIES, CLASSES } from "@game-data/tree-link/class-names";
import { describe, expect, it } from "vitest";

const base64Url = (bytes: ReadonlyArray<number>) => {
  const text = Buffer.from(bytes).toString("base64url");
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
};

const agree = (bytes: ReadonlyArray<number>, link: TreeLink) => {
  expect(decodeBytes(Uint8Array.from(bytes))).toEqual(link);
  expect([...encodeBytes(link)]).toEqual(bytes);
  expect(decode(base64Url(bytes))).toEqual(link);
  expect(encode(link)).toBe(base64Url(bytes));
};

const version6 = {
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 0,
  hashes: [],
  extendedHashes: [],
  masteries: [],
} as const satisfies TreeLink;

const counting = (count: number) => Array.from({ length: count }, (_, i) => i * 257);
const uint16s = (values: ReadonlyArray<number>) =>
  values.flatMap((value) => [value >> 8, value & 255]);

describe("the text", () => {
  it("is base64url: `-` and `_` for 62 and 63, and `=` up to a multiple of four [TL-01]", () => {
    const link: TreeLink = { ...version6, hashes: [0xfbef, 0xbeff] };
    expect(encode(link)).toBe("AAAABgMCAvvvvv8AAA==");
    expect(encode({ ...version6, class: 0xff, ascendancy: 3 })).toBe("AAAABv8DAAAA");
    expect(encode({ ...version6, class: 0xff, alternateAscendancy: 63 })).toBe("AAAABv_-AAAA");
    expect(decode("AAAABv_-AAAA")).toEqual({ ...version6, class: 0xff, alternateAscendancy: 63 });
  });

  it("is read with its padding or without, and written with it unless told [NS-35]", () => {
    const link: TreeLink = { ...version6, hashes: [1] };
    expect(encode(link)).toBe("AAAABgMCAQABAAA=");
    expect(encode(link, { padding: false })).toBe("AAAABgMCAQABAAA");
    expect(decode("AAAABgMCAQABAAA=")).toEqual(decode("AAAABgMCAQABAAA"));
  });
});

describe("version 6", () => {
  it("holds version, class, ascendancy and three counted lists in this order, all big-endian [TL-04, NS-15]", () => {
    agree(
      [
        ...[0, 0, 0, 6, 3, 2],
        ...[2, 0x12, 0x34, 0xff, 0x01],
        ...[1, 0x00, 0x0b],
        ...[1, 0xba, 0x1a, 0xa1, 0xc7],
      ],
      {
        ...version6,
        hashes: [0x1234, 0xff01],
        extendedHashes: [11],
        masteries: [{ node: 0xa1c7, effect: 0xba1a }],
      },
    );
  });

  it("puts the effect into the high and the node into the low 16 bits of a mastery pair [TL-08]", () => {
    const pair = 3_122_307_527;
    const { masteries } = decodeBytes(
      Uint8Array.from([0, 0, 0, 6, 0, 0, 0, 0, 1, ...uint16s([pair / 65_536, pair & 0xffff])]),
    ) as Extract<TreeLink, { version: 6 }>;
    expect(masteries).toEqual([{ node: 41_415, effect: 47_642 }]);
    expect(masteries[0]!.effect * 65_536 + masteries[0]!.node).toBe(pair);
  });

  it.each([0, 1, 255])("holds %i hashes behind a count of one byte [TL-05]", (count) => {
    const hashes = counting(count);
    agree([0, 0, 0, 6, 3, 2, count, ...uint16s(hashes), 0, 0], { ...version6, hashes });
  });

  it.each([0, 1, 255])("holds %i extended hashes behind a count of one byte [TL-06]", (count) => {
    const extendedHashes = counting(count);
    agree([0, 0, 0, 6, 3, 2, 0, count, ...uint16s(extendedHashes), 0], {
      ...version6,
      extendedHashes,
    });
  });

  it.each([0, 1, 255])("holds %i mastery effects behind a count of one byte [TL-07]", (count) => {
    const masteries = counting(count).map((node) => ({ node, effect: 65_535 - node }));
    const bytes = masteries.flatMap(({ effect, node }) => uint16s([effect, node]));
    agree([0, 0, 0, 6, 3, 2, 0, 0, count, ...bytes], { ...version6, masteries });
  });

  it("keeps order and duplicates, and hashes of 0 and 65535", () => {
    const hashes = [65_535, 0, 7, 7, 3, 65_535];
    agree([0, 0, 0, 6, 3, 2, 6, ...uint16s(hashes), 0, 0], { ...version6, hashes });
  });

  it("is an atlas tree with class and ascendancy 0 and the last two lists empty [TL-03]", () => {
    const atlas = { ...version6, class: 0, ascendancy: 0 };
    expect(decode("AAAABgAAAAAA")).toEqual(atlas);
    expect(decode("AAAABgAAAfdPAAA=")).toEqual({ ...atlas, hashes: [0xf74f] });
    expect(encode({ ...atlas, hashes: [0xf74f] })).toBe("AAAABgAAAfdPAAA=");
  });
});

describe("version 6.1", () => {
  it("keeps the version field at 6, and links from before it stay what they were [TL-09]", () => {
    const bytes = encodeBytes({ ...version6, alternateAscendancy: 3 });
    expect([...bytes.subarray(0, 4)]).toEqual([0, 0, 0, 6]);
    expect(decode("AAAABgABAAAA")).toEqual({ ...version6, class: 0, ascendancy: 1 });
  });

  it.each([0, 1, 2, 3])(
    "reads ascendancy %i from the low two bits of its byte [TL-10]",
    (ascendancy) => {
      agree([0, 0, 0, 6, 3, ascendancy, 0, 0, 0], { ...version6, ascendancy });
      const link = { ...version6, ascendancy, alternateAscendancy: 63 };
      agree([0, 0, 0, 6, 3, 0b1111_1100 | ascendancy, 0, 0, 0], link);
    },
  );

  it.each([0, 1, 2, 3])(
    "reads second ascendancy %i from the bits above [TL-11]",
    (alternateAscendancy) => {
      agree([0, 0, 0, 6, 3, (alternateAscendancy << 2) | 1, 0, 0, 0], {
        ...version6,
        ascendancy: 1,
        alternateAscendancy,
      });
    },
  );

  it("names the second ascendancies none, Warden, Warlock and Primalist [TL-11]", () => {
    expect(ALTERNATE_ASCENDANCIES).toEqual(["none", "Warden", "Warlock", "Primalist"]);
  });

  it("names the classes in the order of their numbers", () => {
    expect(CLASSES.join(" ")).toBe("scion marauder ranger witch duelist templar shadow");
  });

  it("passes on the values 4 to 63, which have no name [NS-36]", () => {
    for (let alternateAscendancy = 4; alternateAscendancy < 64; alternateAscendancy++)
      agree([0, 0, 0, 6, 3, (alternateAscendancy << 2) | 2, 0, 0, 0], {
        ...version6,
        alternateAscendancy,
      });
  });

  it("takes a link without a second ascendancy as one that has none", () => {
    const { alternateAscendancy: _, ...older } = version6;
    expect(encode(older)).toBe(encode(version6));
  });
});

describe("version 5", () => {
  it("holds two counted lists and no mastery list [TL-12]", () => {
    agree([0, 0, 0, 5, 1, 2, 1, 0x02, 0x01, 2, 0, 1, 0xff, 0xff], {
      version: 5,
      class: 1,
      ascendancy: 2,
      hashes: [0x0201],
      extendedHashes: [1, 0xffff],
    });
  });

  it("keeps the whole ascendancy byte, which 6.1 alone splits", () => {
    const link = {
      version: 5,
      class: 0,
      ascendancy: 0x1b,
      hashes: [],
      extendedHashes: [],
    } as const;
    agree([0, 0, 0, 5, 0, 0x1b, 0, 0], link);
  });

  it.each([0, 255])("holds %i hashes and %i extended hashes [TL-12]", (count) => {
    const hashes = counting(count);
    agree([0, 0, 0, 5, 0, 0, count, ...uint16s(hashes), count, ...uint16s(hashes)], {
      version: 5,
      class: 0,
      ascendancy: 0,
      hashes,
      extendedHashes: hashes,
    });
  });
});

describe("version 4", () => {
  it("holds a fullscreen byte and then hashes [TL-13]", () => {
    agree([0, 0, 0, 4, 6, 3, 0, 0xab, 0xcd, 0x00, 0x01], {
      version: 4,
      class: 6,
      ascendancy: 3,
      fullscreen: 0,
      hashes: [0xabcd, 1],
    });
  });

  it.each([0, 1] as const)("has a fullscreen byte of %i [TL-14]", (fullscreen) => {
    const link = { version: 4, class: 0, ascendancy: 0, fullscreen, hashes: [] } as const;
    agree([0, 0, 0, 4, 0, 0, fullscreen], link);
  });

  it.each([0, 1, 256, 1659, 2100, 65_535])(
    "runs to the end of the stream without a count: %i hashes [TL-15]",
    (count) => {
      const hashes = Array.from({ length: count }, (_, i) => i);
      agree([0, 0, 0, 4, 0, 0, 1, ...uint16s(hashes)], {
        version: 4,
        class: 0,
        ascendancy: 0,
        fullscreen: 1,
        hashes,
      });
    },
  );
});
