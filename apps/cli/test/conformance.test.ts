/** `gamedata conformance` against a sandbox that conforms, and against one with planted faults. */
import { stripVTControlCharacters } from "node:util";
import { CliOutput } from "effect/cli";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ConformanceReport } from "@game-data/sandbox/conformance";
import { usePrompt, useService } from "./support/gamedata.ts";

const service = useService();
const prompt = usePrompt();
beforeAll(() => {
  prompt.env = service.envOf("example-web");
});
afterEach(() => service.control("/faults", undefined, "DELETE"));

const COMMAND = ["conformance", "--league", "Standard"];

/** Runs the command, whatever its exit code. */
const examine = async (
  more: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
) => {
  const { code, stderr, stdout } = await prompt.run([...COMMAND, ...more, "--json"], { env });
  return { code, stderr, report: JSON.parse(stdout) as ConformanceReport };
};

const of = ({ endpoints }: ConformanceReport, endpoint: string) =>
  endpoints.find((each) => each.endpoint === endpoint)!;

describe("a deployment that conforms", () => {
  it("is asked for game 2 where it has it", async () => {
    const { code, report, stderr } = await examine(["--realm", "game2"]);
    expect(report.endpoints.flatMap(({ deviations }) => deviations)).toEqual([]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const name of ["unknownPath", "noToken", "unknownToken", "missingScope"])
      expect(of(report, `errors.${name}`)).toMatchObject({ result: "conforms", requests: 1 });
    expect(of(report, "profile.get").policy).not.toBeNull();
    expect(of(report, "characters.get").result).toBe("conforms");
    expect(of(report, "currencyExchange.page").requests).toBe(2);
    expect(of(report, "stashes.list")).toMatchObject({
      result: "not asked",
      notAsked: ["it does not have the realm game2"],
    });
  });

  it("is asked only what the token permits", async () => {
    const { access_token } = await service.control("/tokens", {
      clientId: "example-web",
      scopes: ["account:profile"],
    });
    const { code, report } = await examine([], { GAME_DATA_TOKEN: access_token });
    expect(code).toBe(0);
    expect(of(report, "profile.get").result).toBe("conforms");
    expect(of(report, "leagues.list")).toMatchObject({ result: "not asked", requests: 0 });
    expect(of(report, "leagues.list").notAsked[0]).toContain("service:leagues");
    expect(of(report, "errors.missingScope").notAsked).toHaveLength(1);
  });
});

describe("a deployment that deviates", () => {
  const plant = (endpoint: string, fault: object) =>
    service.control("/faults", { match: { endpoint }, fault });

  it("is reported by endpoint, with the pointer of a member and the name of a header", async () => {
    await plant("characters.get", { kind: "members", add: { surprise: 1 } });
    const odd = { "content-type": "text/plain", "x-rate-limit-account-state": "many" };
    await plant("accountLeagues.list", { kind: "headers", set: odd });
    const { code, report, stderr } = await examine();
    expect(code).toBe(76);
    expect(JSON.parse(stderr).error).toMatchObject({ code: "not-conforming" });
    const deviating = report.endpoints.filter(({ result }) => result === "deviates");
    expect(deviating.map(({ endpoint }) => endpoint)).toEqual([
      "characters.get",
      "accountLeagues.list",
    ]);
    const { deviations } = of(report, "characters.get");
    expect(deviations).toContainEqual(
      expect.objectContaining({ in: "body", at: "/surprise", kind: "unknown-key" }),
    );
    expect(deviations).toContainEqual(
      expect.objectContaining({ at: "/character/surprise", expected: "absent", count: 1 }),
    );
    expect(of(report, "accountLeagues.list").deviations).toEqual([
      expect.objectContaining({ in: "header", at: "content-type", actual: "text/plain" }),
      expect.objectContaining({ in: "header", at: "x-rate-limit-account-state", actual: "many" }),
    ]);
  });

  it("is shown in 40 columns", async () => {
    await plant("publicStashTabs.page", { kind: "members", add: { surprise: 1 } });
    const { code, stdout } = await prompt.run(COMMAND, { columns: 40 });
    expect(code).toBe(76);
    const lines = stripVTControlCharacters(stdout).split("\n");
    for (const line of lines) expect(CliOutput.displayWidth(line)).toBeLessThanOrEqual(40);
    expect(lines[0]).toMatch(/^endpoint +sent +result$/u);
    expect(lines).toContain("publicStashTabs.page");
    expect(lines).toContain("  ✗ /surprise");
    expect(stdout.replaceAll(/\s+/gu, " ")).toContain("1 deviate");
  });
});

describe("a deployment that cannot be examined", () => {
  it("is reported as unreachable", async () => {
    const env = { GAME_DATA_BASE_URL: "http://127.0.0.1:9", GAME_DATA_TOKEN: "any" };
    const ended = await prompt.error("conformance", { env });
    expect(ended).toMatchObject({ exit: 69, code: "unreachable", stdout: "" });
  });
});
