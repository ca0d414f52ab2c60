/** The WebAssembly scanner, held against the walk, its source and its absence. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile } from "../scripts/buildScanner.ts";
import { walk } from "../src/core/findSpans.ts";
import { MODULE } from "../src/core/findSpansModule.ts";
import { findSpansWasm } from "../src/core/findSpansWasm.ts";
import { compareWithWalk, damaged, share, written } from "./support/RandomPages.ts";

const bytes = (text: string) => Buffer.from(text);
const WINDOW = 65_536;

describe("the WebAssembly scanner", () => {
  it("is what its source compiles to", async () => {
    const compiled = Buffer.from(await compile());
    expect(compiled.toString("base64"), "run: node scripts/buildScanner.ts").toBe(MODULE);
    expect(compiled.length).toBeLessThan(2000);
  });

  /** Each of them is quick: mutants of the walk are tried with quick tests alone. */
  const SEEDS = [1, 2, 3, 4, 5, 6];

  it.each(SEEDS)("finds what the walk finds in random pages: %i", (seed) => {
    fc.assert(
      fc.property(written, (raw) => {
        expect(compareWithWalk(raw)).toBe("spans");
      }),
      { numRuns: share(250), seed },
    );
  });

  it.each(SEEDS)("finds what the walk finds in damaged pages, or leaves them to it: %i", (seed) => {
    const counts = { spans: 0, none: 0, "walk decides": 0 };
    fc.assert(
      fc.property(damaged, (raw) => {
        counts[compareWithWalk(raw)] += 1;
      }),
      // CI, where REQUIRE_SERVICES is set, tries all of them.
      { numRuns: share(500), seed },
    );
    expect(counts.spans).toBeGreaterThan(share(30));
    expect(counts.none).toBeGreaterThan(share(150));
    expect(counts["walk decides"]).toBeLessThan(share(200));
  });

  it("carries strings, escapes and brackets over the end of a block and of a piece", () => {
    const tails = [
      '\\\\\\"]}',
      "\\\\",
      'a","b":[{"c":[{}]}],"d":"\\"',
      '","e":[{"f":[[],{}]}],"":"',
    ];
    for (const end of [64, 128, WINDOW, 2 * WINDOW]) {
      for (let place = end - 12; place <= end + 2; place += 1) {
        for (const tail of tails) {
          const raw = bytes(`{"a":"${"x".repeat(place - 6)}${tail}"}`);
          expect(compareWithWalk(raw)).not.toBe("walk decides");
        }
      }
    }
  });

  it.each(['"', '"a\\', "[]", '[{"a":[]}]', "]", '{}"', '{}"a', "{}]", '{"a":"\\"', ""])(
    "is not misled by what is no page: %s",
    (text) => {
      expect(compareWithWalk(bytes(text))).not.toBe("walk decides");
    },
  );

  it("forgets the page before, however that ended", () => {
    const page = bytes('{"stashes":[{"id":"a","items":[{}]}]}');
    for (const broken of ['{"a":"', '{"a":"\\', '{"stashes":[{"items":[{', "{]", "{\\", "]"]) {
      compareWithWalk(bytes(broken));
      expect(findSpansWasm(page)).toEqual(walk(page));
    }
  });

  it("leaves to the walk: a backslash outside of strings, 1,025 levels, 20,413 spans", () => {
    const nested = (depth: number) => bytes(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
    const many = (spans: number) => bytes(`{"a":[${"{},".repeat(spans - 2)}{}]}`);
    expect(findSpansWasm(bytes('{"a":\\"}'))).toBe("walkDecides");
    expect(compareWithWalk(nested(1023))).toBe("spans");
    expect(compareWithWalk(nested(1024))).toBe("walk decides");
    expect(compareWithWalk(many(20_412))).toBe("spans");
    expect(compareWithWalk(many(20_413))).toBe("walk decides");
  });
});

/** Runs in a thread, whose modules are its own, with its global object changed before. */
const scan = async (change: string, page: string) => {
  const source = (name: string) => new URL(`../src/core/${name}`, import.meta.url).href;
  const program = `
    const { workerData, parentPort } = require("node:worker_threads");
    Promise.all([import(workerData.findSpansWasm), import(workerData.readPage)]).then((modules) => {
      // Loading TypeScript needs WebAssembly itself; the scanner is made when it is first used.
      ${change};
      const raw = Buffer.from(workerData.page);
      const [{ findSpansWasm }, { readPage }] = modules;
      parentPort.postMessage({ spans: findSpansWasm(raw), bounds: readPage(raw, "stashes", "envelope").bounds });
    });`;
  const thread = new Worker(program, {
    eval: true,
    workerData: {
      findSpansWasm: source("findSpansWasm.ts"),
      readPage: source("readPage.ts"),
      page,
    },
  });
  const [outcome] = await once(thread, "message");
  await thread.terminate();
  return outcome;
};

it("the walk matches a million levels and no more", () => {
  const levels = (count: number) => Buffer.alloc(count, "{");
  expect(walk(Buffer.concat([levels(1_048_576), levels(1_048_576).fill("}")]))).toEqual([]);
  expect(walk(levels(1_048_577))).toBe("tooDeep");
});

describe("without WebAssembly", () => {
  it.each([
    ["the runtime has none", "delete globalThis.WebAssembly"],
    ["a policy forbids it", "WebAssembly.Module = class { constructor() { throw new Error() } }"],
  ])("pages are scanned by the walk: %s", async (_, change) => {
    const page = '{"next_change_id":"1","stashes":[{"id":"a","items":[{},[]]}]}';
    const { bounds, spans } = await scan(change, page);
    expect(spans).toBe("walkDecides");
    expect(bounds).toEqual([33, 59]);
  });

  it("is what decides, since the same thread uses it where it runs", async () => {
    const { spans } = await scan("", '{"next_change_id":"1","stashes":[]}');
    expect(spans).not.toBe("walkDecides");
  });
});
