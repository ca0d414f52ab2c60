import { Effect } from "effect";
import { afterEach, describe, expect, it, vi } from "vitest";
import { failure } from "../src/Failure.ts";
import { clean, facts, isForMachines, printFailure, progress, table } from "../src/Output.ts";
import { Program } from "../src/Program.ts";

const said = () => {
  const written: Array<string> = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  return written;
};
afterEach(() => vi.restoreAllMocks());

describe("a table", () => {
  it("is as wide as its widest cells, with figures to the right", () => {
    expect(
      table(
        ["rank", "name"],
        [
          [1, "Ab"],
          [100, "C"],
        ],
      ),
    ).toBe("rank  name\n   1  Ab\n 100  C");
  });

  it("counts the columns that a terminal shows, not characters", () => {
    expect(
      table(
        ["name", "x"],
        [
          ["宝石", 1],
          ["ab", 2],
        ],
      ),
    ).toBe("name  x\n宝石  1\nab    2");
  });

  it("says so when there is nothing", () => {
    expect(table(["name"], [], "No tabs.")).toBe("No tabs.");
  });
});

it("shows strangers' control characters as what they are: nothing for a terminal to obey", () => {
  const evil = "a\u001B]0;owned\u0007b\u009B2Jc\r\n";
  for (const shown of [table(["name"], [[evil]]), facts([["name", evil]]), clean(evil)])
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u001B\u0007\u009B\r]/u);
});

it("leaves out facts that are not there", () => {
  expect(
    facts([
      ["name", "A"],
      ["of", undefined],
      ["level", 0],
    ]),
  ).toBe("name   A\nlevel  0");
});

it("looks for --json among the arguments of the program itself", () => {
  expect(isForMachines(["whoami", "--json"])).toBe(true);
  expect(isForMachines(["sandbox", "exec", "--", "other", "--json"])).toBe(false);
});

describe("a failure", () => {
  const error = failure("not-signed-in", "Nobody\nis here.", { details: { tag: "NotSignedIn" } });

  it("is a sentence and the next step, in the name of the program", async () => {
    const written = said();
    await Effect.runPromise(
      Effect.provideService(printFailure(error, false), Program, { name: "ranks", version: "1" }),
    );
    expect(written.join("")).toBe("error: Nobody\nis here.\n→ sign in with: ranks login\n");
  });

  it("is one line of JSON for scripts, with its facts", async () => {
    const written = said();
    await Effect.runPromise(printFailure(error, true));
    expect(written).toHaveLength(1);
    expect(JSON.parse(written[0]!)).toEqual({
      error: {
        tag: "NotSignedIn",
        code: "not-signed-in",
        exitCode: 77,
        message: "Nobody\nis here.",
        next: "sign in with: gamedata login",
      },
    });
  });

  it("names commands that only gamedata has as they are", async () => {
    const written = said();
    await Effect.runPromise(
      Effect.provideService(printFailure(failure("rate-limited", "Later."), false), Program, {
        name: "ranks",
        version: "1",
      }),
    );
    expect(written.join("")).toContain("gamedata limits");
  });
});

it("says where things stand now and then where nobody watches, and the last word always", () => {
  const written = said();
  const bar = progress();
  bar.show("1 page");
  bar.show("2 pages");
  bar.done("3 pages");
  expect(written).toEqual(["3 pages\n"]);
});
