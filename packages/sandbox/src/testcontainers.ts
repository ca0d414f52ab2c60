/**
 * Starts the sandbox's image as a container of `testcontainers`, for tests that run beside other
 * containers. Without them `startSandbox` is faster and needs no image.
 *
 * The public address has to be known before the start, because the sandbox tells it to clients and
 * in redirects. So a free port of the host is chosen first and mapped to the one of the image. The
 * container is passed in; this module imports nothing of `testcontainers`.
 *
 * ```ts no-run
 * import { type ContainerBuilder, startSandboxContainer } from "@game-data/sandbox/testcontainers";
 *
 * // The class of testcontainers.
 * declare const GenericContainer: new (image: string) => ContainerBuilder;
 *
 * const sandbox = await startSandboxContainer(new GenericContainer("game-data-sandbox"), {
 *   environment: { GAME_DATA_SANDBOX_SEED: "7" },
 * });
 * const response = await fetch(`${sandbox.baseUrl}/profile`);
 * if (response.status !== 401) throw new Error("a request without a token is refused");
 * await sandbox.close();
 * ```
 */
import { createServer, type AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { controlOf } from "./control.ts";
import { SandboxStartError } from "./Errors.ts";
import type { SandboxInfo } from "./Application.ts";
import type { RunningSandbox } from "./StartSandbox.ts";

/** The part of a `GenericContainer` that is used. */
export interface ContainerBuilder {
  withExposedPorts(...ports: Array<{ readonly container: number; readonly host: number }>): this;
  withEnvironment(environment: Record<string, string>): this;
  start(): Promise<StartedContainer>;
}

/** The part of a `StartedTestContainer` that is used. */
export interface StartedContainer {
  logs(): Promise<AsyncIterable<string | Uint8Array>>;
  stop(): Promise<unknown>;
}

/** Options of a container. */
export interface SandboxContainerOptions {
  /** Options of the sandbox as variables, such as `GAME_DATA_SANDBOX_SEED`. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds until the sandbox has to be ready. Default: 60,000. */
  readonly startupTimeoutMillis?: number | undefined;
}

/** A sandbox in a container. The control plane asks for `controlKey`, as a bearer token. */
export interface SandboxContainer extends RunningSandbox {
  readonly controlKey: string;
}

/** The port that the image listens on. */
const IMAGE_PORT = 4000;

/**
 * Starts the container and waits until the sandbox is ready. Rejects with a `SandboxStartError` if
 * it is not ready in time; the container is stopped then.
 */
export const startSandboxContainer = async (
  container: ContainerBuilder,
  options: SandboxContainerOptions = {},
): Promise<SandboxContainer> => {
  const { environment, startupTimeoutMillis = 60_000 } = options;
  const port = await freePort();
  const controlKey = crypto.randomUUID();
  const started = await container
    .withExposedPorts({ container: IMAGE_PORT, host: port })
    .withEnvironment({
      ...environment,
      GAME_DATA_SANDBOX_PUBLIC_URL: `http://localhost:${port}`,
      GAME_DATA_CONTROL_KEY: controlKey,
    })
    .start();
  try {
    const info = { ...(await readyLine(await started.logs(), startupTimeoutMillis)), controlKey };
    const close = async () => void (await started.stop());
    return { ...info, ...controlOf(info), close, [Symbol.asyncDispose]: close };
  } catch (cause) {
    await started.stop();
    throw cause;
  }
};

/** Reads the line that the sandbox prints when it is ready: addresses, clients and accounts. */
const readyLine = async (
  logs: AsyncIterable<string | Uint8Array>,
  timeoutMillis: number,
): Promise<SandboxInfo> => {
  const decoder = new TextDecoder();
  let text = "";
  const read = async (): Promise<SandboxInfo | undefined> => {
    for await (const chunk of logs) {
      text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      const line = READY_LINE.exec(text)?.[1];
      if (line !== undefined) return JSON.parse(line) as SandboxInfo;
    }
    return undefined;
  };
  const stop = new AbortController();
  const timeout = setTimeout(timeoutMillis, undefined, { signal: stop.signal }).catch(() => {});
  const info = await Promise.race([read(), timeout]);
  stop.abort();
  if (info !== undefined) return info;
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  throw new SandboxStartError({ reason: `the container did not become ready: ${last}` });
};

const READY_LINE = /^(\{"authUrl":.*\})\r?\n/mu;

/** A port that nothing listens on. Another program may take it before the container does. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
