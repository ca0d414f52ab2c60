/**
 * The sandbox as a function from `Request` to `Promise<Response>` that needs no Node API: for
 * browsers, workerd, Deno and Bun, and for tests in a page.
 *
 * State is kept in memory. Files, other words and the OpenAPI documents need Node and
 * `createSandboxHandler`.
 *
 * ```ts
 * import { createWebSandbox } from "@game-data/sandbox/web";
 *
 * const sandbox = await createWebSandbox({ seed: 1 });
 * const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`));
 * if (response.status !== 401) throw new Error("a request without a token is refused");
 * ```
 */
import * as Effect from "effect/Effect";
import { assemble, type SandboxInfo } from "./assemble.ts";
import { controlOf, type SandboxControl } from "./control.ts";
import { fetchFunction } from "./http/fetch.ts";
import {
  NOWHERE,
  optionsError,
  resolveConfig,
  type SandboxOptions,
  type WebOptionName,
  WebOptions,
} from "./Options.ts";
import { webPlatform } from "./platform/web.ts";

/** Options of `createWebSandbox`: those of `SandboxOptions` that do not need Node. */
export type WebSandboxOptions = Pick<SandboxOptions, WebOptionName>;

/** A sandbox without a port. Only its `fetch` reaches the sandbox. */
export interface WebSandbox extends SandboxInfo, SandboxControl {
  /** Answers a request to one of the sandbox's addresses. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Builds a sandbox. Rejects with a `SandboxStartError`, `RegistrationRejected` or
 * `RatePolicyInvalid`.
 */
export const createWebSandbox = (options: WebSandboxOptions = {}): Promise<WebSandbox> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const error = optionsError(options, WebOptions);
      if (error !== undefined) return yield* Effect.fail(error);
      const { handle, info } = yield* assemble({
        config: resolveConfig(options, NOWHERE, undefined),
        platform: webPlatform,
        hasDocuments: false,
      });
      const fetch = fetchFunction(handle, info, yield* Effect.context<never>());
      return { ...info, ...controlOf(info, fetch), fetch };
    }),
  );
