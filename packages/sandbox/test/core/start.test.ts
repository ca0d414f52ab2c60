/** S25, S26: where a sandbox binds, what its options and its command line may be. */
import { createSandboxHandler, startSandbox } from "@game-data/sandbox";
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
  const read = (args: ReadonlyArray<string>, env = {}) => readCommandLine(args, env).options;
  it("a flag overrides its environment variable, and the variable overrides the file", () => {
    const file = write("config.json", { seed: 1, journal: 1, hosts: ["a"], issuer: true });
    const env = {
      GAME_DATA_SANDBOX_CONFIG: file,
      GAME_DATA_SANDBOX_SEED: "2",
      GAME_DATA_SANDBOX_JOURNAL: "2",
      GAME_DATA_SANDBOX_WORLD: "ladderSize=2,streamItems=2",
      GAME_DATA_CONTROL_KEY: "a-key-of-some-length",
    };
    const words = { console_a: "box" };
    const flags = [
      ...["--seed", "3", "--no-throttle", "--world", "ladderSize=3"],
      ...["--allow-host", "b", "--allow-host", "c", "--words", write("words.json", words)],
    ];
    expect(read(flags, env)).toEqual({
      ...{ seed: 3, journal: 2, hosts: ["b", "c"], issuer: true, throttle: false, words },
      ...{ world: { ladderSize: 3 }, controlKey: "a-key-of-some-length" },
    });
    expect(read([], env).hosts).toEqual(["a"]);
    expect(read([], env).world).toEqual({ ladderSize: 2, streamItems: 2 });
  });

  it.each([
    [["--port", "many"], "--port: Expected number"],
    [["--seed", "-1"], "argument is ambiguous"],
    [["--now", "yesterday"], "is no instant in ISO 8601"],
    [["--nonsense"], "Unknown option"],
    [["--words", "/no/such/file"], "cannot be read"],
    [["--config", "/no/such/file"], "cannot be read"],
    [["--rates", "none"], "--rates: Expected one of generous, realistic, off"],
    [["--world", "laderSize=1"], "did you mean ladderSize?"],
    [["--world", "ladderSize=x"], "--world/ladderSize: Expected number"],
    [["--public-url", "http://0.0.0.0:4000"], "--public-url: nobody can reach 0.0.0.0"],
    [["exec"], "which program?"],
    [["audit", "--timeout", "0", "--", "true"], "--timeout 0 is none of 1 to 86400 seconds"],
    [["audit", "--for", "0", "--", "true"], "--for 0 is none of"],
    [["--client", "example-web"], "--client is for exec and audit"],
  ])("the command line %j is refused with a message about the mistake", (args, message) => {
    expect(() => read(args)).toThrow(message);
  });
});

describe("S25: where it binds", () => {
  it("a sandbox binds to 127.0.0.1 by default, so that no other address of the machine answers", async () => {
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
  it.each(["127.0.0.2", "LOCALHOST"])(
    "a sandbox binds to the loopback host %s without `allowRemote`",
    async (host) => {
      const sandbox = await startSandbox({ host });
      expect((await fetch(`${sandbox.baseUrl}/profile`)).status).toBe(401);
      await sandbox.close();
    },
  );
  it.each(["::", "0.0.0.0", "192.168.0.1"])(
    "a sandbox refuses to bind to %s without `allowRemote`",
    async (host) => {
      await expect(startSandbox({ host })).rejects.toThrow("other machines");
    },
  );
  it("a sandbox takes three ports in a row from a given port, and rejects if one is in use", async () => {
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

it("S26: no response is built from a Host or X-Forwarded header, even if the Host is allowed", async () => {
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

it("a sandbox in process answers only at its own addresses", async () => {
  await using sandbox = await createSandboxHandler();
  await expect(sandbox.fetch(new Request("http://127.0.0.1/profile"))).rejects.toThrow(TypeError);
  expect((await sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`))).status).toBe(401);
});
