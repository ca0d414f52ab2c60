/**
 * Hostile callers: getters that encode, proxies that change, arrays of another realm, memory that
 * others write to.
 */
import { decode, decodeBytes, encode, encodeBytes, TreeLinkError } from "@game-data/tree-link";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { LINK as link, refusal, thrown } from "./support.ts";

const old = { version: 4, class: 9, ascendancy: 9, fullscreen: 1, hashes: [9, 9, 9, 9] } as const;

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
    const hashes = Object.defineProperty([...link.hashes], 2, {
      get: () => encodeOld(link.hashes[2]),
    });
    const masteries = [{ ...link.masteries[0], effect: 0 }];
    Object.defineProperty(masteries[0], "effect", { get: () => encodeOld(47_642) });
    expect(encode({ ...link, hashes, masteries })).toBe(encode(link));
    expect(new Set(nested)).toEqual(new Set([encode(old)]));
  });

  it("leaves the codec usable when it throws", () => {
    const hashes = Object.defineProperty([...link.hashes], 2, {
      get: () => {
        throw new RangeError("mine");
      },
    });
    const { cause, reason } = thrown(() => encode({ ...link, hashes }));
    expect(reason).toBe("invalid-type");
    expect(cause).toBeInstanceOf(RangeError);
    expect(decode(encode(link))).toEqual(link);
  });
});

describe("a proxy", () => {
  /** A list that says of its length what `length` says. */
  const claiming = (list: Array<number>, length: () => unknown) => {
    encode({ ...link, hashes: Array.from({ length: 255 }, () => 0xabcd) });
    return new Proxy(list, {
      get: (target, key, receiver) =>
        key === "length" ? length() : Reflect.get(target, key, receiver),
    });
  };

  it("that changes its length leaks nothing of an earlier link", () => {
    let asked = 0;
    const shrinking = claiming([1, 2, 3, 4, 5, 6], () => 6 - asked++ * 3);
    expect(decode(encode({ ...link, hashes: shrinking })).hashes).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each([1.5, -1, Number.NaN, "2", 2 ** 40])(
    "whose length is %s leaks nothing of an earlier link",
    (length) => {
      const hashes = claiming([1, 2], () => length);
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
    const hashes = claiming([1], () => 3);
    expect(refusal(() => encode({ ...link, hashes }))).toBe("out-of-range element 1 hashes");
  });

  it("that is revoked is a TreeLinkError", () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect(thrown(() => encode({ ...link, hashes: proxy })).cause).toBeInstanceOf(TypeError);
    expect(thrown(() => encode(proxy as never)).cause).toBeInstanceOf(TypeError);
    expect(thrown(() => decodeBytes(proxy as never)).reason).toBe("invalid-type");
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
    expect(thrown(() => decodeBytes(value as never)).reason).toBe("invalid-type");
  });

  it("are not a proxy of bytes", () => {
    const proxy = new Proxy(new Uint8Array(9), {});
    expect(thrown(() => decodeBytes(proxy)).reason).toBe("invalid-type");
  });

  it("of a detached buffer are an empty stream", () => {
    const bytes = new Uint8Array(9);
    structuredClone(bytes, { transfer: [bytes.buffer] });
    expect(thrown(() => decodeBytes(bytes))).toMatchObject({ reason: "truncated", offset: 0 });
  });
});

it.each([4091, 4093, 4095, 4097, 4099, 4101])(
  "round-trips streams of %i bytes, around the size of the shared buffer",
  (size) => {
    const hashes = Array.from({ length: (size - 7) / 2 }, (_, i) => (i * 31) & 0xffff);
    const long = { version: 4, class: 1, ascendancy: 2, fullscreen: 1, hashes } as const;
    const payload = encode(long);
    expect(encodeBytes(long)).toHaveLength(size);
    expect(payload).toHaveLength(Math.ceil(size / 3) * 4);
    expect(decode(payload)).toEqual(long);
    expect(payload.replace(/=+$/u, "")).toBe(Buffer.from(encodeBytes(long)).toString("base64url"));
    expect(refusal(() => decodeBytes(encodeBytes(long).subarray(0, -1)))).toMatch(/^odd-tail/u);
    expect(decode(encode(link))).toEqual(link);
  },
);
