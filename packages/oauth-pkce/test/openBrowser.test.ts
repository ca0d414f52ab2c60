import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, test, vi } from "@effect/vitest";
import { Effect } from "effect";
import { openBrowser } from "../src/node/index.ts";
import { it } from "./it.ts";

describe("opening the browser", () => {
  test.runIf(process.platform === "linux")(
    "openBrowser passes an address with shell characters as one argument",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "browser-"));
      const [program, log] = [join(folder, "browser"), join(folder, "log")];
      // Writes down how many arguments it was given, and each of them.
      const script = `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > "${log}"\n`;
      await writeFile(program, script, { mode: 0o755 });
      vi.stubEnv("BROWSER", program);
      const url = `https://auth.example.com/oauth/authorize?a=$(touch ${folder}/pwned)&b=\`id\`&calc|x;y'"<>%20`;
      await Effect.runPromise(openBrowser(url));
      const written = async () => (await readFile(log, "utf8").catch(() => "")).split("\n");
      await vi.waitFor(
        async () => assert.deepStrictEqual(await written(), ["1", new URL(url).href, ""]),
        5_000,
      );
      assert.isFalse(existsSync(`${folder}/pwned`));
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    },
  );

  it.effect.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "smb://evil.example/share",
    "calculator:",
    "shttp://evil.example",
    "-a",
    "--version",
    "calc.exe",
    "",
  ])("openBrowser refuses the address %j", function* (url) {
    const error = yield* Effect.flip(openBrowser(url));
    assert.deepInclude(error, { option: "url", reason: "must be http or https" });
  });
});
