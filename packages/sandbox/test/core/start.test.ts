/** S25, S26: where a sandbox binds, what its options and its command line may be. */
import { createSandboxHandler, type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readCommandLine } from "../../src/commandLine.ts";
import { ask } from "./program.ts";

describe("the command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-start-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, value: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  const read = async (args: ReadonlyArray<string>, env = {}) =>
    (await readCommandLine(args, env)).options;
  const start = async (...args: ReadonlyArray<string>) => {
    const sandbox = await startSandbox(await read(args));
    afterAll(() => sandbox.close());
    return sandbox;
  };
  const get = async (sandbox: RunningSandbox, path: string) => {
    const scopes = path.startsWith("/public-stash-tabs")
      ? (["service:psapi"] as const)
      : (["account:profile", "account:characters"] as const);
    const token = await sandbox.token({ clientId: "example-web", scopes });
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${sandbox.baseUrl}${path}`, { headers });
    return { status: answer.status, body: (await answer.json()) as any };
  };

  it("takes a flag before its variable, and that before the file", async () => {
    const file = write("config.json", { seed: 1, journal: 1, hosts: ["a"], issuer: true });
    const env = {
      GAME_DATA_SANDBOX_CONFIG: file,
      GAME_DATA_SANDBOX_SEED: "2",
      GAME_DATA_SANDBOX_JOURNAL: "2",
      GAME_DATA_SANDBOX_WORLD: "ladderSize=2,streamItems=2",
      GAME_DATA_CONTROL_KEY: "a-key-of-some-length",
    };
    const flags = ["--seed", "3", "--no-throttle", "--world", "ladderSize=3"];
    expect(await read(flags, env)).toEqual({
      ...{ seed: 3, journal: 2, hosts: ["a"], issuer: true, throttle: false },
      ...{ world: { ladderSize: 3 }, controlKey: "a-key-of-some-length" },
    });
    expect((await read([], env)).world).toEqual({ ladderSize: 2, streamItems: 2 });
  });

  it.each([
    [["--port", "many"], "--port many is not a whole number"],
    [["--seed", "-1"], "argument is ambiguous"],
    [["--now", "yesterday"], "--now yesterday is not an instant"],
    [["--nonsense"], "Unknown option"],
    [["--words", "/no/such/file"], "cannot be read"],
    [["--config", "/no/such/file"], "cannot be read"],
    [["--rates", "none"], "rates: has to be one of generous, realistic, off"],
    [["--nulls", "some"], "nulls: has to be one of absent, null, mixed"],
    [["--world", "laderSize=1"], "did you mean ladderSize?"],
    [["--world", "ladderSize=x"], "--world ladderSize x is not a whole number"],
    [["exec"], "which program?"],
    [["audit", "--timeout", "0", "--", "true"], "--timeout 0 is none of 1 to 86400 seconds"],
    [["audit", "--for", "0", "--", "true"], "--for 0 is none of"],
    [["--client", "example-web"], "--client is for exec and audit"],
  ])("%j says what is wrong", async (args, message) => {
    await expect(read(args)).rejects.toThrow(message);
  });

  it.each([
    [["--replay", "/no/such/folder"], "the folder to replay cannot be read"],
    [["--public-url", "http://0.0.0.0:4000"], "publicUrl"],
    [["--host", "0.0.0.0"], "other machines"],
  ])("%j keeps the sandbox from its start", async (args, message) => {
    await expect(start(...args)).rejects.toThrow(message);
  });

  it("--words FILE: speaks the words of the file, and no longer those that they replace", async () => {
    const words = {
      console_a: "box",
      console_b: "station",
      game2: "sequel",
      livestream: "channel",
    };
    const sandbox = await start("--words", write("words.json", words));
    const { characters } = (await get(sandbox, "/character/sequel")).body;
    expect(characters.map(({ realm }: { realm: string }) => realm)).toContain("sequel");
    expect((await get(sandbox, "/profile")).body).toHaveProperty("channel.name");
    expect((await get(sandbox, "/public-stash-tabs/box")).status).toBe(200);
    expect((await get(sandbox, "/public-stash-tabs/console_a")).status).toBe(400);
  });

  it("--replay DIR: serves what the recording holds; --replay-missing world: the rest too", async () => {
    const page = { next_change_id: "1-1", stashes: [], captured: true };
    write("page.json", page);
    const sha256 = hash("sha256", JSON.stringify(page));
    const endpoint = "publicStashTabs.page";
    const answer = { file: "page.json", endpoint, status: 200, sha256, at: "", parameters: {} };
    const ofConsole = { ...answer, parameters: { realm: "console_a" } };
    const gone = { ...ofConsole, file: "gone.json" };
    write("manifest.json", { version: 2, answers: [answer, ofConsole, gone, gone] });
    const sandbox = await start("--replay", folder, "--replay-missing", "world");
    expect((await get(sandbox, "/public-stash-tabs")).body).toEqual(page);
    expect((await get(sandbox, "/public-stash-tabs/console_a")).body).toEqual(page);
    expect((await get(sandbox, "/public-stash-tabs/console_b")).status).toBe(200);
    expect((await get(sandbox, "/profile")).body.name).toBe(sandbox.accounts[0]!.name);
    const strict = await start("--replay", folder, "--replay-missing", "refuse");
    expect((await get(strict, "/profile")).status).toBe(404);
  });

  it("--allow-host NAME: answers under that name too", async () => {
    const { baseUrl } = await start("--allow-host", "build-server", "--allow-host", "other");
    const seen = [];
    for (const host of ["build-server", "other", "evil.example"])
      seen.push((await ask(`${baseUrl}/profile`, { host })).status);
    expect(seen).toEqual([401, 401, 421]);
  });
});

describe("S25: where it binds", () => {
  it("127.0.0.1 by default: no other address of this machine answers", async () => {
    const sandbox = await startSandbox();
    expect(new URL(sandbox.authUrl).hostname).toBe("127.0.0.1");
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address !== undefined && address.family === "IPv4" && !address.internal)
      .map((address) => address?.address ?? "");
    for (const address of ["127.0.0.2", ...others]) {
      const url = `http://${address}:${new URL(sandbox.authUrl).port}/my/applications`;
      await expect(fetch(url)).rejects.toThrow("fetch failed");
    }
    await sandbox.close();
  });
  it.each([
    [{ now: "yesterday" }, "now: yesterday is not an instant"],
    [{ seed: 1.5 }, "/seed: Expected integer"],
    [{ seed: Number.NaN }, "/seed: Expected integer"],
    [{ port: 65_534 }, "port: 65534 is not one of 0 to 65533"],
    [{ port: -1 }, "port: -1"],
  ])("says what is wrong with the option %j", async (options, reason) => {
    for (const start of [startSandbox, createSandboxHandler])
      await expect(start(options)).rejects.toMatchObject({
        _tag: "SandboxStartError",
        reason: expect.stringContaining(reason),
      });
  });
  it.each(["127.0.0.2", "LOCALHOST"])("takes %s, which no other machine reaches", async (host) => {
    const sandbox = await startSandbox({ host });
    expect((await fetch(`${sandbox.baseUrl}/profile`)).status).toBe(401);
    await sandbox.close();
  });
  it.each(["::", "192.168.0.1"])("refuses %s without a flag", async (host) => {
    await expect(startSandbox({ host })).rejects.toThrow("other machines");
  });
  it("takes an address that the flag permits", async () => {
    const sandbox = await startSandbox({ host: "0.0.0.0", allowRemote: true });
    const { port } = new URL(sandbox.authUrl);
    expect((await fetch(`http://127.0.0.1:${port}/my/applications`)).status).toBe(200);
    await sandbox.close();
  });
  it("takes three ports in a row from a port that is named, and says when one is taken", async () => {
    const first = await startSandbox();
    const taken = Number(new URL(first.authUrl).port);
    await expect(startSandbox({ port: taken })).rejects.toThrow("EADDRINUSE");
    await first.close();
    const second = await startFromNamedPort();
    const ports = [second.authUrl, second.baseUrl, second.controlUrl].map((url) =>
      Number(new URL(url).port),
    );
    expect(ports).toEqual([ports[0], Number(ports[0]) + 1, Number(ports[0]) + 2]);
    await second.close();
  });
});

/** Three ports in a row that happen to be free: a few places are tried. */
const startFromNamedPort = async () => {
  for (let port = 20_011; port < 30_000; port += 487) {
    try {
      return await startSandbox({ port });
    } catch (cause) {
      if (!String(cause).includes("EADDRINUSE")) throw cause;
    }
  }
  throw new Error("no three free ports in a row");
};

it("S26: builds nothing from Host or X-Forwarded headers, under whatever name it answers", async () => {
  await using sandbox = await startSandbox({ issuer: true, hosts: ["evil.example"] });
  const headers = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    forwarded: "host=evil.example;proto=https",
  };
  const query =
    "client_id=example-web&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback&state=s";
  const failed = await ask(`${sandbox.authUrl}/oauth/authorize?${query}`, headers);
  expect(new URL(failed.headers.location ?? "").searchParams.get("iss")).toBe(sandbox.authUrl);
  const page = await ask(`${sandbox.authUrl}/my/applications`, headers);
  expect([failed.status, page.status]).toEqual([303, 200]);
  expect(JSON.stringify([failed, page])).not.toContain("evil.example");
});

it("in process, answers only at its own addresses", async () => {
  await using sandbox = await createSandboxHandler();
  await expect(sandbox.fetch(new Request("http://127.0.0.1/profile"))).rejects.toThrow(TypeError);
  expect((await sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`))).status).toBe(401);
});
