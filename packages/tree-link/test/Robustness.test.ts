/**
 * Hostile callers: getters that encode, proxies that change, arrays of another realm, memory that
 * others write to.
 */
import { decode, decodeBytes, encode, encodeBytes, TreeLinkError } from "@game-data/tree-link";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";

const link = {
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [1, 2, 3, 4, 5],
  extendedHashes: [6],
  masteries: [{ node: 7, effect: 8 }],
} as const;
const old = { version: 4, class: 9, ascendancy: 9, fullscreen: 1, hashes: [9, 9, 9, 9] } as const;

const error = (run: () => unknown): TreeLinkError => {
  try {
    run();
  } catch (cause) {
    expect(cause).toBeInstanceOf(TreeLinkError);
    return cause as TreeLinkError;
  }
  throw new Error("it was accepted");
};

describe("a getter that encodes another link", () => {
  const nested: Array<string> = [];
  const encodeOld = <A>(value: A): A => {
    nested.push(encode(old));
    expect(decode(encode(old))).toEqual(old);
    return value;
  };

  it.each(["version", "class", "ascendancy", "alternateAscendancy", "hashes", "masteries"])(
    "does not change the outer link from its %s",
    (field) => {
      const outer = Object.defineProperty({ ...link }, field, {
        enumerable: true,
        get: () => encodeOld(link[field as keyof typeof link]),
      });
      expect(encode(outer)).toBe(encode(link));
      expect([...encodeBytes(outer)]).toEqual([...encodeBytes(link)]);
    },
  );

  it("does not change the outer link from an element", () => {
    const hashes = Object.defineProperty([...link.hashes], 2, { get: () => encodeOld(3) });
    const masteries = [
      {
        get effect() {
          return encodeOld(8);
        },
        node: 7,
      },
    ];
    expect(encode({ ...link, hashes, masteries })).toBe(encode(link));
    expect(new Set(nested)).toEqual(new Set([encode(old)]));
  });

  it("leaves the codec usable when it throws", () => {
    const hashes = Object.defineProperty([...link.hashes], 2, {
      get: () => {
        throw new RangeError("mine");
      },
    });
    const { cause, reason } = error(() => encode({ ...link, hashes }));
    expect(reason).toBe("invalid-type");
    expect(cause).toBeInstanceOf(RangeError);
    expect(decode(encode(link))).toEqual(link);
  });
});

describe("a proxy", () => {
  it("that changes its length leaks nothing of an earlier link", () => {
    encode({ ...link, hashes: Array.from({ length: 255 }, () => 0xabcd) });
    let asked = 0;
    const shrinking = new Proxy([1, 2, 3, 4, 5, 6], {
      get: (target, key, receiver) =>
        key === "length" ? 6 - asked++ * 3 : Reflect.get(target, key, receiver),
    });
    expect(decode(encode({ ...link, hashes: shrinking })).hashes).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each([1.5, -1, Number.NaN, "2", 2 ** 40])(
    "whose length is %s leaks nothing of an earlier link",
    (length) => {
      encode({ ...link, hashes: Array.from({ length: 255 }, () => 0xabcd) });
      const hashes = new Proxy([1, 2], {
        get: (target, key, receiver) =>
          key === "length" ? length : Reflect.get(target, key, receiver),
      });
      let bytes: Uint8Array;
      try {
        bytes = encodeBytes({ ...link, hashes });
      } catch (cause) {
        return expect(cause).toBeInstanceOf(TreeLinkError);
      }
      expect(decodeBytes(bytes).hashes).toEqual([1, 2].slice(0, Number(length) >>> 0));
    },
  );

  it("that claims more elements than it has is refused", () => {
    const hashes = new Proxy([1], {
      get: (target, key, receiver) => (key === "length" ? 3 : Reflect.get(target, key, receiver)),
    });
    const { offset, reason } = error(() => encode({ ...link, hashes }));
    expect([reason, offset]).toEqual(["out-of-range", 1]);
  });

  it("that is revoked is a TreeLinkError", () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect(error(() => encode({ ...link, hashes: proxy })).cause).toBeInstanceOf(TypeError);
    expect(error(() => encode(proxy as never)).cause).toBeInstanceOf(TypeError);
    expect(error(() => decodeBytes(proxy as never)).reason).toBe("invalid-type");
  });
});

describe("bytes", () => {
  it("of another realm are read", () => {
    const bytes = runInNewContext("Uint8Array.of(0, 0, 0, 6, 0, 1, 0, 0, 0)") as Uint8Array;
    expect(bytes instanceof Uint8Array).toBe(false);
    expect(decodeBytes(bytes)).toEqual(decode("AAAABgABAAAA"));
  });

  it("of shared memory are read", () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(9));
    bytes.set([0, 0, 0, 6, 0, 1, 0, 0, 0]);
    expect(decodeBytes(bytes)).toEqual(decode("AAAABgABAAAA"));
  });

  it.each([
    ["a Uint16Array", new Uint16Array(9)],
    ["a DataView", new DataView(new ArrayBuffer(9))],
    ["an ArrayBuffer", new ArrayBuffer(9)],
    ["a list of numbers", [0, 0, 0, 6, 0, 1, 0, 0, 0]],
    ["an object that says so", { [Symbol.toStringTag]: "Uint8Array", length: 9 }],
  ])("are not %s", (_, value) => {
    expect(error(() => decodeBytes(value as never)).reason).toBe("invalid-type");
  });

  it("are not a proxy of bytes", () => {
    const proxy = new Proxy(new Uint8Array(9), {});
    expect(error(() => decodeBytes(proxy)).reason).toBe("invalid-type");
  });

  it("of a detached buffer are an empty stream", () => {
    const bytes = new Uint8Array(9);
    structuredClone(bytes, { transfer: [bytes.buffer] });
    expect(error(() => decodeBytes(bytes))).toMatchObject({ reason: "truncated", offset: 0 });
  });
});

describe("limits", () => {
  it("accepts a payload of exactly `maxLength` characters", () => {
    expect(() => decode("AAAABgABAAAA", { maxLength: 12 })).not.toThrow();
    expect(error(() => decode("AAAABgABAAAA", { maxLength: 11 })).offset).toBe(11);
  });

  it.each([4090, 4091, 4093, 4095, 4096, 4097, 4099, 4101])(
    "round-trips streams of %i bytes, around the size of the shared buffer",
    (size) => {
      if (size % 2 === 0) {
        expect(error(() => decodeBytes(new Uint8Array(size).fill(4, 3, 4))).reason).toBe(
          "odd-tail",
        );
        return;
      }
      const hashes = Array.from({ length: (size - 7) / 2 }, (_, i) => (i * 31) & 0xffff);
      const long = { version: 4, class: 1, ascendancy: 2, fullscreen: 1, hashes } as const;
      const payload = encode(long);
      expect(encodeBytes(long)).toHaveLength(size);
      expect(payload).toHaveLength(Math.ceil(size / 3) * 4);
      expect(decode(payload)).toEqual(long);
      expect(payload.replace(/=+$/u, "")).toBe(
        Buffer.from(encodeBytes(long)).toString("base64url"),
      );
      expect(encode(link)).toBe("AAAABgMGBQABAAIAAwAEAAUBAAYBAAgABw==");
    },
  );
});
