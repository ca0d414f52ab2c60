import { assert, describe, it } from "@effect/vitest";
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import {
  ACCEPTED_CODINGS,
  type Coding,
  inflate,
  InflateError,
  inflateHead,
  inflateSync,
  inflateStream,
} from "@game-data/contract/inflate";
import { cpuOf, makeBombs } from "@game-data/test-support";

const MEBIBYTE = 1_048_576;
const LIMIT = 64 * MEBIBYTE;
const ALL: ReadonlyArray<Coding> = ["gzip", "deflate", "br", "zstd"];
const text = JSON.stringify({ next_change_id: "1-2-3", stashes: Array.from("stashes") });

const bombs = await makeBombs();

/** The bytes in pieces, and how many were taken. */
const reading = (bytes: Uint8Array, size: number) => {
  let at = 0;
  const read = async () => {
    const piece = bytes.subarray(at, at + size);
    at += size;
    return piece.byteLength === 0 ? undefined : piece;
  };
  return { read, taken: () => at / size };
};

const isBare = new AsyncLocalStorage<true>();
const { getBuiltinModule } = process;
process.getBuiltinModule = ((name: string) =>
  isBare.getStore() ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule;
/** Runs as in a browser. */
const withoutZlib = <A>(run: () => Promise<A>): Promise<A> => isBare.run(true, run);

const RUNTIMES: ReadonlyArray<[name: string, within: typeof withoutZlib]> = [
  ["with zlib", (run) => run()],
  ["without zlib", withoutZlib],
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

/** The work fails with this kind within 200 ms of CPU. Gives the growth of the memory. */
const expectCheap = async (run: () => Promise<unknown>, kind: InflateError["kind"]) => {
  const { bytes, millis, value } = await cost(() => failure(run));
  assert.strictEqual(value.kind, kind);
  assert.isBelow(millis, 200);
  return bytes;
};

const drain = async (pieces: AsyncIterable<Uint8Array>) => {
  let length = 0;
  for await (const piece of pieces) length += piece.byteLength;
  return length;
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
  ])("reads what was asked for, by any of its names: %s", async (encoding, body) => {
    const inflated = await inflate(body, encoding, { limit: LIMIT, codings: ALL });
    assert.strictEqual(new TextDecoder().decode(inflated), text);
  });

  it("reads what a program compressed itself where it cannot wait, within the same bound", async () => {
    const options = { limit: MEBIBYTE, codings: ["zstd"] } as const;
    const inflated = inflateSync(zstdCompressSync(text), "zstd", options);
    assert.strictEqual(Buffer.from(inflated).toString(), text);
    const kindOf = async (bytes: Uint8Array, encoding = "zstd") =>
      (await failure(async () => inflateSync(bytes, encoding, options))).kind;
    assert.strictEqual(await kindOf(zstdCompressSync(Buffer.alloc(MEBIBYTE + 1))), "too-large");
    assert.strictEqual(await kindOf(Buffer.from("no zstd")), "corrupt");
    assert.strictEqual(await kindOf(gzipSync(text), "gzip"), "refused");
    assert.strictEqual(await kindOf(Buffer.from(text), "identity"), "refused");
  });

  it.each(["br", "deflate", "zstd", "gzip, gzip", "constructor", "\u202e", "x".repeat(1e5)])(
    "refuses the coding %j, which was not asked for, unread",
    async (encoding) => {
      assert.deepStrictEqual(ACCEPTED_CODINGS, ["gzip"]);
      const error = await failure(() => inflate(gzipSync(text), encoding, { limit: LIMIT }));
      assert.deepInclude(error, { kind: "refused", name: "InflateError" });
      assert.strictEqual(error.message, `${encoding.slice(0, 40)} was not asked for`);
      assert.match(error.help, /\/errors\/inflateerror\/$/u);
    },
  );

  it.each(Object.entries(bombs))(
    "stops a bomb of %s at the limit, within 200 ms of CPU and the limit's memory",
    async (coding, bomb) => {
      const options = { limit: 16 * MEBIBYTE, codings: ALL };
      const bytes = await expectCheap(() => inflate(bomb, coding, options), "too-large");
      assert.isBelow(bytes, LIMIT);
    },
  );

  it("leaves the calling thread free while a small body becomes large", async () => {
    assert.isBelow(bombs.br.byteLength, 1_024);
    let isOver = false;
    const options = { limit: 16 * MEBIBYTE, codings: ALL };
    const running = failure(() => inflate(bombs.br, "br", options)).finally(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.isFalse(isOver, "it was inflated by the thread that called");
    assert.strictEqual((await running).kind, "too-large");
  });

  it("does not believe a size that the body itself names", async () => {
    const body = gzipSync(text);
    body.writeUInt32LE(0xffff_ffff, body.length - 4);
    await expectCheap(() => inflate(body, "gzip", { limit: 2 ** 30 }), "truncated");
  });

  it.each([1, 1_000])("holds the limit exactly: %d", async (length) => {
    const plain = Buffer.alloc(length);
    for (const [coding, body] of [["gzip", gzipSync(plain)] as const, ["identity", plain] as const])
      for (const run of [
        (limit: number) => inflate(body, coding, { limit }),
        (limit: number) => withoutZlib(() => inflate(body, coding, { limit })),
        async (limit: number) => ({
          length: await drain(inflateStream(reading(body, 997).read, coding, { limit })),
        }),
      ]) {
        assert.lengthOf(await run(length), length);
        if (length === 1) continue;
        const { kind, message } = await failure(() => run(length - 1));
        assert.deepStrictEqual([kind, message], ["too-large", "more than 999 bytes"]);
      }
  });

  it("says what zlib says of a body that it refuses", async () => {
    const error = await failure(() => inflate(Buffer.from(text), "gzip", { limit: LIMIT }));
    assert.strictEqual(error.message, "gzip: incorrect header check");
    assert.instanceOf(error.cause, Error);
  });
});

describe("inflate without zlib", () => {
  it("stops bombs within 200 ms of CPU", async () => {
    const bomb = () => inflate(bombs.gzip, "gzip", { limit: 16 * MEBIBYTE });
    await expectCheap(() => withoutZlib(bomb), "too-large");
  });

  it("has the same limits with it and without: what is no bound is refused by name, unread", async () => {
    const bodies = [
      ["gzip", gzipSync(text)],
      ["identity", Buffer.from(text)],
    ] as const;
    const limits: ReadonlyArray<unknown> = [NaN, Infinity, 2 ** 53, 0, -1, 1.5, "9", undefined];
    for (const limit of limits as ReadonlyArray<number>)
      for (const [coding, body] of bodies) {
        const read = () => Promise.reject(new Error("it was read"));
        for (const run of [
          () => inflate(body, coding, { limit }),
          () => withoutZlib(() => inflate(body, coding, { limit })),
          () => drain(inflateStream(read, coding, { limit })),
          async () => inflateSync(body, coding, { limit }),
        ]) {
          const { kind, message } = await failure(run);
          assert.deepStrictEqual([limit, kind], [limit, "limit"]);
          assert.match(message, /^limit must be an integer/u);
        }
      }
    for (const limit of [text.length, Number.MAX_SAFE_INTEGER]) {
      assert.lengthOf(await inflate(gzipSync(text), "gzip", { limit }), text.length);
      const large = gzipSync(randomBytes(100_000));
      if (limit > 1e6) assert.lengthOf(await inflate(large, "gzip", { limit }), 100_000);
    }
  });

  it("refuses what a browser cannot inflate, and looks into no head", async () => {
    const body = async () => gzipSync(text);
    for (const run of [
      async () => inflateSync(await body(), "gzip", { limit: LIMIT }),
      () => drain(inflateStream(body, "br", { limit: LIMIT, codings: ALL })),
      () => drain(inflateStream(body, "zstd", { limit: LIMIT, codings: ALL })),
    ])
      assert.strictEqual((await withoutZlib(() => failure(run))).kind, "refused");
    assert.isUndefined(await withoutZlib(async () => inflateHead(gzipSync(text), "gzip")));
  });
});

describe("inflateStream", () => {
  it("stops a bomb at the limit", async () => {
    const { millis, value } = await cost(() => {
      const { read } = reading(bombs.gzip, 65_536);
      return failure(() => drain(inflateStream(read, "gzip", { limit: 16 * MEBIBYTE })));
    });
    assert.strictEqual(value.kind, "too-large");
    assert.isBelow(millis, 200);
  });

  it.each(RUNTIMES)("passes on the error of its source as it is, %s", async (_, within) => {
    const broken = new Error("the connection broke");
    const source = [gzipSync(text).subarray(0, 20)];
    const read = async () => {
      const piece = source.pop();
      if (piece === undefined) throw broken;
      return piece;
    };
    const run = () => drain(inflateStream(read, "gzip", { limit: LIMIT }));
    assert.strictEqual(await within(run).catch((cause: unknown) => cause), broken);
  });

  it("tells another coding from a cut body, however long it is", async () => {
    const read = async () => Buffer.from(text);
    const run = () => drain(inflateStream(read, "gzip", { limit: LIMIT }));
    assert.strictEqual((await withoutZlib(() => failure(run))).kind, "corrupt");
  });

  it("refuses a coding that was not asked for before it reads", async () => {
    const { read, taken } = reading(gzipSync(text), 1_000);
    const run = () => drain(inflateStream(read, "deflate", { limit: LIMIT }));
    assert.strictEqual((await failure(run)).kind, "refused");
    assert.strictEqual(taken(), 0);
  });

  it("reads and refuses what `inflate` does: members, cut bodies, bytes after the end", async () => {
    const gzip = gzipSync(text);
    const deflated = deflateSync(text);
    const wrongChecksum = Buffer.from(gzip);
    wrongChecksum[gzip.length - 8]! ^= 1;
    // Larger than what the calling thread inflates.
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
      run().catch((cause: unknown) => (cause instanceof InflateError ? cause.kind : String(cause)));
    const options = { limit: LIMIT, codings: ALL };
    for (const [index, [coding, parts, expected]] of bodies.entries()) {
      const body = Buffer.concat(parts);
      const name = `${coding} ${index}`;
      const whole = async () => (await inflate(body, coding, options)).byteLength;
      assert.strictEqual(await outcome(whole), expected, name);
      const now = async () => inflateSync(body, coding, options).byteLength;
      assert.strictEqual(await outcome(now), expected, name);
      const bare = await outcome(() => withoutZlib(whole));
      if (coding === "br" || coding === "zstd") {
        assert.strictEqual(bare, "refused");
        continue;
      }
      if (typeof expected === "string") assert.include(["truncated", "corrupt"], bare, name);
      else if (parts.length === 1) assert.strictEqual(bare, expected, name);
      // A byte at a time where there are few of them.
      for (const size of [body.length > 1_000 ? 997 : 1, gzip.length, 100_000]) {
        const { read } = reading(body, size);
        const streamed = () => drain(inflateStream(read, coding, options));
        assert.strictEqual(await outcome(streamed), expected, `${name}, pieces of ${size}`);
      }
    }
  });

  it.each(RUNTIMES)("asks for nothing more when its reader leaves early, %s", async (_, within) => {
    const { read, taken } = reading(bombs.gzip, 4_096);
    await within(async () => {
      for await (const piece of inflateStream(read, "gzip", { limit: LIMIT })) {
        assert.isAbove(piece.byteLength, 0);
        break;
      }
    });
    const after = taken();
    await new Promise((resolve) => setImmediate(resolve));
    assert.strictEqual(taken(), after);
    assert.isBelow(after, 64);
  });
});

describe("inflateHead", () => {
  const noise = randomBytes(10_000).toString("base64");
  const page = `{"next_change_id":"1-2-3","stashes":["${noise}","${noise}"]}`;

  it("shows the beginning of a body that breaks off anywhere", () => {
    const heads = [
      [gzipSync(page).subarray(0, 1_024), "gzip"],
      [deflateSync(page).subarray(0, 1_024), "deflate"],
      [brotliCompressSync(page).subarray(0, 1_024), "br"],
      [Buffer.from(page), "identity"],
    ] as const;
    for (const [bytes, coding] of heads) {
      const head = inflateHead(bytes, coding, ALL);
      assert.include(new TextDecoder().decode(head), '{"next_change_id":"1-2-3"', coding);
    }
    // Less of a bomb is looked at.
    assert.isAbove(inflateHead(bombs.gzip, "gzip")!.byteLength, 1_000);
  });

  it("is one mebibyte at most and costs little, bombs included", async () => {
    for (const [coding, bomb] of Object.entries(bombs)) {
      const { millis, value } = await cost(async () => inflateHead(bomb, coding, ALL));
      assert.isAtMost(value?.byteLength ?? 0, MEBIBYTE, coding);
      assert.isBelow(millis, 200, coding);
    }
  });

  it("is unknown for zstd, for what is no such body and for codings not asked for", () => {
    assert.isUndefined(inflateHead(zstdCompressSync(page), "zstd", ALL));
    assert.isUndefined(inflateHead(Buffer.from(page), "gzip"));
    assert.isUndefined(inflateHead(brotliCompressSync(page), "br"));
  });
});
