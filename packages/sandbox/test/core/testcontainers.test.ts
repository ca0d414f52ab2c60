/**
 * The helper for Testcontainers, with a container that is a sandbox in this process under the port
 * that is mapped. `container.long.test.ts` runs the image's program with the image's variables.
 */
import { PassThrough, Readable } from "node:stream";
import { startSandbox } from "@game-data/sandbox";
import {
  type ContainerBuilder,
  type StartedContainer,
  startSandboxContainer,
} from "@game-data/sandbox/testcontainers";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../src/commandLine.ts";

/** A container that writes what `logs` gives, and counts how often it is stopped. */
class Container implements ContainerBuilder {
  environment: Record<string, string> = {};
  ports: Array<{ readonly container: number; readonly host: number }> = [];
  stops = 0;
  readonly run: (container: Container) => Promise<{ logs: Readable; close?(): Promise<void> }>;

  constructor(run: Container["run"]) {
    this.run = run;
  }

  withExposedPorts(...ports: Container["ports"]): this {
    this.ports = ports;
    return this;
  }

  withEnvironment(environment: Record<string, string>): this {
    this.environment = environment;
    return this;
  }

  async start(): Promise<StartedContainer> {
    const { close, logs } = await this.run(this);
    return {
      logs: async () => logs,
      stop: async () => {
        this.stops += 1;
        await close?.();
      },
    };
  }
}

describe("startSandboxContainer", () => {
  it("maps a free port, and gives addresses, clients, accounts and a key that work", async () => {
    const made = new Container(async ({ environment, ports }) => {
      const port = ports[0]!.host;
      const { options } = await readCommandLine(["--allow-remote"], environment);
      const at = { host: "0.0.0.0", port, singlePort: true };
      const { close, ...info } = await startSandbox({ ...options, ...at });
      // As Docker mixes them: the banner on stderr stands between the lines of stdout.
      return { close, logs: Readable.from(["a banner\n", `${JSON.stringify(info)}\n`]) };
    });
    const sandbox = await startSandboxContainer(made, {
      environment: { GAME_DATA_SANDBOX_SEED: "7" },
    });
    expect(made.ports).toEqual([{ container: 4000, host: expect.any(Number) }]);
    const origin = `http://localhost:${made.ports[0]!.host}`;
    expect(sandbox).toMatchObject({
      ...{ authUrl: origin, baseUrl: origin },
      accounts: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
      clients: expect.arrayContaining([expect.objectContaining({ clientId: "example-service" })]),
    });
    const headers = { authorization: `Bearer ${sandbox.controlKey}` };
    expect((await fetch(`${sandbox.controlUrl}/clock`)).status).toBe(401);
    const ready = await fetch(`${sandbox.controlUrl}/ready`, { headers });
    expect(await ready.json()).toMatchObject({ ready: true, seed: 7 });
    await sandbox.close();
    expect(made.stops).toBe(1);
    await expect(fetch(`${sandbox.baseUrl}/profile`)).rejects.toThrow("fetch failed");
  });

  it("stops a container that does not become ready in time", async () => {
    const made = new Container(async () => ({ logs: new PassThrough() }));
    await expect(startSandboxContainer(made, { startupTimeoutMillis: 50 })).rejects.toMatchObject({
      _tag: "SandboxStartError",
    });
    expect(made.stops).toBe(1);
  });

  it("stops a container whose program ends, and says its last line", async () => {
    const lines = ["starting\n", "nulls: has to be one of absent\n"];
    const made = new Container(async () => ({ logs: Readable.from(lines) }));
    await expect(startSandboxContainer(made)).rejects.toThrow("nulls: has to be one of absent");
    expect(made.stops).toBe(1);
  });
});
