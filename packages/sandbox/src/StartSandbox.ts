/**
 * The sandbox for programs without Effect: on real ports with `startSandbox`, in process with
 * `createSandboxHandler`.
 */
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import type { SandboxOptions } from "./Config.ts";
import { inProcess, type Sandbox, type SandboxInfo, serve } from "./Sandbox.ts";

/** A sandbox that answers on real ports until it is closed. */
export interface RunningSandbox extends SandboxInfo {
  /** Stops answering and lets go of ports and database. */
  close(): Promise<void>;
}

/** A sandbox in this process, without a port. */
export interface SandboxHandler extends RunningSandbox {
  /** Answers a request to one of the sandbox's addresses. */
  fetch(request: Request): Promise<Response>;
}

/** Starts a sandbox on real ports. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<RunningSandbox> => {
  const { sandbox, close } = await open(serve(options));
  return { ...infoOf(sandbox), close };
};

/** Builds a sandbox that answers `Request`s in this process and opens no port. */
export const createSandboxHandler = async (
  options: SandboxOptions = {},
): Promise<SandboxHandler> => {
  const { sandbox, close } = await open(inProcess(options));
  return { ...infoOf(sandbox), fetch: sandbox.fetch, close };
};

const open = async <E>(start: Effect.Effect<Sandbox["Service"], E, Scope.Scope>) => {
  const scope = Scope.makeUnsafe();
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void));
  try {
    const sandbox = await Effect.runPromise(Effect.provideService(start, Scope.Scope, scope));
    return { sandbox, close };
  } catch (cause) {
    await close();
    throw cause;
  }
};

const infoOf = (sandbox: Sandbox["Service"]): SandboxInfo => ({
  authUrl: sandbox.authUrl,
  baseUrl: sandbox.baseUrl,
  controlUrl: sandbox.controlUrl,
  clients: sandbox.clients,
  accounts: sandbox.accounts,
});
