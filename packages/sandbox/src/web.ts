/**
 * The sandbox as a function from `Request` to `Promise<Response>` that needs no Node API: for
 * browsers, workerd, Deno and Bun, and for tests in a page.
 *
 * State lies in memory. Files, captured answers, other words and the documentation pages need Node:
 * use `createSandboxHandler` there.
 *
 * ```ts
 * import { createWebSandbox } from "@game-data/sandbox/web";
 *
 * const sandbox = await createWebSandbox({ seed: 1 });
 * const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`));
 * if (response.status !== 401) throw new Error("a request without a token is refused");
 * ```
 */
import { NOWHERE, resolveConfig, type SandboxOptions, validateOptions } from "./Config.ts";
import { controlOf, type SandboxControl } from "./control.ts";
import { SandboxStartError } from "./Errors.ts";
import { fetchHandler } from "./http/fetchHandler.ts";
import type { DocumentType } from "./internal/document.ts";
import { webPlatform } from "./platform/web.ts";
import { infoOf, makeApplication, type SandboxInfo } from "./Application.ts";
import { misfitOf, type WebDocument } from "./optionDocuments.ts";
import { memoryEngine } from "./store/memory.ts";

/** The options that make sense without a host. */
export type WebSandboxOptions = Pick<SandboxOptions, keyof DocumentType<typeof WebDocument>>;

/** A sandbox that is reached through `fetch` alone. */
export interface WebSandbox extends SandboxInfo, SandboxControl {
  /** Answers a request to one of the sandbox's addresses. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Builds a sandbox. Rejects with a `SandboxStartError`, `RegistrationRejected` or
 * `RatePolicyInvalid`.
 */
export const createWebSandbox = async (options: WebSandboxOptions = {}): Promise<WebSandbox> => {
  const reason = misfitOf(options, "WebDocument") ?? validateOptions(options);
  if (reason !== undefined) throw new SandboxStartError({ reason });
  const application = makeApplication({
    config: resolveConfig(options, NOWHERE, undefined),
    platform: webPlatform,
    engine: memoryEngine(),
    log: (message, cause) => console.error(message, cause),
  });
  await application.ready("auth");
  const info = infoOf(application);
  const send = fetchHandler(application);
  return { ...info, ...controlOf(info, send), fetch: send };
};
