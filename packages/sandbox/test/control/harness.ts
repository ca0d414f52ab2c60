/**
 * A sandbox on real ports with helpers for its control plane, for the tests of rates, faults,
 * journal and control.
 */
import type { FaultRule } from "../../src/faults/Fault.ts";
import type { JournalEntry } from "../../src/journal/Journal.ts";
import { type RunningSandbox, startSandbox } from "../../src/Sandbox.ts";
import type { SandboxOptions } from "../../src/Options.ts";
import { afterAll, beforeEach } from "vitest";

/** An instant on an hour, five minutes and more after the world's first data. */
export const NOON = "2026-03-01T12:00:00.000Z";

/** A sandbox as the helpers need it, with or without ports. */
interface Addressed extends RunningSandbox {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Helpers around a sandbox. */
export const toolsFor = (sandbox: Addressed) => {
  const control = async (method: string, path: string, body?: unknown): Promise<Response> =>
    sandbox.fetch(
      new Request(`${sandbox.controlUrl}${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      }),
    );
  const ask = <A>(method: string, path: string, body?: unknown): Promise<A> =>
    sandbox.control(method, path, body as object) as Promise<A>;
  const tokenOf = async (
    clientId: string,
    scopes: ReadonlyArray<string>,
    account?: string,
  ): Promise<string> => {
    const { access_token } = await ask<{ access_token: string }>("POST", "/tokens", {
      clientId,
      scopes,
      ...(account === undefined ? {} : { account }),
    });
    return access_token;
  };
  const get = (path: string, token?: string, init: RequestInit = {}): Promise<Response> =>
    sandbox.fetch(
      new Request(`${sandbox.baseUrl}${path}`, {
        ...init,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(init.headers as Record<string, string> | undefined),
        },
      }),
    );
  return {
    ...sandbox,
    control,
    ask,
    get,
    tokenOf,
    /** A client-credentials token of the application that reads leagues and streams. */
    serviceToken: () =>
      tokenOf("example-service", ["service:leagues", "service:psapi", "service:cxapi"]),
    addFault: (rule: FaultRule) => ask("POST", "/faults", rule),
    journal: async (query = "") =>
      (await ask<{ entries: ReadonlyArray<JournalEntry> }>("GET", `/journal${query}`)).entries,
  };
};

/** A sandbox whose clock stands still at noon. */
export const open = async (options: SandboxOptions = {}) => {
  const sandbox = await startSandbox({ now: NOON, ...options });
  const tools = toolsFor({ ...sandbox, fetch: (request) => fetch(request) });
  await tools.ask("POST", "/clock", { freeze: true, set: options.now ?? NOON });
  return tools;
};

/** One such sandbox for the tests of a file: each begins as at its start. */
export const openForFile = async (options: SandboxOptions = {}) => {
  const tools = await open(options);
  afterAll(() => tools.close());
  beforeEach(async () => {
    await tools.ask("DELETE", "/scenarios");
    await tools.ask("POST", "/reset");
    await tools.ask("POST", "/clock", { freeze: true, set: options.now ?? NOON });
  });
  return tools;
};

/** A sandbox with the helpers. */
export type Tools = Awaited<ReturnType<typeof open>>;
