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
import { cpuOf, makeBombs } from "@game-data/test-support";

const MEBIBYTE = 1_048_576;
const LIMIT = 64 * MEBIBYTE;
const ALL: ReadonlyArray<Coding> = ["gzip", "deflate", "br", "zstd"];
const text = JSON.stringify({ next_change_id: "1-2-3", stashes: Array.from("stashes") });

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
  let length = 0;
  for await (const piece of pieces) length += piece.byteLength;
  return length;
};

type Inflate = (
  bytes: Uint8Array,
  encoding: string,
  options: Parameters<typeof inflate>[2],
) => Promise<{ readonly length: number }>;

const METHODS: ReadonlyArray<[name: string, method: Inflate]> = [
  ["inflate", inflate],
  ["inflateSync", async (...args) => inflateSync(...args)],
  [
    "inflateStream",
    async (bytes, ...rest) => ({
      length: await drain(inflateStream(reading(bytes, 997).pieces, ...rest)),
    }),
  ],
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

/** CPU in milliseconds and growth of the memory in bytes, after a first run that loads its code. */
const cost = async <A>(run: () => Promise<A>) => {
  await run();
  let bytes = Infinity;
  const measured = await cpuOf(200, async () => {
    const { rss } = process.memoryUsage();
    const value = await run();
    bytes = Math.min(bytes, process.memoryUsage().rss - rss);
    return value;
  });
  return { ...measured, bytes };
};

describe("inflate", () => {
  it.each([
    ["gzip", gzipSync(text)],
    [" X-GZIP ", gzipSync(text)],
    ["", Buffer.from(text)],
    ["identity", Buffer.from(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["zstd", zstdCompressSync(text)],
  ])("reads each accepted coding by any of its names: %s", async (encoding, body) => {
    const options = { limit: LIMIT, codings: ALL };
    const decoder = new TextDecoder();
    assert.strictEqual(decoder.decode(await inflate(body, encoding, options)), text);
    assert.strictEqual(decoder.decode(inflateSync(body, encoding, options)), text);
  });

  it.each(["br", "deflate", "zstd", "gzip, gzip", "constructor", "\u202e", "x".repeat(1e5)])(
    "refuses the coding %j, which was not asked for, before it reads",
    async (encoding) => {
      assert.deepStrictEqual(ACCEPTED_CODINGS, ["gzip"]);
      for (const [, method] of METHODS) {
        const error = await failure(() => method(gzipSync(text), encoding, { limit: LIMIT }));
        assert.deepInclude(error, { reason: "refused", _tag: "InflateError" });
        assert.strictEqual(error.message, `${encoding.slice(0, 40)} was not asked for`);
        assert.isFalse(error.isRetryable);
      }
      const { pieces, count } = reading(gzipSync(text), 1_000);
      await failure(() => drain(inflateStream(pieces, encoding, { limit: LIMIT })));
      assert.strictEqual(count(), 0);
    },
  );

  it.each(Object.entries(bombs))(
    "stops a bomb of %s at the limit, within 200 ms of CPU and the limit's memory",
    async (coding, bomb) => {
      const options = { limit: 16 * MEBIBYTE, codings: ALL };
      for (const [name, method] of METHODS.slice(0, 2)) {
        const run = () => failure(() => method(bomb, coding, options));
        const { bytes, millis, value } = await cost(run);
        assert.strictEqual(value.reason, "too-large", name);
        assert.isBelow(millis, 200, name);
        assert.isBelow(bytes, LIMIT, name);
      }
    },
  );

  it("leaves the calling thread free while a small body becomes large", async () => {
    assert.isBelow(bombs.br.byteLength, 1_024);
    let isOver = false;
    const options = { limit: 16 * MEBIBYTE, codings: ALL };
    const running = failure(() => inflate(bombs.br, "br", options)).finally(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.isFalse(isOver, "the calling thread inflated it");
    assert.strictEqual((await running).reason, "too-large");
  });

  it.each(METHODS)("holds the limit exactly: %s", async (_, method) => {
    for (const length of [1, 1_000]) {
      const plain = Buffer.alloc(length);
      for (const [coding, body] of [["gzip", gzipSync(plain)] as const, ["", plain] as const]) {
        assert.lengthOf(await method(body, coding, { limit: length }), length);
        if (length === 1) continue;
        const { message, reason } = await failure(() => method(body, coding, { limit: 999 }));
        assert.deepStrictEqual([reason, message], ["too-large", "more than 999 bytes"]);
      }
    }
    const large = gzipSync(randomBytes(100_000));
    assert.lengthOf(await method(large, "gzip", { limit: 2 ** 40 }), 100_000);
  });

  it.each(METHODS)("refuses a limit that is not a positive integer: %s", async (_, method) => {
    const limits: ReadonlyArray<unknown> = [NaN, Infinity, 2 ** 53, 0, -1, 1.5, "9", undefined];
    for (const limit of limits as ReadonlyArray<number>)
      for (const [coding, body] of [
        ["gzip", gzipSync(text)] as const,
        ["", Buffer.from(text)] as const,
      ]) {
        const { message, reason } = await failure(() => method(body, coding, { limit }));
        assert.deepStrictEqual([limit, reason], [limit, "limit"]);
        assert.match(message, /^limit must be a positive/u);
      }
  });

  it("names the reason of zlib, and keeps its error as the cause", async () => {
    const error = await failure(() => inflate(Buffer.from(text), "gzip", { limit: LIMIT }));
    assert.strictEqual(error.message, "gzip: incorrect header check");
    assert.instanceOf(error.cause, Error);
    assert.notProperty(error.toJSON(), "cause");
    assert.match(error.help, /\/errors\/inflateerror\/$/u);
  });

  it("refuses every coding without zlib, as in a browser", async () => {
    const { getBuiltinModule } = process;
    try {
      process.getBuiltinModule = (() => undefined) as unknown as typeof getBuiltinModule;
      for (const [, method] of METHODS) {
        const run = () => method(gzipSync(text), "gzip", { limit: LIMIT });
        assert.strictEqual((await failure(run)).reason, "refused");
        assert.lengthOf(await method(Buffer.from(text), "", { limit: LIMIT }), text.length);
      }
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
  });

  it("tells members, cut bodies and bytes after the end apart, however the body is cut", async () => {
    const gzip = gzipSync(text);
    const deflated = deflateSync(text);
    const wrongChecksum = Buffer.from(gzip);
    wrongChecksum[gzip.length - 8]! ^= 1;
    const noise = randomBytes(100_000);
    const bodies = [
      ["gzip", [gzipSync(noise)], noise.length],
      ["gzip", [gzipSync(noise), gzip], noise.length + text.length],
      ["gzip", [gzipSync(noise), Buffer.alloc(5)], "corrupt"],
      ["gzip", [gzip, gzip], 2 * text.length],
      ["gzip", [gzip, Buffer.alloc(5)], "corrupt"],
      ["gzip", [gzip, Buffer.from("garbage")], "corrupt"],
      ["gzip", [gzip, gzip.subarray(0, 5)], "truncated"],
      ["gzip", [gzip.subarray(0, -1)], "truncated"],
      ["gzip", [], "truncated"],
      ["gzip", [gzip.subarray(0, 12)], "truncated"],
      ["gzip", [wrongChecksum], "truncated"],
      ["gzip", [Buffer.from(text)], "corrupt"],
      ["deflate", [deflated], text.length],
      ["deflate", [deflated, Buffer.from("garbage")], "corrupt"],
      ["deflate", [deflated, deflated], "corrupt"],
      ["deflate", [deflated.subarray(0, -1)], "truncated"],
      ["br", [brotliCompressSync(text), Buffer.from("garbage")], "corrupt"],
      ["zstd", [zstdCompressSync(text), zstdCompressSync(text)], "corrupt"],
    ] as const;
    const outcome = (run: () => Promise<number>) =>
      run().catch((cause: unknown) =>
        cause instanceof InflateError ? cause.reason : String(cause),
      );
    const options = { limit: LIMIT, codings: ALL };
    for (const [index, [coding, parts, expected]] of bodies.entries()) {
      const body = Buffer.concat(parts);
      const name = `${coding} ${index}`;
      const whole = async () => (await inflate(body, coding, options)).byteLength;
      assert.strictEqual(await outcome(whole), expected, name);
      const now = async () => inflateSync(body, coding, options).byteLength;
      assert.strictEqual(await outcome(now), expected, name);
      // Node reads a second frame of zstd if it begins a piece.
      if (coding === "zstd") continue;
      // One byte at a time if there are few of them.
      for (const size of [body.length > 1_000 ? 997 : 1, gzip.length, 100_000]) {
        const { pieces } = reading(body, size);
        const streamed = () => drain(inflateStream(pieces, coding, options));
        assert.strictEqual(await outcome(streamed), expected, `${name}, pieces of ${size}`);
      }
    }
  });
});

describe("inflateStream", () => {
  it("passes on the error of its source as it is", async () => {
    const broken = new Error("the connection broke");
    const source = async function* () {
      yield gzipSync(text).subarray(0, 20);
      throw broken;
    };
    const run = drain(inflateStream(source(), "gzip", { limit: LIMIT }));
    assert.strictEqual(await run.catch((cause: unknown) => cause), broken);
  });

  it.each(["gzip", "identity"])("ends its source if its reader stops early: %s", async (coding) => {
    const { count, pieces } = reading(bombs.gzip, 4_096);
    let hasEnded = false;
    const source = async function* () {
      try {
        yield* pieces;
      } finally {
        hasEnded = true;
      }
    };
    for await (const piece of inflateStream(source(), coding, { limit: LIMIT })) {
      assert.isAbove(piece.byteLength, 0);
      break;
    }
    const before = count();
    await new Promise((resolve) => setImmediate(resolve));
    assert.strictEqual(count(), before);
    assert.isBelow(before, 64);
    assert.isTrue(hasEnded);
  });
});
