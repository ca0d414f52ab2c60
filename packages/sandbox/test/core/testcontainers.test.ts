/**
 * The helper for Testcontainers, with a container that is a process: the image's variables and
 * program, and the port that is mapped.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type ContainerBuilder,
  type StartedContainer,
  startSandboxContainer,
} from "@game-data/sandbox/testcontainers";
import { afterAll, describe, expect, it } from "vitest";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const variables = Object.fromEntries(
  [...readFileSync(file("../../Dockerfile"), "utf8").matchAll(/^ENV (\w+)=(.*)$/gmu)].map(
    ([, name, value]) => [name, value],
  ),
) as Record<string, string>;

/** Runs the sandbox's program in the image's environment. The mapped port is the one it takes. */
class ProcessContainer implements ContainerBuilder {
  environment: Record<string, string> = {};
  ports: Array<{ readonly container: number; readonly host: number }> = [];
  stops = 0;
  child: ChildProcess | undefined;

  withExposedPorts(...ports: ProcessContainer["ports"]): this {
    this.ports = ports;
    return this;
  }

  withEnvironment(environment: Record<string, string>): this {
    this.environment = environment;
    return this;
  }

  async start(): Promise<StartedContainer> {
    const child = spawn(process.execPath, [file("../../src/main.ts")], {
      env: {
        PATH: process.env["PATH"],
        ...variables,
        ...this.environment,
        GAME_DATA_SANDBOX_PORT: String(this.ports[0]!.host),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    // As Docker mixes them: the banner on stderr stands between the lines of stdout.
    const logs = new PassThrough();
    for (const output of [child.stderr, child.stdout] as Array<Readable>)
      output.pipe(logs, { end: false });
    child.once("close", () => logs.end());
    return {
      logs: async () => logs,
      stop: async () => {
        this.stops += 1;
        if (child.exitCode !== null) return;
        const ended = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGTERM");
        await ended;
      },
    };
  }
}

const containers: Array<ProcessContainer> = [];
const container = () => {
  const made = new ProcessContainer();
  containers.push(made);
  return made;
};
afterAll(() => {
  for (const { child } of containers) child?.kill("SIGKILL");
});

describe("startSandboxContainer", () => {
  it("maps a free port, and gives addresses, clients, accounts and a key that work", async () => {
    const made = container();
    const sandbox = await startSandboxContainer(made, {
      environment: { GAME_DATA_SANDBOX_SEED: "7" },
    });
    expect(made.ports).toEqual([{ container: 4000, host: expect.any(Number) }]);
    expect(variables["GAME_DATA_SANDBOX_PORT"]).toBe("4000");
    const { host } = made.ports[0]!;
    expect(sandbox).toMatchObject({
      authUrl: `http://localhost:${host}`,
      baseUrl: `http://localhost:${host}`,
      accounts: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
    });
    const headers = { authorization: `Bearer ${sandbox.controlKey}` };
    expect((await fetch(`${sandbox.controlUrl}/clock`)).status).toBe(401);
    const ready = await fetch(`${sandbox.controlUrl}/ready`, { headers });
    expect(await ready.json()).toMatchObject({ ready: true, seed: 7 });
    const client = sandbox.clients.find(({ clientId }) => clientId === "example-service")!;
    const token = await fetch(`${sandbox.authUrl}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: client.clientId,
        client_secret: client.clientSecret!,
        scope: "service:leagues",
      }),
    });
    expect(token.status).toBe(200);
    await sandbox.close();
    expect(made.stops).toBe(1);
    await expect(fetch(`${sandbox.baseUrl}/profile`)).rejects.toThrow("fetch failed");
  });

  it("stops a container that does not become ready in time", async () => {
    const made = container();
    made.start = async () => ({
      logs: async () => new PassThrough(),
      stop: async () => void (made.stops += 1),
    });
    await expect(startSandboxContainer(made, { startupTimeoutMillis: 50 })).rejects.toMatchObject({
      _tag: "SandboxStartError",
    });
    expect(made.stops).toBe(1);
  });

  it("stops a container whose program ends, and says its last line", async () => {
    const made = container();
    made.start = async () => ({
      logs: async () => Readable.from(["starting\n", "nulls: has to be one of absent\n"]),
      stop: async () => void (made.stops += 1),
    });
    await expect(startSandboxContainer(made)).rejects.toThrow("nulls: has to be one of absent");
    expect(made.stops).toBe(1);
  });
});
