import { Effect, Option } from "effect";
import { describe, expect, it } from "vitest";
import { failure } from "../src/Failure.ts";
import { Host, Program } from "../src/Host.ts";
import {
  isMachineReadable,
  Jq,
  Json,
  Ndjson,
  print,
  printFailure,
  printView,
  progress,
  Template,
} from "../src/Output.ts";
import { testHost } from "../src/testHost.ts";

it("looks for output flags among the arguments of the program itself", () => {
  expect(isMachineReadable(["whoami", "--json"])).toBe(true);
  expect(isMachineReadable(["whoami", "--jq=.name"])).toBe(true);
  expect(isMachineReadable(["sandbox", "exec", "--", "other", "--json"])).toBe(false);
});

describe("printFailure", () => {
  const error = failure("not-signed-in", "Nobody\nis here.", { details: { tag: "NotSignedIn" } });
  const printed = (isJson: boolean, failed = error, name = "gamedata", columns?: number) => {
    const { host, stderr } = testHost([], { columns });
    return Effect.runPromise(
      printFailure(failed, isJson).pipe(
        Effect.provideService(Host, host),
        Effect.provideService(Program, { name, version: "1" }),
        Effect.map(() => stderr.text),
      ),
    );
  };

  it("prints a sentence and the next step, in the name of the program", async () => {
    expect(await printed(false, error, "ranks")).toBe(
      "error: Nobody\n  │ is here.\n→ sign in with: ranks login\n",
    );
  });

  it("prints one line of JSON for scripts, with the details", async () => {
    expect(JSON.parse(await printed(true))).toEqual({
      error: {
        tag: "NotSignedIn",
        code: "not-signed-in",
        exitCode: 77,
        message: "Nobody\nis here.",
        next: "sign in with: gamedata login",
      },
    });
  });

  it("shows what steers a terminal as escapes of JSON there, and as it is in a pipe", async () => {
    const hostile = failure("rate-limited", "a\u009b2J\u202eb\u200b\u2028");
    const shown = await printed(true, hostile, "gamedata", 80);
    expect(shown).toContain(String.raw`a\u009b2J\u202eb\u200b\u2028`);
    expect(JSON.parse(shown)).toEqual(JSON.parse(await printed(true, hostile)));
    expect(await printed(true, hostile)).toContain("a\u009b2J\u202eb");
  });

  it("keeps the name of commands that only gamedata has", async () => {
    expect(await printed(false, failure("rate-limited", "Later."), "ranks")).toContain(
      "gamedata limits",
    );
  });

  it("colours the title on a terminal", async () => {
    expect(await printed(false, error, "gamedata", 80)).toContain("\u001B[31merror:\u001B[39m");
  });
});

describe("progress", () => {
  const shown = async (columns?: number) => {
    const { host, stderr } = testHost([], { columns });
    const line = await Effect.runPromise(Effect.provideService(progress, Host, host));
    line.update("1 page");
    line.update("2 pages");
    line.done("3 pages");
    return stderr.text;
  };

  it("prints the final text only, where it is fast and nobody watches", async () => {
    expect(await shown()).toBe("3 pages\n");
  });

  it("updates a line in place on a terminal, cut to its width", async () => {
    expect(await shown(6)).toBe("\r\u001B[2K1 pag\r\u001B[2K3 pag\n");
  });
});

describe("results on a terminal", () => {
  const printed = (flags: { jq?: string; template?: string }, columns?: number) => {
    const { host, stdout } = testHost([], { columns });
    return Effect.runPromise(
      print({ name: "x\nFAKE LINE\u{202e}" }, () => "").pipe(
        Effect.provideService(Host, host),
        Effect.provideService(Jq, Option.fromUndefinedOr(flags.jq)),
        Effect.provideService(Template, Option.fromUndefinedOr(flags.template)),
        Effect.provideService(Json, false),
        Effect.provideService(Ndjson, false),
        Effect.map(() => stdout.text),
      ),
    );
  };

  it.each([{ jq: ".name" }, { template: "\\(.name)" }])(
    "lets no text of others begin a line: %j",
    async (flags) => {
      expect(await printed(flags, 80)).toBe("x\\u{a}FAKE LINE\\u{202e}\n");
      expect(await printed(flags)).toBe("x\nFAKE LINE\u{202e}\n");
    },
  );

  it("takes 0 columns for unknown", async () => {
    const { host, stdout } = testHost([], { columns: 0 });
    await Effect.runPromise(
      printView("a line of several words").pipe(Effect.provideService(Host, host)),
    );
    expect(stdout.text).toBe("a line of several words\n");
  });
});
