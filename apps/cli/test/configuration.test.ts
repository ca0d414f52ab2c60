/** `config`, `auth`, `api`, `doctor` and `open`. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manPage } from "../scripts/manPage.ts";
import { Prompt, useService } from "./support/gamedata.ts";

const service = useService();
let prompt: Prompt;
beforeEach(() => {
  prompt = new Prompt();
  prompt.env = service.envOf("example-web");
});
afterEach(() => prompt.remove());

const fileOf = () => join(prompt.home, ".config/gamedata/config.json");
const read = () => JSON.parse(readFileSync(fileOf(), "utf8"));

describe("config", () => {
  beforeEach(() => {
    prompt.env = {};
  });

  it("writes settings and profiles into a file that only its owner reads", async () => {
    await prompt.json("config set clientId mine");
    await prompt.json("config set baseUrl https://api.example --profile staging");
    const secret = await prompt.run("config set clientSecret -", { input: "hunter2\n" });
    expect(secret.stdout + secret.stderr).not.toContain("hunter2");
    expect(read()).toEqual({
      clientId: "mine",
      clientSecret: "hunter2",
      profiles: { staging: { baseUrl: "https://api.example" } },
    });
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
  });

  it("lists settings with their sources, without secrets", async () => {
    await prompt.run("config set clientSecret -", { input: "hunter2" });
    const env = { GAME_DATA_CLIENT_ID: "env" };
    const all = await prompt.json("config list", { env });
    expect(all).toContainEqual({ name: "clientId", value: "env", source: "environment" });
    expect(all).toContainEqual({ name: "clientSecret", value: "(hidden)", source: "file" });
    expect(all).toContainEqual({ name: "maxWait", value: "300", source: "default" });
    expect(JSON.stringify(all)).not.toContain("hunter2");
  });

  it.each([
    ["keychain", "banana"],
    ["authUrl", "notaurl"],
    ["baseUrl", "http://api.example.com"],
    ["maxWait", "1.5"],
    ["maxWait", "NaN"],
    ["contact", "me (at home)"],
    ["clientSecret", "hunter 2"],
  ])("refuses a value that %s cannot have: %s", async (setting, value) => {
    const error = await prompt.error(["config", "set", setting, value]);
    expect(error).toMatchObject({ code: "setting-invalid", setting });
    expect(error.message).toContain(`Invalid ${setting}: use `);
    expect(error.message).not.toContain(value);
    expect(existsSync(fileOf())).toBe(false);
  });

  it("refuses words that no deployment has, and a file that is absent", async () => {
    const file = join(prompt.home, "words.json");
    writeFileSync(file, '{ "xbox": "box" }');
    expect(await prompt.error(["config", "set", "words", file])).toMatchObject({ exit: 78 });
    expect(await prompt.error("config set words /absent")).toMatchObject({ exit: 66 });
    expect(existsSync(fileOf())).toBe(false);
  });

  it("says what to do without a home folder, and where nothing can be written", async () => {
    const env = { HOME: "", XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };
    expect(await prompt.error("leagues", { env })).toMatchObject({
      exit: 78,
      next: "set HOME, or name a file with --config",
    });
    const blocked = join(prompt.home, "file");
    writeFileSync(blocked, "");
    const readOnly = { HOME: blocked, SHELL: "/bin/bash" };
    for (const command of [
      ["config", "set", "clientId", "a"],
      ["completion", "install"],
    ])
      expect(await prompt.error(command, { env: readOnly })).toMatchObject({
        code: "unwritable-file",
      });
  });

  it("prints and removes a setting, and keeps secrets to itself", async () => {
    await prompt.json("config set contact me@example.com");
    expect((await prompt.run("config get contact")).stdout).toBe("me@example.com\n");
    await prompt.json("config unset contact");
    expect(read()).toEqual({});
    await prompt.run("config set token -", { input: "hunter2" });
    expect(await prompt.error("config get token")).toMatchObject({ exit: 64 });
    expect(await prompt.error("config get clientId")).toMatchObject({ code: "setting-missing" });
    expect(await prompt.error("config set clientID x")).toMatchObject({ exit: 64 });
  });
});

describe("auth", () => {
  it("shows the credentials, never the token", async () => {
    expect(await prompt.json("auth status")).toMatchObject({
      signedIn: true,
      credentials: "client secret",
      clientId: "example-web",
    });
    prompt.env = service.envOf("example-desktop");
    const { code, stdout } = await prompt.run("auth status --json");
    expect(code).toBe(77);
    expect(JSON.parse(stdout)).toMatchObject({ signedIn: false, credentials: "none" });
    const env = { GAME_DATA_TOKEN: "secret-token" };
    const given = await prompt.run("auth status", { env });
    expect(given.stdout).toMatch(/credentials +access token/u);
    expect(given.stdout).not.toContain("secret-token");
  });

  it("switches the profile that commands use", async () => {
    prompt.env = {};
    for (const profile of ["one", "two"])
      await prompt.json(["config", "set", "clientId", profile, "--profile", profile]);
    expect(await prompt.json("auth switch one")).toMatchObject({ profile: "one" });
    expect((await prompt.run("config get clientId")).stdout).toBe("one\n");
    // With two profiles the other one is meant.
    expect(await prompt.json("auth switch")).toMatchObject({ profile: "two" });
    expect((await prompt.run("config get clientId")).stdout).toBe("two\n");
    const flag = ["config", "get", "clientId", "--profile", "one"];
    expect((await prompt.run(flag)).stdout).toBe("one\n");
    expect(await prompt.error("auth switch three")).toMatchObject({
      exit: 78,
      next: "choose one of: one, two",
    });
  });
});

describe("api", () => {
  it("sends a request with the scopes of its route, and filters the response", async () => {
    expect(await prompt.json("api /profile")).toMatchObject({ name: "Emberlyn#4071" });
    const ids = await prompt.run("api /league?limit=2 --jq .leagues[].id");
    expect(ids).toMatchObject({ code: 0, stdout: "Standard\nHardcore\n" });
  });

  it("sends a JSON body", async () => {
    const fields = ["filter_name=Sent", "realm=pc", "type=Normal", "description=", "filter=Show"];
    const created = await prompt.json([
      ...["api", "/item-filter"],
      ...fields.flatMap((field) => ["--field", field]),
    ]);
    expect(created.filter).toMatchObject({ filter_name: "Sent" });
  });

  it("ends with the code of the response", async () => {
    expect(await prompt.error("api /no/such/path --scope account:profile")).toMatchObject({
      exit: 66,
    });
    const env = { GAME_DATA_TOKEN: "not-a-token" };
    expect(await prompt.error("api /profile", { env })).toMatchObject({ exit: 77 });
  });

  it("sends the token to the data API only", async () => {
    for (const path of ["https://evil.example/", "//evil.example/", "profile"])
      expect(await prompt.error(["api", path])).toMatchObject({ code: "usage" });
  });
});

describe("doctor", () => {
  const signIn = (findings: ReadonlyArray<{ check: string }>) =>
    findings.find(({ check }) => check === "sign-in");

  it("reports a wrong secret, although a token of the right one is stored", async () => {
    await prompt.json("leagues");
    expect(signIn(await prompt.json("doctor"))).toMatchObject({ state: "good" });
    const env = { GAME_DATA_CLIENT_SECRET: "a-wrong-secret" };
    const { code, stdout } = await prompt.run("doctor --json", { env });
    expect(signIn(JSON.parse(stdout))).toMatchObject({ state: "bad", code: "client-rejected" });
    expect(code).toBe(78);
    expect(stdout).not.toContain("a-wrong-secret");
  });

  it("reports a rejected access token with the place to replace it", async () => {
    const env = { GAME_DATA_TOKEN: "not-a-token" };
    const { code, stdout } = await prompt.run("doctor --json", { env });
    expect(code).toBe(77);
    expect(signIn(JSON.parse(stdout))).toMatchObject({
      state: "bad",
      next: "replace or remove the access token in GAME_DATA_TOKEN",
    });
    const { next } = await prompt.error("whoami", { env });
    expect(next).toBe("replace or remove the access token in GAME_DATA_TOKEN");
  });

  it("goes on with the other checks after a typo in the configuration", async () => {
    const config = join(prompt.home, "typo.json");
    writeFileSync(config, JSON.stringify({ authURL: "https://auth.example" }));
    const { code, stdout } = await prompt.run(["doctor", "--json", "--config", config], {
      env: { GAME_DATA_MAX_WAIT: "soon" },
    });
    expect(code).toBe(78);
    const findings = JSON.parse(stdout) as ReadonlyArray<{ check: string; finding: string }>;
    expect(findings.map(({ check }) => check)).toEqual([
      ...["settings", "settings", "contact", "token store", "loopback"],
      ...["OAuth server", "data API", "sign-in"],
    ]);
    expect(findings[0]!.finding).toContain("authURL");
    expect(findings[1]!.finding).toContain("maxWait");
    expect(signIn(findings)).toMatchObject({ state: "good" });
  });

  it("waits for no body: one may have any size", async () => {
    const endless = createServer(({ url }, response) =>
      url === "/" ? void response.write("x") : void response.end(),
    );
    await once(endless.listen(0, "127.0.0.1"), "listening");
    const { port } = endless.address() as AddressInfo;
    const env = { GAME_DATA_AUTH_URL: `http://127.0.0.1:${port}` };
    const { stdout } = await prompt.run("doctor --json", { env });
    const findings = JSON.parse(stdout) as ReadonlyArray<{ check: string }>;
    expect(findings.find(({ check }) => check === "OAuth server")).toMatchObject({ state: "good" });
    endless.closeAllConnections();
    endless.close();
  });

  it("makes every check without a home folder, and writes no tokens where it stands", async () => {
    const { code, stdout } = await prompt.run("doctor --json", { env: { HOME: "" } });
    expect(code).toBe(78);
    expect(JSON.parse(stdout)).toMatchObject([
      { check: "settings", state: "bad", next: "set HOME, or name a file with --config" },
      { check: "settings", state: "bad", next: expect.stringContaining("GAME_DATA_TOKENS") },
      { check: "contact" },
      { check: "token store", state: "bad", code: "setting-invalid" },
      { check: "loopback", state: "good" },
      { check: "OAuth server", state: "good" },
      { check: "data API", state: "good" },
      { check: "sign-in" },
    ]);
    expect(existsSync("tokens.sqlite")).toBe(false);
  });
});

describe("open", () => {
  it("prints the address in a pipe", async () => {
    const { stdout } = await prompt.run("open");
    expect(stdout).toBe(`${service.sandbox.baseUrl}\n`);
  });
});

it("has examples with the program's name in the help of every command", async () => {
  const [, commands = ""] = (await manPage("1.0.0")).split(".SH COMMANDS");
  const sections = commands.split(".SH ")[0]!.split("\n.SS gamedata ").slice(1);
  expect(sections.length).toBeGreaterThan(35);
  for (const section of sections) expect(section).toMatch(/^\.nf\n(?:\S+ )?.*gamedata /mu);
});

it("api asks for a scope where no route says it and a secret gets the token", async () => {
  expect(await prompt.error("api /nope")).toMatchObject({
    code: "usage",
    next: expect.stringContaining("--scope"),
  });
});
