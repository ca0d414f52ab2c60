/** Sources of settings, and refused values; programs run in this process. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Redacted } from "effect";
import { Command } from "effect/cli";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { Host } from "@game-data/terminal/Host";
import { run } from "@game-data/terminal/runMain";
import { testHost } from "@game-data/terminal/testHost";
import { connected, required, settings, type Settings } from "../src/config/Settings.ts";

const home = mkdtempSync(join(tmpdir(), "gamedata-settings-"));
let env: Record<string, string> = {};
beforeEach(() => {
  env = { HOME: home };
});
afterEach(() => {
  for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true }));

const set = (name: string, value: string) => {
  env[name] = value;
};

/** Runs a program that reads the settings. */
const read = (args: ReadonlyArray<string>, name: string) => {
  let seen: Settings | undefined;
  const command = Command.make("ranks", {}, () =>
    Effect.map(settings, (all) => {
      seen = all;
    }),
  ).pipe(connected);
  return run(command, { name, version: "1.0.0" }).pipe(
    Effect.provideService(Host, testHost(args, { env }).host),
    Effect.map(() => seen!),
  );
};

/** The settings that a program finds. */
const found = (args: ReadonlyArray<string> = [], name = "ranks"): Promise<Settings> =>
  Effect.runPromise(read(args, name));

const refused = (args: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.flip(read(args, "ranks")));

const config = (value: unknown, path = join(home, ".config", "ranks", "config.json")) => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
  return path;
};

describe("a setting", () => {
  it("that cannot be right is refused, with the place to correct it", async () => {
    const file = config({ maxWait: "soon", contact: "me@example.com" });
    const badly = { code: "setting-invalid" };
    expect(await refused([])).toMatchObject({
      ...badly,
      next: `correct it here: ${file}`,
      details: { setting: "maxWait" },
    });
    set("GAME_DATA_MAX_WAIT", "1");
    for (const contact of ["Zoë", "a\nb", "me (at) home"]) {
      set("GAME_DATA_CONTACT", contact);
      expect(await refused([])).toMatchObject({
        ...badly,
        next: "correct it here: GAME_DATA_CONTACT",
        details: { setting: "contact" },
      });
    }
    expect((await found(["--contact", "https://example.com/~me"])).contact).toBe(
      "https://example.com/~me",
    );
    expect(await refused(["--contact", "me", "--client-id", "Zoë"])).toMatchObject({
      ...badly,
      details: { setting: "clientId" },
    });
    set("GAME_DATA_CONTACT", "me");
    expect(await refused(["--auth-url", "http://example.com"])).toMatchObject({
      ...badly,
      next: "correct it here: --auth-url",
    });
  });

  it("comes from a flag, else the environment, else the file, else nowhere", async () => {
    config({ authUrl: "https://file.example", baseUrl: "https://file.example", clientId: "file" });
    set("GAME_DATA_BASE_URL", "https://env.example");
    set("GAME_DATA_CLIENT_ID", "env");
    const from = await found(["--client-id", "flag"]);
    expect(from).toMatchObject({
      authUrl: "https://file.example",
      baseUrl: "https://env.example",
      clientId: "flag",
      clientSecret: undefined,
      maxWait: 300,
    });
    expect(from.sources).toMatchObject({
      authUrl: "file",
      baseUrl: "environment",
      clientId: "flag",
      maxWait: "default",
    });
  });

  it("is found in the folders of the program's own name", async () => {
    const from = await found();
    expect(from.file).toBe(join(home, ".config", "ranks", "config.json"));
    expect(from.tokens).toBe(join(home, ".local", "state", "ranks", "tokens"));
    expect((await found([], "other")).file).toContain(join("other", "config.json"));
  });

  it("that is secret does not show", async () => {
    set("GAME_DATA_CLIENT_SECRET", "hunter2");
    set("GAME_DATA_TOKEN", "hunter2");
    const from = await found();
    expect(Redacted.value(from.clientSecret!)).toBe("hunter2");
    expect(`${JSON.stringify(from)} ${String(from.token)}`).not.toContain("hunter2");
  });

  it("may be the deployment's words in a file", async () => {
    const words = { console_a: "box", console_b: "station", game2: "second", livestream: "tube" };
    const path = config(words, join(home, "words.json"));
    expect((await found(["--words", path])).words).toEqual(words);
  });
});

describe("a profile", () => {
  const file = {
    authUrl: "https://auth.example",
    baseUrl: "https://api.example",
    clientId: "mine",
    profiles: { other: { baseUrl: "https://other.example", clientSecret: "hunter2" } },
  };

  it("wins over the rest of its file, and loses to the environment and flags", async () => {
    config(file);
    expect((await found()).baseUrl).toBe("https://api.example");
    const from = await found(["--profile", "other"]);
    expect(from).toMatchObject({
      authUrl: "https://auth.example",
      baseUrl: "https://other.example",
    });
    expect(from.sources).toMatchObject({ authUrl: "file", baseUrl: "profile" });
    set("GAME_DATA_PROFILE", "other");
    expect(Redacted.value((await found()).clientSecret!)).toBe("hunter2");
    set("GAME_DATA_BASE_URL", "https://env.example");
    expect((await found()).baseUrl).toBe("https://env.example");
  });

  it("must be there when it is asked for, and so must the file", async () => {
    for (const asked of [
      ["--profile", "other"],
      ["--config", "/absent/config.json"],
    ])
      expect(await refused(asked)).toMatchObject({ exitCode: 66 });
    config(file);
    expect(await refused(["--profile", "none"])).toMatchObject({
      exitCode: 78,
      message: expect.stringContaining("has no profile none"),
      next: expect.stringContaining("other"),
    });
  });

  it("is looked at like the file, whether or not it is asked for", async () => {
    for (const profiles of [[], "x", { other: "x" }, { other: { authURL: "x" } }]) {
      config({ ...file, profiles });
      expect(await refused([])).toMatchObject({ code: "setting-invalid" });
    }
  });
});

it("tells nothing of a file that is not JSON: it may be a secret", async () => {
  const path = config({}, join(home, "broken.json"));
  for (const text of ['{"clientSecret": hunter2}', "hunter2", '{"clientSecret": "hunter2"']) {
    writeFileSync(path, text);
    const error = await refused(["--config", path]);
    expect(error).toMatchObject({ code: "bad-json" });
    expect(JSON.stringify(error)).not.toMatch(/hun|ter2/u);
  }
});

describe("refused with 78 is", () => {
  it("an address that tokens must not be sent to", async () => {
    for (const address of ["http://api.example.com", "ftp://localhost", "nonsense"])
      expect(await refused(["--base-url", address])).toMatchObject({ code: "setting-invalid" });
    for (const address of ["https://api.example.com", "http://127.0.0.1:1", "http://[::1]:1"])
      expect((await found(["--base-url", address])).baseUrl).toBe(address);
  });

  it("a file that is no object of strings, or has a key that means nothing", async () => {
    const path = config(["x"], join(home, "other.json"));
    expect(await refused(["--config", path])).toMatchObject({ code: "setting-invalid" });
    config({ authURL: "https://auth.example" }, path);
    expect(await refused(["--config", path])).toMatchObject({
      message: expect.stringContaining("authURL"),
      next: expect.stringContaining("authUrl"),
    });
  });
});

it("names everything that is missing at once, with flags, variables and file", async () => {
  const from = await found(["--base-url", "https://api.example.com"]);
  const missing = await Effect.runPromise(Effect.flip(required(from, "clientId")));
  expect(missing).toMatchObject({
    code: "setting-missing",
    details: { missing: ["authUrl", "clientId"] },
  });
  expect(missing.next).toContain(
    "GAME_DATA_AUTH_URL, GAME_DATA_CLIENT_ID (or --auth-url, --client-id",
  );
  expect(missing.next).toContain(from.file);
});
