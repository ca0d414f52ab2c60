/** S25, S26, and the program: what it prints, where it binds, how it ends. */
import { createSandboxHandler, startSandbox } from "@game-data/sandbox";
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Program, runProgram, startProgram } from "./program.ts";

describe("the program", () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram("--port", "0", "--seed", "1");
  });
  afterAll(() => program.stop("SIGKILL"));

  it("prints one line of JSON when it is ready, and nothing else", () => {
    expect(program.output.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(Object.keys(program.info)).toEqual([
      "authUrl",
      "baseUrl",
      "controlUrl",
      "clients",
      "accounts",
    ]);
    expect(program.output.stderr).toBe("");
  });
  it("tells clients of both kinds, and the secret of the confidential ones alone [OA-36]", () => {
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
  it("answers on three addresses, each only for its own paths", async () => {
    const { authUrl, baseUrl, controlUrl } = program.info;
    expect((await fetch(`${authUrl}/my/applications`)).status).toBe(200);
    expect((await fetch(`${baseUrl}/profile`)).status).toBe(401);
    expect((await fetch(`${controlUrl}/clients`)).status).toBe(200);
    expect((await fetch(`${baseUrl}/oauth/token`, { method: "POST" })).status).toBe(404);
    expect((await fetch(`${authUrl}/profile`)).status).toBe(404);
    expect((await fetch(`${authUrl}/control/clients`)).status).toBe(404);
    for (const hidden of ["/%63ontrol/clients", "/%6fauth/token", "/control;x/clients"]) {
      expect((await fetch(`${baseUrl}${hidden}`)).status).toBe(404);
    }
  });
  it("ends cleanly at SIGTERM, even with a connection open", async () => {
    const other = await startProgram();
    await (await fetch(`${other.info.authUrl}/my/applications`)).text();
    expect(await other.stop("SIGTERM")).toBe(0);
  });
});

describe("the program's files", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-main-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
    return join(folder, path);
  };
  const asker = async ({ info }: Program, account: string) => {
    const response = await fetch(`${info.controlUrl}/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ clientId: "example-web", account }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    const service = await fetch(`${info.controlUrl}/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ clientId: "example-web", scopes: ["service:psapi"] }),
    });
    const stream = ((await service.json()) as { access_token: string }).access_token;
    return async (path: string) => {
      const token = path.startsWith("/public-stash-tabs") ? stream : access_token;
      const answer = await fetch(`${info.baseUrl}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return { status: answer.status, body: (await answer.json()) as any };
    };
  };

  it("--words FILE: speaks the words of the file, and no longer those that they replace", async () => {
    const words = {
      console_a: "box",
      console_b: "station",
      game2: "sequel",
      livestream: "channel",
    };
    const program = await startProgram("--words", write("words.json", words));
    const get = await asker(program, program.info.accounts[0]!.name);
    const { characters } = (await get("/character/sequel")).body;
    expect(characters.map(({ realm }: { realm: string }) => realm)).toContain("sequel");
    expect((await get("/profile")).body).toHaveProperty("channel.name");
    expect((await get("/public-stash-tabs/box")).status).toBe(200);
    expect((await get("/public-stash-tabs/console_a")).status).toBe(400);
    expect(await program.stop("SIGTERM")).toBe(0);
  });

  it("--replay DIR: serves what the recording holds; --replay-missing world: the rest too", async () => {
    const page = { next_change_id: "1-1", stashes: [], captured: true };
    write("captured/page.json", page);
    const answer = {
      file: "page.json",
      endpoint: "publicStashTabs.page",
      status: 200,
      sha256: hash("sha256", JSON.stringify(page)),
      at: "",
    };
    const parameters = { realm: "console_a" };
    const gone = { ...answer, file: "gone.json", parameters };
    const answers = [{ ...answer, parameters: {} }, { ...answer, parameters }, gone, gone];
    write("captured/manifest.json", { version: 2, answers });
    const options = ["--replay", join(folder, "captured"), "--replay-missing"] as const;
    const program = await startProgram(...options, "world");
    const get = await asker(program, program.info.accounts[0]!.name);
    expect((await get("/public-stash-tabs")).body).toEqual(page);
    expect((await get("/public-stash-tabs/console_a")).body).toEqual(page);
    expect((await get("/public-stash-tabs/console_b")).status).toBe(200);
    expect((await get("/profile")).body.name).toBe(program.info.accounts[0]!.name);
    expect(await program.stop("SIGTERM")).toBe(0);
    const strict = await startProgram(...options, "refuse");
    expect((await (await asker(strict, strict.info.accounts[0]!.name))("/profile")).status).toBe(
      404,
    );
    expect(await strict.stop("SIGTERM")).toBe(0);
  });

  it("--seed N and --file FILE: another world, which the file remembers", async () => {
    const file = join(folder, "world.db");
    const first = await startProgram("--seed", "7", "--file", file);
    expect(await first.stop("SIGTERM")).toBe(0);
    const again = await startProgram("--file", file);
    expect(again.info.accounts).toEqual(first.info.accounts);
    expect(again.info.clients).toEqual(first.info.clients);
    expect(await again.stop("SIGTERM")).toBe(0);
    const other = await runProgram("--seed", "8", "--file", file);
    expect([other.code, other.stdout]).toEqual([69, ""]);
    expect(other.stderr).toContain("seed 7");
  });

  it("--allow-host NAME: answers under that name too", async () => {
    const program = await startProgram("--allow-host", "build-server", "--allow-host", "other");
    const { port } = new URL(program.info.baseUrl);
    const ask = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const call = request(
          `http://127.0.0.1:${port}/profile`,
          { headers: { host } },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          },
        );
        call.once("error", reject);
        call.end();
      });
    expect(await Promise.all(["build-server", "other", "evil.example"].map(ask))).toEqual([
      401, 401, 421,
    ]);
    expect(await program.stop("SIGTERM")).toBe(0);
  });
});

describe("wrong usage is said on stderr", () => {
  it.concurrent.each([
    [["--port", "many"], 64],
    [["--seed", "-1"], 64],
    [["--now", "yesterday"], 64],
    [["--nonsense"], 64],
    [["--words", "/no/such/file"], 64],
    [["--replay", "/no/such/folder"], 69],
    [["--rates", "none"], 69],
    [["--host", "0.0.0.0"], 69],
  ] as const)("%j ends with %i", async (args, code) => {
    const run = await runProgram(...args);
    expect(run.code).toBe(code);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(/^game-data-sandbox: /u);
  });
  it("explains itself", async () => {
    const run = await runProgram("--help");
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("Not for production");
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
  it.each(["0.0.0.0", "::", "192.168.0.1"])("refuses %s without a flag", async (host) => {
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

interface Asked {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly body: string;
}

it("S26: builds nothing from Host or X-Forwarded headers, under whatever name it answers", async () => {
  const sandbox = await startSandbox({ issuer: true, hosts: ["evil.example"] });
  const headers = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    forwarded: "host=evil.example;proto=https",
  };
  const ask = (path: string) =>
    new Promise<Asked>((resolve, reject) => {
      const call = request(`${sandbox.authUrl}${path}`, { headers }, (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString()));
        response.on("end", () =>
          resolve({ status: response.statusCode, location: response.headers.location, body }),
        );
      });
      call.once("error", reject);
      call.end();
    });
  const query =
    "client_id=example-web&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback&state=s";
  const failed = await ask(`/oauth/authorize?${query}`);
  expect(new URL(failed.location ?? "").searchParams.get("iss")).toBe(sandbox.authUrl);
  const page = await ask("/my/applications");
  expect([failed.status, page.status]).toEqual([303, 200]);
  expect(JSON.stringify([failed, page])).not.toContain("evil.example");
  await sandbox.close();
});

it("in process, answers only at its own addresses", async () => {
  const sandbox = await createSandboxHandler();
  await expect(sandbox.fetch(new Request("http://127.0.0.1/profile"))).rejects.toThrow(TypeError);
  expect((await sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`))).status).toBe(401);
  await sandbox.close();
});
