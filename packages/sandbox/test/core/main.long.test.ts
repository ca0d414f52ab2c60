/** The program: what it prints, and how it ends. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Program, runProgram, startProgram } from "./program.ts";

describe("the program", () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram("--port", "0", "--seed", "1");
  });
  afterAll(() => program.stop("SIGKILL"));

  it("the program prints one line of JSON when it is ready, and nothing else", () => {
    expect(program.output.stdout.trimEnd().split("\n")).toHaveLength(1);
    const told = Object.keys(program.info).join(" ");
    expect(told).toBe("authUrl baseUrl controlUrl clients accounts");
    expect(program.output.stderr).toBe("");
  });
  it("the ready line lists clients of both kinds, and secrets only of confidential clients [OA-36]", () => {
    for (const client of program.info.clients) {
      expect(client.clientSecret === undefined).toBe(client.kind === "public");
      expect(client.redirectUris.length).toBeGreaterThan(0);
      expect(client.scopes.length).toBeGreaterThan(0);
    }
    expect(new Set(program.info.clients.map(({ kind }) => kind))).toEqual(
      new Set(["public", "confidential"]),
    );
    expect(program.info.accounts[0]?.uuid).toMatch(/^[0-9a-f-]{36}$/u);
  });
  it("the program exits with 0 after SIGTERM, even with an open connection", async () => {
    const other = await startProgram();
    await (await fetch(`${other.info.authUrl}/my/applications`)).text();
    expect(await other.stop("SIGTERM")).toBe(0);
  });
});

it("the program exits with 64 for wrong usage and 69 if it cannot start, and --help explains it", async () => {
  for (const [args, code] of [
    [["--port", "many"], 64],
    [["--host", "0.0.0.0"], 69],
  ] as const) {
    const run = await runProgram(...args);
    expect(run).toMatchObject({ code, stdout: "" });
    expect(run.stderr).toMatch(/^game-data-sandbox: /u);
  }
  const help = await runProgram("--help");
  expect([help.code, help.stderr]).toEqual([0, expect.stringContaining("Not for production")]);
});
