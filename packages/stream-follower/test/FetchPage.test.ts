/** One request from its first byte to its last: sizes, timers, and what is told on the way. */
import { Effect, Exit, Option } from "effect";
import { expect, it } from "vitest";
import type { PageTooLarge } from "../src/Errors.ts";
import { type FollowOptions, resolve } from "../src/Options.ts";
import { fetchPage } from "../src/core/fetchPage.ts";
import { release } from "../src/core/ownedBytes.ts";
import { KEY, virtually } from "./support/Run.ts";

/** A piece of a body, the milliseconds before it, or what breaks off. */
type Piece = Uint8Array | string | number | Error;
type Headers = Readonly<Record<string, string>>;

const fetched = async (
  pieces: ReadonlyArray<Piece>,
  headers: Headers = {},
  options: FollowOptions = {},
) => {
  const told = { received: 0, ids: [] as Array<string> };
  const exit = await virtually(
    Effect.gen(function* () {
      const services = yield* Effect.context();
      const body = (async function* () {
        for (const piece of pieces) {
          if (piece instanceof Error) throw piece.message === "" ? "no error" : piece;
          if (typeof piece !== "number")
            yield typeof piece === "string" ? Buffer.from(piece) : piece;
          else await Effect.runPromiseWith(services)(Effect.sleep(piece));
        }
      })();
      return yield* fetchPage(
        { open: () => Effect.succeed({ status: 200, headers, body }) },
        { ...KEY, id: "a", responseTimeoutMillis: 1 },
        resolve(options),
        {
          admit: Effect.sleep("1 hour"),
          received: (bytes) => void (told.received += bytes),
          foundNextId: (id) => Effect.sync(() => void told.ids.push(id)),
        },
      );
    }),
  );
  const error = Option.getOrUndefined(Exit.findErrorOption(exit));
  return { told, error, page: Exit.isSuccess(exit) ? exit.value : undefined };
};

const HEAD = '{"next_change_id":"b",';
const HOUR = 3_600_000;

it("is its bytes, and the id once it is visible", async () => {
  const headers = {
    "content-encoding": " Identity ",
    "content-length": "34",
    date: "Thu, 01 Jan 1970 01:00:00 GMT",
  };
  const { page, told } = await fetched(
    [HEAD.slice(0, 9), HEAD.slice(9), '"stashes":[]}'.slice(1), ""],
    headers,
  );
  expect(page).toMatchObject({
    ...{ status: 200, encoding: "identity", servedAt: HOUR, receivedAt: 5 * HOUR },
  });
  expect(Buffer.from(page!.wire).toString()).toBe(`${HEAD}stashes":[]}`);
  expect(told).toEqual({ received: 34, ids: ["b"] });
});

it("is the source's own where it came in one piece, and ours where it did not", async () => {
  const piece = new Uint8Array(40_000);
  const [one, two] = [await fetched([new Uint8Array(80_000)]), await fetched([piece, piece])];
  for (const { page } of [one, two]) release(page!.wire);
  expect([one.page!.wire.length, two.page!.wire.length]).toEqual([80_000, 0]);
  expect(one.page).toMatchObject({ encoding: "", servedAt: undefined });
});

const timeout = (kind: string) => ({ _tag: "PageTimeout", kind });
const truncated = (received: number, detail: string) => ({
  _tag: "TruncatedBody",
  received,
  detail,
});
const KIB = "x".repeat(1024);

it.each<[string, ReadonlyArray<Piece>, Headers, FollowOptions, object | undefined]>([
  ["a body that stalls", [HEAD, 15_001], {}, {}, timeout("stall")],
  ["one that stalls not quite", [KIB.repeat(20), 14_999, "x", 14_999, "x"], {}, {}, undefined],
  [
    "one that takes too long",
    [KIB.repeat(9), 6000, "x", 6001, "x"],
    {},
    { totalTimeout: 12_000 },
    timeout("total"),
  ],
  [
    "one that takes not quite",
    [KIB.repeat(9), 6000, "x", 6000, "x"],
    {},
    { totalTimeout: 12_000 },
    undefined,
  ],
  ["one of too few bytes", [5000, "x", 6000, "x".repeat(1022)], {}, {}, timeout("throughput")],
  ["one of just enough", [5000, "x", 6000, "x".repeat(1023)], {}, {}, undefined],
  ["a slow beginning", [5000, "x", 5000, "x"], {}, {}, undefined],
  ["one that breaks off", ["abc", new Error("aborted")], {}, {}, truncated(3, "aborted")],
  [
    "one that breaks off for no reason",
    [new Error("")],
    {},
    {},
    truncated(0, "the connection broke"),
  ],
  [
    "one that is no bytes",
    ["abc", ["x"] as never],
    {},
    {},
    truncated(3, "the body is not made of bytes"),
  ],
  [
    "one that ends early",
    ["abc"],
    { "content-length": "4" },
    {},
    truncated(3, "Content-Length says 4"),
  ],
  ["one as large as may be", ["abc", "def"], {}, { maxPageBytes: 6 }, undefined],
  [
    "one that is larger",
    ["abc", "defg"],
    {},
    { maxPageBytes: 6 },
    { _tag: "PageTooLarge", stage: "wire", limit: 6 },
  ],
])("the time and size of a body are bounded: %s", async (_, pieces, headers, options, expected) => {
  const { error, page, told } = await fetched(pieces, headers, options);
  expect(page === undefined).toBe(expected !== undefined);
  if (expected !== undefined) expect(error).toMatchObject(expected);
  const head = (error as PageTooLarge | undefined)?.head;
  if (head !== undefined) expect(Buffer.from(head).toString()).toBe("abcdefg");
  expect(told.ids).toEqual(pieces[0] === HEAD ? ["b"] : []);
});
