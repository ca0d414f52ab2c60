/** `gamedata conformance` against a sandbox that conforms, and against one with planted faults. */
import { CliOutput } from "effect/cli";
import { afterEach, beforeAll, expect, it } from "vitest";
import type { ConformanceReport } from "@game-data/sandbox/conformance";
import { render } from "@game-data/terminal/View";
import { conformanceReport } from "../src/output/conformanceReport.ts";
import { usePrompt, useService } from "./support/gamedata.ts";

const service = useService();
const prompt = usePrompt();
beforeAll(() => {
  prompt.env = service.envOf("example-web");
});
afterEach(() => service.control("/faults", undefined, "DELETE"));

/** Runs the command, whatever its exit code. */
const examine = async (
  more: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
) => {
  const { code, stderr, stdout } = await prompt.run(
    ["conformance", "--league", "Standard", ...more, "--json"],
    { env },
  );
  return { code, stderr, report: JSON.parse(stdout) as ConformanceReport };
};

const of = ({ endpoints }: ConformanceReport, endpoint: string) =>
  endpoints.find((each) => each.endpoint === endpoint)!;

it("is asked only what the token permits, in the realm that is named", async () => {
  const { access_token } = await service.control("/tokens", {
    clientId: "example-web",
    scopes: ["account:profile", "account:characters", "service:cxapi"],
  });
  const env = { GAME_DATA_TOKEN: access_token };
  const { code, report, stderr } = await examine(["--realm", "game2"], env);
  expect([code, stderr, report.deviations]).toEqual([0, "", 0]);
  for (const name of ["profile.get", "characters.get", "currencyExchange.page", "errors.noToken"])
    expect(of(report, name).result).toBe("conforms");
  expect(of(report, "characters.list").policy).not.toBeNull();
  expect(of(report, "stashes.list").notAsked).toEqual(["it does not have the realm game2"]);
  expect(of(report, "leagues.list")).toMatchObject({ result: "not asked", requests: 0 });
  expect(of(report, "leagues.list").notAsked[0]).toContain("service:leagues");
});

it("reports deviations by endpoint, pointer and header, and shows them in 40 columns", async () => {
  const plant = (endpoint: string, fault: object) =>
    service.control("/faults", { match: { endpoint }, fault });
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

  const shown = render(conformanceReport(report), { width: 40, color: false });
  const lines = shown.split("\n");
  for (const line of lines) expect(CliOutput.displayWidth(line)).toBeLessThanOrEqual(40);
  expect(lines[0]).toMatch(/^endpoint +sent +result$/u);
  expect(lines).toContain("  ✗ /surprise");
  expect(shown.replaceAll(/\s+/gu, " ")).toContain("2 deviate");
});

it("tells that no deployment is there", async () => {
  const env = { GAME_DATA_BASE_URL: "http://127.0.0.1:9", GAME_DATA_TOKEN: "any" };
  const ended = await prompt.error("conformance", { env });
  expect(ended).toMatchObject({ code: "unreachable", stdout: "" });
});
