/** Programs that are run against a sandbox of their own. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Fiber } from "effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exec, type ExecOptions } from "../../src/Exec.ts";
import type { ConformanceReport } from "@game-data/sandbox/conformance";
import { MAIN, runProgram, startProgram } from "./program.ts";

let folder: string;
let told: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "exec-"));
  told = join(folder, "told.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a script that has `fs` and writes what it has to tell to a file. */
const script = (code: string, options?: ExecOptions) => {
  const head = `const fs = require("node:fs"); const told = ${JSON.stringify(told)};`;
  return exec([process.execPath, "-e", head + code], options);
};
const TELL = "fs.writeFileSync(told, JSON.stringify(process.env));";
const read = () => JSON.parse(readFileSync(told, "utf8")) as Record<string, string>;

describe("a program", () => {
  it("`exec` passes the service to the program in its environment, and succeeds with its exit code", async () => {
    const ask = `fetch(process.env.GAME_DATA_BASE_URL + "/profile").then(({ status }) => {
      fs.writeFileSync(told, JSON.stringify({ ...process.env, STATUS: status })); process.exitCode = 7; })`;
    const elsewhere = { GAME_DATA_TOKEN: "x", GAME_DATA_PROFILE: "x", GAME_DATA_WORDS: "x" };
    const env = { PATH: process.env["PATH"], ...elsewhere, GAME_DATA_CONFIG: "x" };
    expect(await Effect.runPromise(script(ask, { env }))).toBe(7);
    const found = read();
    expect(found).toMatchObject({ GAME_DATA_CLIENT_ID: "example-web", STATUS: 401 });
    expect(found["GAME_DATA_CLIENT_SECRET"]).toMatch(/.{20,}/u);
    for (const name of ["AUTH_URL", "CONTROL_URL"])
      expect(found[`GAME_DATA_${name}`]).toMatch(/^http:\/\/127\.0\.0\.1:\d+/u);
    for (const name of Object.keys(elsewhere)) expect(found).not.toHaveProperty(name);
    expect(found["GAME_DATA_CONFIG"]).not.toBe("x");
  });

  it("`exec` gives a public client no other client's secret, and passes the deployment's words", async () => {
    const words = { console_a: "box", console_b: "station", game2: "second", livestream: "tube" };
    const tell = `${TELL} fs.copyFileSync(process.env.GAME_DATA_WORDS, told + ".words");`;
    await Effect.runPromise(
      script(tell, {
        clientId: "example-desktop",
        sandbox: { words },
        env: { ...process.env, GAME_DATA_CLIENT_SECRET: "of-elsewhere" },
      }),
    );
    expect(read()).toMatchObject({ GAME_DATA_CLIENT_ID: "example-desktop" });
    expect(read()).not.toHaveProperty("GAME_DATA_CLIENT_SECRET");
    expect(JSON.parse(readFileSync(`${told}.words`, "utf8"))).toEqual(words);
  });

  it("`exec` leaves no sandbox and no folder after the program has ended", async () => {
    const keep = `fs.writeFileSync(process.env.GAME_DATA_TOKENS + "/mine", ""); ${TELL}`;
    await Effect.runPromise(script(keep));
    const found = read();
    expect(existsSync(found["GAME_DATA_TOKENS"]!)).toBe(false);
    await expect(fetch(found["GAME_DATA_BASE_URL"]!)).rejects.toThrow("fetch failed");
  });

  it("interrupting `exec` ends the program, and waits for its end", async () => {
    const slow = `process.on("SIGTERM", () => setTimeout(() => { fs.writeFileSync(told, '{"ended":true}'); process.exit(0); }, 200));
      fs.writeFileSync(told, "{}"); setInterval(() => {}, 1000);`;
    const fiber = Effect.runFork(script(slow));
    await expect.poll(() => existsSync(told)).toBe(true);
    await Effect.runPromise(Fiber.interrupt(fiber));
    expect(read()).toEqual({ ended: true });
  });
});

describe("what cannot be run", () => {
  const errorOf = (command: readonly [string], options?: ExecOptions) =>
    Effect.runPromise(Effect.flip(exec(command, options)));

  it("`exec` fails with an error that names the program, the client or the sandbox", async () => {
    const message = "no-such-program cannot be run (ENOENT)";
    const notStarted = await errorOf(["no-such-program"]);
    expect(notStarted).toMatchObject({ _tag: "ProgramNotStarted", message });
    const unknown = await errorOf(["true"], { clientId: "nobody" });
    const known = expect.arrayContaining(["example-desktop"]);
    expect(unknown).toMatchObject({ _tag: "UnknownClient", known });
    expect(unknown.message).toContain("nobody");
    const nowhere = await errorOf(["true"], { sandbox: { host: "0.0.0.0" } });
    expect(nowhere._tag).toBe("SandboxStartError");
  });
});

describe("game-data-sandbox exec", () => {
  it("the command exec runs the program after --, with the named client, and exits with its code", async () => {
    const tell = `console.log(process.env.GAME_DATA_CLIENT_ID, process.argv.at(-1)); process.exit(11)`;
    const { code, stdout } = await runProgram(
      ...["exec", "--seed", "3", "--client", "example-service"],
      ...["--", process.execPath, "-e", tell, "--", "--seed"],
    );
    expect([code, stdout]).toEqual([11, "example-service --seed\n"]);
  });

  it("exec runs conformance, which finds no deviation and refuses wrong or missing credentials", async () => {
    const examined = await runProgram("exec", "--", process.execPath, MAIN, "conformance");
    const { deviations, endpoints } = JSON.parse(examined.stdout) as ConformanceReport;
    expect([examined.code, deviations]).toEqual([0, 0]);
    const conforming = endpoints.filter(({ result }) => result === "conforms");
    expect(conforming.length).toBeGreaterThan(20);
    const wrong = ["env", "GAME_DATA_CLIENT_SECRET=wrong", process.execPath, MAIN, "conformance"];
    const refused = await runProgram("exec", "--", ...wrong);
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining("gets no token")]);
    const alone = await runProgram("conformance");
    expect([alone.code, alone.stderr]).toEqual([64, expect.stringContaining("GAME_DATA_BASE_URL")]);
  });

  it("the command exec passes SIGTERM to the program, and kills the program at the second signal", async () => {
    const run = async (onSignal: string, signals: number) => {
      const waits = `process.on("SIGTERM", () => { ${onSignal} }); console.log("{}"); setInterval(() => {}, 1000);`;
      const { child, output, stop } = await startProgram(
        ...["exec", "--", process.execPath, "-e", waits],
      );
      for (let sent = 1; sent < signals; sent++) {
        child.kill("SIGTERM");
        await expect.poll(() => output.stderr).toContain("no");
      }
      return stop("SIGTERM");
    };
    expect(await run("process.exit(9)", 1)).toBe(9);
    expect(await run('console.error("no")', 2)).toBe(137);
  });

  it("the command exec exits with 64 for wrong usage, and with 66 for an unknown program", async () => {
    expect(await runProgram("exec")).toMatchObject({ code: 64, stdout: "" });
    expect(await runProgram("--client", "example-web")).toMatchObject({ code: 64 });
    const nobody = await runProgram("exec", "--client", "nobody", "--", "true");
    const noProgram = await runProgram("exec", "--", "no-such-program");
    expect([nobody.code, noProgram.code]).toEqual([64, 66]);
    expect(noProgram.stderr).toContain("no-such-program cannot be run (ENOENT)");
  });
});
