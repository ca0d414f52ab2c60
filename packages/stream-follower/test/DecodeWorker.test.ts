/**
 * Threads decode as the follower itself does, and the end of one costs another request, never a
 * page.
 */
import { Effect, Exit, Fiber } from "effect";
import { TestClock } from "effect/testing";
import * as fc from "fast-check";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Decode, type Page, PageDecoder } from "../src/index.ts";
import { DecodeWorker } from "../src/workers/index.ts";
import { checksum as checksumOf } from "../src/core/parsePage.ts";
import { anyText } from "./support/anyText.ts";
import { brotli } from "./support/brotli.ts";
import { share } from "./support/RandomPages.ts";
import { makeScoped } from "./support/Scoped.ts";
import { tagOf } from "./support/Run.ts";

const DYING = new URL("./support/dyingThread.ts", import.meta.url);
const SCANNING = new URL("./support/scanningThread.ts", import.meta.url);

type Decoder = PageDecoder.PageDecoderService;
const { scoped, close } = makeScoped();
let threads: Decoder;
let dying: Decoder;
beforeAll(async () => {
  threads = await scoped(DecodeWorker.make());
  dying = await scoped(DecodeWorker.make({ script: DYING, timeout: "5 seconds" }));
});
afterAll(close);

const packers = {
  br: brotli,
  deflate: deflateSync,
  zstd: zstdCompressSync,
  gzip: gzipSync,
} as const;

const bodyOf = (
  text: string | Uint8Array,
  more: Partial<PageDecoder.WireBody> = {},
): PageDecoder.WireBody => {
  const encoding = more.encoding ?? "deflate";
  const pack = packers[encoding as keyof typeof packers];
  return {
    wire: Uint8Array.from(pack?.(text) ?? Buffer.from(text)),
    encoding,
    ownsBuffer: true,
    source: "stashes",
    level: "items",
    maxPageBytes: 1_000_000,
    threadsLost: 0,
    ...more,
  };
};

/**
 * Everything that can be told of a body: what the sinks and the stream get to see, or the error
 * with its members.
 */
const outcome = async (decoder: Decoder, body: PageDecoder.WireBody) => {
  const exit = await Effect.runPromiseExit(decoder.decode(body));
  if (Exit.isFailure(exit)) {
    const [reason] = exit.cause.reasons;
    const error = reason?._tag === "Fail" ? reason.error : undefined;
    return { ...error, message: error?.message, raw: hexOf(error), head: hexOf(error, "head") };
  }
  const { raw, nextId, checksum, rows } = exit.value;
  const page = { key: { source: body.source, realm: "pc" }, rows, nextId, requestedId: "7200" };
  const { good, bad } =
    body.source === "stashes"
      ? Decode.stashes(page as unknown as Page, body.level)
      : Decode.markets(page as unknown as Page, body.level);
  const seen = good.map((row) => ({
    ...row,
    source: undefined,
    row: undefined,
    json: row.json,
    value: row.value,
    items: "items" in row ? row.items : undefined,
  }));
  const aside = bad.map((record) => ({ ...record, bytes: Buffer.from(record.bytes).toString() }));
  return {
    raw: Buffer.from(raw).toString("hex"),
    nextId,
    checksum,
    rows: rows.map(({ error, json }) => ({ error, json })),
    seen,
    aside,
  };
};
const hexOf = (error: object | undefined, member = "raw") => {
  const bytes = (error as Record<string, Uint8Array> | undefined)?.[member];
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("hex");
};

const item = fc.record({ id: fc.string(), x: fc.double(), note: anyText });
const stash = fc.record(
  {
    id: fc.oneof(fc.stringMatching(/^[0-9a-f]{1,8}$/), fc.constant("")),
    public: fc.oneof({ weight: 8, arbitrary: fc.boolean() }, fc.constant("yes")),
    accountName: fc.option(fc.string({ unit: "grapheme" })),
    stash: fc.option(fc.string()),
    league: fc.oneof(fc.string(), fc.integer()),
    items: fc.array(fc.oneof(item, fc.jsonValue()), { maxLength: 4 }),
  },
  { requiredKeys: ["id", "public"] },
);
const market = fc.record(
  {
    league: fc.oneof({ weight: 5, arbitrary: fc.string() }, fc.integer()),
    market_id: fc.string(),
    volume_traded: fc.dictionary(fc.string(), fc.integer()),
  },
  { requiredKeys: ["league"] },
);
const rows = (row: fc.Arbitrary<unknown>) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: row }, fc.jsonValue()), { maxLength: 6 });
const stashPage = fc.record({ next_change_id: fc.string({ minLength: 1 }), stashes: rows(stash) });
const hourPage = fc.record({ next_change_id: fc.nat(), markets: rows(market) });

/** Generates the text of a body: as the service writes it, in another form, or damaged. */
const written = (page: fc.Arbitrary<unknown>) =>
  fc.tuple(page, fc.nat({ max: 9 }), fc.nat()).map(([value, how, at]) => {
    const text = JSON.stringify(value);
    const middle = at % (text.length + 1);
    if (how === 0) return JSON.stringify(value, undefined, 2);
    if (how === 1) return text.slice(0, middle);
    if (how === 2) return `${text.slice(0, middle)}\u0000${text.slice(middle)}`;
    if (how === 3) return `[${text}]`;
    return text;
  });

describe("a page decoded on a thread", () => {
  it("is the page that the follower's own thread decodes, whatever it holds, at every level", async () => {
    const body = fc.oneof(
      fc.tuple(fc.constant("stashes" as const), written(stashPage)),
      fc.tuple(fc.constant("exchange" as const), written(hourPage)),
    );
    let pages = 0;
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.constantFrom("envelope" as const, "items" as const, "full" as const),
        fc.constantFrom("br", "deflate", "zstd"),
        async ([source, text], level, encoding) => {
          const make = () => bodyOf(text, { source, level, encoding });
          const there = await outcome(threads, make());
          expect(there).toEqual(await outcome(PageDecoder.sameThread, make()));
          if ("nextId" in there) pages += 1;
        },
      ),
      // CI, where REQUIRE_SERVICES is set, tries all of them.
      { numRuns: share(500), seed: 11 },
    );
    expect(pages).toBeGreaterThan(share(250));
  });

  it("fails as it fails there: cut, foreign, bombs, bytes that are not what they are said to be", async () => {
    const page = JSON.stringify({ next_change_id: "5", stashes: [{ id: "a", public: false }] });
    const large = Buffer.alloc(200_000, " ");
    const bodies: ReadonlyArray<() => PageDecoder.WireBody> = [
      () => bodyOf(page, { encoding: "lzma" }),
      () => bodyOf(page, { wire: Uint8Array.from(deflateSync(page).subarray(0, -6)) }),
      () => bodyOf(page, { wire: Uint8Array.from(Buffer.from("<html></html>")) }),
      () => bodyOf(Buffer.concat([Buffer.from(page), large]), { maxPageBytes: 10_000 }),
      () => bodyOf(large, { encoding: "identity", maxPageBytes: 10_000 }),
      () => bodyOf(large, { encoding: "identity" }),
      () => bodyOf("", { encoding: "identity" }),
      () => bodyOf(Buffer.concat([Buffer.from(page), large]), { encoding: "gzip" }),
    ];
    const tags: Array<unknown> = [];
    for (const make of bodies) {
      const there = await outcome(threads, make());
      expect(there).toEqual(await outcome(PageDecoder.sameThread, make()));
      tags.push("_tag" in there ? there._tag : "page");
    }
    expect(tags).toEqual([
      "DecompressError",
      "TruncatedBody",
      "DecompressError",
      "PageTooLarge",
      "PageTooLarge",
      "MalformedPage",
      "MalformedPage",
      "page",
    ]);
  });

  it("has the checksum of its text, whether or not gzip names it", async () => {
    const words = Array.from({ length: 3000 }, (_, index) => (index * 7919).toString(36));
    const text = JSON.stringify({ next_change_id: words.join(" "), stashes: [] });
    const [head, tail] = [text.slice(0, 100), text.slice(100)].map((part) => gzipSync(part));
    const members = Buffer.concat([head!, tail!]);
    const padded = Buffer.concat([gzipSync(text), Buffer.alloc(8)]);
    for (const wire of [gzipSync(text), members, padded].map((each) => Uint8Array.from(each))) {
      for (const decoder of [PageDecoder.sameThread, threads]) {
        const body = bodyOf(text, { wire, encoding: "gzip", ownsBuffer: false });
        const page = await Effect.runPromise(decoder.decode(body));
        expect(page.checksum).toBe(checksumOf(Buffer.from(text)));
      }
    }
  });

  it("is scanned there by WebAssembly", async () => {
    const decoder = await scoped(DecodeWorker.make({ script: SCANNING }));
    const body = bodyOf('{"next_change_id":"5","stashes":[]}');
    const exit = await Effect.runPromiseExit(decoder.decode(body));
    expect(exit).toMatchObject({
      cause: { reasons: [{ error: { detail: "it exited with code 9" } }] },
    });
  });

  it("has its memory handed over, unless the source may still hold it", async () => {
    const text = JSON.stringify({ next_change_id: "5", stashes: [] });
    const ours = bodyOf(text);
    await Effect.runPromise(threads.decode(ours));
    expect(ours.wire.length).toBe(0);
    const pooled = Buffer.concat([deflateSync(text)]);
    expect(pooled.buffer.byteLength).toBeGreaterThan(pooled.length);
    for (const kept of [bodyOf(text, { ownsBuffer: false }), bodyOf(text, { wire: pooled })]) {
      const { nextId } = await Effect.runPromise(threads.decode(kept));
      expect([nextId, kept.wire.length]).toEqual(["5", deflateSync(text).length]);
    }
  });

  it("is checked again where a program asks for another level than the thread was told", async () => {
    const odd = { id: "a", public: true, items: [{ w: "wide" }] };
    const body = bodyOf(JSON.stringify({ next_change_id: "5", stashes: [odd, { id: "b" }] }));
    const { rows: found } = await Effect.runPromise(threads.decode(body));
    const page = { rows: found, nextId: "5", requestedId: undefined } as unknown as Page;
    const counts = (["envelope", "items", "full"] as const).map((level) => {
      const { good, bad } = Decode.stashes(page, level);
      return [good.length, bad.length];
    });
    expect(counts).toEqual([
      [1, 1],
      [1, 1],
      [0, 2],
    ]);
    // Told to look at no more than the envelope, it has not parsed the items.
    const bare = bodyOf(
      '{"next_change_id":"5","stashes":[{"id":"a","public":true,"items":[{"x":tru}]}]}',
      {
        level: "envelope",
      },
    );
    const { rows: unchecked } = await Effect.runPromise(threads.decode(bare));
    const other = { ...page, rows: unchecked } as Page;
    expect(Decode.stashes(other, "envelope").bad).toHaveLength(0);
    expect(Decode.stashes(other, "items").bad).toHaveLength(1);
  });
});

describe("a thread that ends", () => {
  const fine = () => bodyOf(JSON.stringify({ next_change_id: "6", stashes: [] }));
  const deadly = (how: string, more: Partial<PageDecoder.WireBody> = {}) =>
    bodyOf(JSON.stringify({ next_change_id: "6", stashes: [how] }), more);
  const nextIdOf = async (decoder: Decoder) =>
    (await Effect.runPromise(decoder.decode(fine()))).nextId;

  it.each(["exits", "throws"])("costs the page that it had, and no other: it %s", async (how) => {
    const exit = await Effect.runPromiseExit(dying.decode(deadly(`the thread ${how}`)));
    expect(tagOf(exit)).toBe("DecodeWorkerExited");
    expect(await nextIdOf(dying)).toBe("6");
  });

  it("costs nothing at all when it had no page: a new one is there for the next", async () => {
    await Effect.runPromise(dying.decode(deadly("the thread leaves")));
    await sleep(200);
    expect(await nextIdOf(dying)).toBe("6");
  });

  it("is ended by the clock when a page takes too long", async () => {
    const hasty = await scoped(DecodeWorker.make({ script: DYING, timeout: "30 seconds" }));
    // The thread is real, its time is not: how long it takes to start says nothing.
    const exit = await Effect.runPromise(
      Effect.gen(function* () {
        const decoding = yield* Effect.forkChild(
          Effect.exit(hasty.decode(deadly("the thread hangs"))),
        );
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)));
        yield* TestClock.adjust("29 seconds");
        expect(decoding.pollUnsafe()).toBe(undefined);
        yield* TestClock.adjust("2 seconds");
        return yield* Fiber.join(decoding);
      }).pipe(Effect.provide(TestClock.layer())),
    );
    expect(tagOf(exit)).toBe("DecodeWorkerExited");
    expect(await nextIdOf(hasty)).toBe("6");
  });

  it("is ended at once when who waits for it is interrupted, and a new one takes its place", async () => {
    const begun: Array<Worker> = [];
    const note = (worker: Worker) => void begun.push(worker);
    process.on("worker", note);
    const answer = await Effect.runPromise(
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(dying.decode(deadly("the thread hangs")));
        yield* Effect.sleep("100 millis");
        yield* Fiber.interrupt(waiting);
        return yield* dying.decode(fine());
      }),
    );
    expect(answer.nextId).toBe("6");
    process.off("worker", note);
    expect(begun).toHaveLength(1);
  });

  it("makes a page badPage: one that ends a second thread is malformed, its bytes kept whole", async () => {
    const text = JSON.stringify({ next_change_id: "6", stashes: ["the thread exits"] });
    const seen = await outcome(dying, bodyOf(text, { threadsLost: 1 }));
    expect(seen).toMatchObject({
      _tag: "MalformedPage",
      headId: "6",
      raw: Buffer.from(text).toString("hex"),
    });
    // Suspect, but innocent.
    const page = await Effect.runPromise(dying.decode({ ...fine(), threadsLost: 4 }));
    expect(page.nextId).toBe("6");
  });

  it("cannot begin where its program is not there, which is told when the layer is built", async () => {
    const script = new URL("./support/absent.ts", import.meta.url);
    const exit = await Effect.runPromiseExit(Effect.scoped(DecodeWorker.make({ script })));
    expect(tagOf(exit)).toBe("DecodeWorkerExited");
  });

  it("is not outlived by the scope: every thread ends with it, busy ones as well", async () => {
    const begun: Array<Worker> = [];
    const ended: Array<Worker> = [];
    const note = (worker: Worker) => {
      begun.push(worker);
      worker.once("exit", () => ended.push(worker));
    };
    process.on("worker", note);
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const pool = yield* DecodeWorker.make({ threads: 2, script: DYING });
          yield* Effect.forkDetach(Effect.exit(pool.decode(deadly("the thread hangs"))));
          yield* Effect.sleep("100 millis");
          expect(begun).toHaveLength(2);
        }),
      ),
    );
    process.off("worker", note);
    expect(ended).toHaveLength(2);
  });
});
