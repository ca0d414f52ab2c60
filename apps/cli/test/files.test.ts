import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openOutput } from "../src/output/outputFile.ts";
import { readHour } from "@game-data/terminal/Input";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gamedata-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a destination", () => {
  it("puts a file in its place when it is whole", async () => {
    const path = join(folder, "out.txt");
    writeFileSync(path, "before");
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* openOutput(path);
          yield* file.write("one\n");
          yield* file.write("two\n");
          expect(readFileSync(path, "utf8")).toBe("before");
          yield* file.close;
        }),
      ),
    );
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    expect(readdirSync(folder)).toEqual(["out.txt"]);
  });

  it("leaves nothing behind when the export ends early", async () => {
    const path = join(folder, "out.txt");
    const writeHalf = Effect.flatMap(openOutput(path), (file) => file.write("half"));
    await Effect.runPromise(Effect.scoped(writeHalf));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("an hour of the exchange", () => {
  const NOON = Date.UTC(2026, 2, 1, 12) / 1000;

  it("is that of a time in ISO 8601 or in unix seconds", async () => {
    for (const time of ["2026-03-01T12:00:00Z", "2026-03-01T12:59:59Z", `${NOON + 3599}`])
      expect(await Effect.runPromise(readHour(time))).toBe(NOON);
    const error = await Effect.runPromise(Effect.flip(readHour("noon")));
    expect(error).toMatchObject({
      code: "usage",
      message: "Invalid time: noon. Use an ISO 8601 hour.",
    });
  });

  it("is the last complete hour, without a time", async () => {
    const at = (seconds: number) =>
      Effect.runPromise(
        Effect.andThen(TestClock.setTime(seconds * 1000), readHour(undefined)).pipe(
          Effect.provide(TestClock.layer()),
        ),
      );
    expect(await at(NOON)).toBe(NOON - 3600);
    expect(await at(NOON + 3599)).toBe(NOON - 3600);
  });
});
