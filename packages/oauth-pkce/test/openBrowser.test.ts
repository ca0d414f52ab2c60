import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe } from "@effect/vitest";
import { Effect } from "effect";
import { openBrowser } from "../src/node/index.ts";
import { it } from "./it.ts";

/** A browser that writes down its arguments, one per line. */
const recordingBrowser = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "browser-"));
    const program = join(folder, "browser");
    const log = join(folder, "log");
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > "${log}.tmp"\nmv "${log}.tmp" "${log}"\n`,
    );
    await chmod(program, 0o755);
    const before = process.env["BROWSER"];
    process.env["BROWSER"] = program;
    return { folder, log, before };
  }),
  ({ folder, before }) =>
    Effect.promise(async () => {
      if (before === undefined) delete process.env["BROWSER"];
      else process.env["BROWSER"] = before;
      await rm(folder, { recursive: true });
    }),
).pipe(
  Effect.map(({ log, folder }) => ({
    folder,
    args: Effect.gen(function* () {
      for (let attempt = 0; attempt < 250; attempt++) {
        const text = yield* Effect.promise(() => readFile(log, "utf8").catch(() => ""));
        if (text !== "") return text.split("\n").slice(0, -1);
        yield* Effect.sleep("20 millis");
      }
      return [];
    }),
  })),
);

const isLinux = process.platform === "linux";

describe("opening the browser", () => {
  it.live("C25: an address with shell characters arrives as one argument", function* () {
    if (!isLinux) return;
    const { args, folder } = yield* recordingBrowser;
    const url = `https://auth.example.com/oauth/authorize?a=$(touch ${folder}/pwned)&b=\`id\`&calc|x;y'"<>%20`;
    yield* openBrowser(url);
    const [count, argument] = yield* args;
    assert.strictEqual(count, "1");
    assert.strictEqual(argument, new URL(url).href);
    const pwned = yield* Effect.promise(() => readFile(`${folder}/pwned`).catch(() => undefined));
    assert.isUndefined(pwned);
  });

  it.effect.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "smb://evil.example/share",
    "calculator:",
    "-a",
    "--version",
    "calc.exe",
    "",
  ])("C25: %j is not opened", function* (url) {
    const error = yield* Effect.flip(openBrowser(url));
    assert.strictEqual(error._tag, "ConfigurationInvalid");
  });
});
