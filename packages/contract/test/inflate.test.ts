import { assert, describe, it } from "@effect/vitest";
import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import {
  ACCEPTED_CODINGS,
  type Coding,
  inflate,
  InflateError,
  inflateSync,
  inflateStream,
} from "@game-data/contract/inflate";
import { makeBombs } from "@game-data/test-support";

const MEBIBYTE = 1_048_576;
const ALL: ReadonlyArray<Coding> = ["gzip", "deflate", "br", "zstd"];
const OPTIONS = { limit: 64 * MEBIBYTE, codings: ALL };
const text = JSON.stringify({ next_change_id: "1-2-3", stashes: Array.from("stashes") });
const plain = Buffer.from(text);
const gzip = gzipSync(text);
const bombs = await makeBombs();

/** The bytes in pieces of a size, and the number of pieces that were read. */
const reading = (bytes: Uint8Array, size: number) => {
  let at = 0;
  const pieces = async function* () {
    for (; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
  };
  return { pieces: pieces(), count: () => at / size };
};

const drain = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Array<Uint8Array> = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
};

type Method = (...args: Parameters<typeof inflate>) => Promise<Uint8Array>;

const streamBy =
  (size: number): Method =>
  async (bytes, ...rest) =>
    drain(inflateStream(reading(bytes, size).pieces, ...rest));

const METHODS: ReadonlyArray<[name: string, method: Method]> = [
  ["inflate", inflate],
  ["inflateSync", async (...args) => inflateSync(...args)],
  ["inflateStream", streamBy(997)],
];

const failure = async (run: () => Promise<unknown>): Promise<InflateError> => {
  try {
    await run();
  } catch (cause) {
    if (cause instanceof InflateError) return cause;
    throw cause;
  }
  throw new Error("it was inflated");
};

describe.each(METHODS)("%s", (_, method) => {
  it.each([
    ["gzip", gzip],
    [" X-GZIP ", gzip],
    ["", plain],
    ["identity", plain],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["zstd", zstdCompressSync(text)],
  ])("each inflate function reads the accepted Content-Encoding %s", async (encoding, body) => {
    assert.strictEqual(String(Buffer.from(await method(body, encoding, OPTIONS))), text);
  });

  it.each(["br", "gzip, gzip", "constructor", "x".repeat(1e5)])(
    "each inflate function refuses the Content-Encoding %j, which was not requested",
    async (encoding) => {
      assert.deepStrictEqual(ACCEPTED_CODINGS, ["gzip"]);
      const error = await failure(() => method(gzip, encoding, { limit: MEBIBYTE }));
      assert.deepInclude(error, { reason: "refused", _tag: "InflateError" });
      assert.strictEqual(error.message, `${encoding.slice(0, 40)} was not requested`);
      assert.isFalse(error.isRetryable);
    },
  );

  it.each(Object.entries(bombs))("inflating a %s bomb ends at the limit", async (coding, bomb) => {
    const run = () => method(bomb, coding, { limit: MEBIBYTE, codings: ALL });
    assert.strictEqual((await failure(run)).reason, "too-large");
  });

  it("each inflate function accepts a body of exactly the limit, and no larger body", async () => {
    const body = Buffer.alloc(1_000);
    for (const [coding, bytes] of [["gzip", gzipSync(body)] as const, ["", body] as const]) {
      assert.lengthOf(await method(bytes, coding, { limit: 1_000 }), 1_000);
      const { message, reason } = await failure(() => method(bytes, coding, { limit: 999 }));
      assert.deepStrictEqual([reason, message], ["too-large", "more than 999 bytes"]);
    }
  });

  it("each inflate function refuses a limit that is not a positive integer", async () => {
    for (const limit of [Number.NaN, Infinity, 0, 1.5]) {
      const { message, reason } = await failure(() => method(gzip, "gzip", { limit }));
      assert.deepStrictEqual([limit, reason], [limit, "limit"]);
      assert.match(message, /^limit must be a positive/u);
    }
  });

  it("an InflateError has the message of zlib, and the error of zlib as its cause", async () => {
    const error = await failure(() => method(plain, "gzip", OPTIONS));
    assert.strictEqual(error.message, "gzip: incorrect header check");
    assert.instanceOf(error.cause, Error);
    assert.notProperty(error.toJSON(), "cause");
    assert.match(error.help, /\/errors\/contract\/#inflateerror$/u);
  });

  it("each inflate function refuses every coding without zlib, as in a browser", async () => {
    const { getBuiltinModule } = process;
    try {
      process.getBuiltinModule = (() => undefined) as unknown as typeof getBuiltinModule;
      assert.strictEqual((await failure(() => method(gzip, "gzip", OPTIONS))).reason, "refused");
      assert.lengthOf(await method(plain, "", OPTIONS), text.length);
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
  });
});

const deflated = deflateSync(text);
const wrongChecksum = Buffer.from(gzip);
wrongChecksum[gzip.length - 8]! ^= 1;
const noise = randomBytes(100_000);

it.each<[Coding, parts: ReadonlyArray<Uint8Array>, outcome: number | string]>([
  ["gzip", [gzipSync(noise), gzip], noise.length + text.length],
  ["gzip", [gzipSync(noise), Buffer.alloc(5)], "corrupt"],
  ["gzip", [gzip, Buffer.from("garbage")], "corrupt"],
  ["gzip", [gzip.subarray(0, -1)], "truncated"],
  ["gzip", [], "truncated"],
  ["gzip", [wrongChecksum], "truncated"],
  ["gzip", [plain], "corrupt"],
  ["deflate", [deflated], text.length],
  ["deflate", [deflated, deflated], "corrupt"],
  ["br", [brotliCompressSync(text), Buffer.from("garbage")], "corrupt"],
])(
  "each inflate function distinguishes several gzip members, cut bodies and surplus bytes: %s %#",
  async (coding, parts, outcome) => {
    const body = Buffer.concat(parts);
    // One byte at a time if there are few of them.
    const pieces = [body.length > 1_000 ? 997 : 1, gzip.length, 100_000];
    const methods = [...METHODS.map(([, method]) => method), ...pieces.map(streamBy)];
    for (const [index, method] of methods.entries()) {
      const result = method(body, coding, OPTIONS).then(
        ({ length }) => length,
        (cause: InflateError) => cause.reason ?? cause,
      );
      assert.strictEqual(await result, outcome, `method ${index}`);
    }
  },
);

it("inflate does not block the calling thread", async () => {
  let isOver = false;
  const options = { ...OPTIONS, limit: 16 * MEBIBYTE };
  const running = failure(() => inflate(bombs.br, "br", options)).finally(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.isFalse(isOver, "the calling thread inflated it");
  assert.strictEqual((await running).reason, "too-large");
});

describe("inflateStream", () => {
  it("inflateStream reads nothing from a body whose coding was not requested", async () => {
    const { count, pieces } = reading(gzip, 10);
    await failure(() => drain(inflateStream(pieces, "br", { limit: MEBIBYTE })));
    assert.strictEqual(count(), 0);
  });

  it("inflateStream throws the error of its source unchanged", async () => {
    const broken = new Error("the connection broke");
    const source = async function* () {
      yield gzip.subarray(0, 20);
      throw broken;
    };
    const run = drain(inflateStream(source(), "gzip", OPTIONS));
    assert.strictEqual(await run.catch((cause: unknown) => cause), broken);
  });

  it.each(["gzip", "identity"])(
    "inflateStream ends its source if the reader stops early: %s",
    async (coding) => {
      const { count, pieces } = reading(bombs.gzip, 4_096);
      for await (const piece of inflateStream(pieces, coding, OPTIONS)) {
        assert.isAbove(piece.byteLength, 0);
        break;
      }
      await new Promise((resolve) => setImmediate(resolve));
      assert.isBelow(count(), 64);
      assert.deepStrictEqual(await pieces.next(), { done: true, value: undefined });
    },
  );
});
