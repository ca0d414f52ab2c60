/** Where settings come from: flags, the environment, the file. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { String as Str } from "effect";
import { beforeEach, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

const service = useService({ rates: "off" });
const prompt = usePrompt();
const folder = join(prompt.home, ".config/gamedata");
const write = (content: object | string) => {
  mkdirSync(folder, { recursive: true });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(folder, "config.json"), text);
};
const settings = () => {
  const { GAME_DATA_CLIENT_SECRET: clientSecret } = service.env("example-web");
  const { authUrl, baseUrl } = service.sandbox;
  return { authUrl, baseUrl, clientId: "example-web", clientSecret };
};
beforeEach(() => write("{}"));

it("settings are read from the file in the user's folder, or the file of GAME_DATA_CONFIG", async () => {
  write(settings());
  expect((await prompt.run("leagues list")).code).toBe(0);
  write({});
  const other = join(prompt.home, "other.json");
  writeFileSync(other, JSON.stringify(settings()));
  expect((await prompt.run("leagues list", { env: { GAME_DATA_CONFIG: other } })).code).toBe(0);
});

it("flags override settings of the environment, which override the configuration file", async () => {
  write({ ...settings(), baseUrl: "http://127.0.0.1:1" });
  const env = { GAME_DATA_BASE_URL: service.sandbox.baseUrl };
  expect((await prompt.run("leagues list", { env })).code).toBe(0);
  const away = await prompt.error("leagues list --base-url http://127.0.0.1:2", { env });
  expect(away).toMatchObject({ code: "TransportError", exitCode: 69 });
  const all = Object.entries(settings()).map(
    ([name, value]) => `--${Str.kebabCase(name)}=${value}`,
  );
  write({});
  expect((await prompt.run(["leagues", "list", ...all])).code).toBe(0);
});

it("a missing or empty setting exits with 78, and the error says how to set it", async () => {
  const missing = ["authUrl", "baseUrl", "clientId"];
  const next = expect.stringContaining("GAME_DATA_BASE_URL, GAME_DATA_CLIENT_ID");
  write({ authUrl: "", tokens: "" });
  const error = await prompt.error("leagues list --base-url=");
  expect(error).toMatchObject({ code: "SettingMissing", exitCode: 78, missing, next });
  const homeless = await prompt.error("leagues list", { env: { HOME: "" } });
  expect(homeless.next).toBe("set HOME or GAME_DATA_CONFIG");
  const { code, stdout } = await prompt.run("doctor", { env: { XDG_CONFIG_HOME: "/none" } });
  expect(code).toBe(78);
  expect(stdout).toMatch(/^✓ settings .*config\.json, which does not exist$/mu);
});

it.each([
  ["[]", "not a JSON object"],
  ['{"clientSecret": "hunter2"', "line 1 column 27"],
  ['{"clientID": "hunter2"}', 'Unknown setting at ["clientID"]'],
  ['{"clientSecret": ["hunter2"]}', 'string at ["clientSecret"]'],
  ['{"maxWait": "hunter2"}', 'finite number at ["maxWait"]'],
  ['{"timeout": -1}', "greater than or equal to 0"],
])("a configuration file %s is refused, and the error quotes no value", async (content, fault) => {
  write(content);
  const error = await prompt.error("leagues list");
  expect(error).toMatchObject({ code: "SettingInvalid", exitCode: 78 });
  expect(error.message).toContain(fault);
  expect(JSON.stringify(error)).not.toContain("hunter2");
});

it.each([
  ["GAME_DATA_MAX_WAIT", "soon", "SettingInvalid"],
  ["GAME_DATA_MAX_WAIT", "-5", "SettingInvalid"],
  ["GAME_DATA_BASE_URL", "http://api.example", "ConfigurationInvalid"],
  ["GAME_DATA_WORDS", "no-such-file.json", "FileNotFound"],
  ["GAME_DATA_WORDS", "words.json", "ConfigurationInvalid"],
  ["GAME_DATA_CONFIG", "no-such-file.json", "SettingInvalid"],
])("the setting of the environment variable %s=%s is refused", async (name, value, code) => {
  const file = join(prompt.home, value);
  if (value === "words.json") writeFileSync(file, '{"elsewhere": "x"}');
  const given = value.endsWith(".json") ? file : value;
  const env = { ...service.env("example-web"), [name]: given };
  expect(await prompt.error("leagues list", { env })).toMatchObject({ code });
});

it.skipIf(process.platform === "win32")(
  "doctor reports that other users may read a configuration file with a secret",
  async () => {
    write(settings());
    chmodSync(join(folder, "config.json"), 0o644);
    const { code, stdout } = await prompt.run("doctor");
    expect(code).toBe(78);
    expect(stdout).toMatch(/^✗ settings .*\n {2}→ chmod 600/mu);
    chmodSync(join(folder, "config.json"), 0o600);
    expect((await prompt.run("doctor")).code).toBe(0);
  },
);

it("GAME_DATA_TOKEN is used as access token without a sign-in", async () => {
  const token = await service.sandbox.token({ scopes: ["account:profile"] });
  const env = { ...service.env("example-desktop"), GAME_DATA_TOKEN: token };
  expect(await prompt.json("whoami", { env })).toMatchObject({
    profile: { name: "Emberlyn#4071" },
  });
  const wrong = await prompt.error("whoami", { env: { ...env, GAME_DATA_TOKEN: "no-token" } });
  expect(wrong).toMatchObject({ code: "Unauthorized", exitCode: 77 });
});

it("a command waits no longer for the rate limits than the setting maxWait", async () => {
  const fault = { kind: "status", status: 429, retryAfter: 60 } as const;
  await service.sandbox.fault({ match: { endpoint: "leagues" }, fault });
  const env = { ...service.env("example-web"), GAME_DATA_MAX_WAIT: "0" };
  const retryAt = expect.stringMatching(/^\d{4}-/u);
  const limited = await prompt.error("leagues list", { env });
  expect(limited).toMatchObject({ code: "RateLimited", exitCode: 75, retryAt });
  await service.sandbox.control("DELETE", "/faults");
});

it("a command waits no longer for a response than the setting timeout", async () => {
  const fault = { kind: "delay", milliseconds: 60_000 } as const;
  await service.sandbox.fault({ match: { endpoint: "leagues.list" }, fault });
  write({ ...settings(), timeout: 0.2 });
  expect(await prompt.error("leagues list")).toMatchObject({ code: "Timeout", exitCode: 69 });
});
