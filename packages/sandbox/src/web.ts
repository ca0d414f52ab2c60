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
import * as Effect from "effect/Effect";
import { assemble, type SandboxInfo } from "./assemble.ts";
import { NOWHERE, resolveConfig, type SandboxOptions } from "./Config.ts";
import { controlOf, type SandboxControl } from "./control.ts";
import { fetchFunction } from "./http/fetch.ts";
import { misfitOf, WebDocument } from "./optionDocuments.ts";
import { webPlatform } from "./platform/web.ts";

/** The options that make sense without a host. */
export type WebSandboxOptions = Pick<SandboxOptions, keyof typeof WebDocument.fields>;

/** A sandbox that is reached through `fetch` alone. */
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
      const misfit = misfitOf(options, WebDocument);
      if (misfit !== undefined) return yield* Effect.fail(misfit);
      const { handle, info } = yield* assemble({
        config: resolveConfig(options, NOWHERE, undefined),
        platform: webPlatform,
        hasDocuments: false,
      });
      const fetch = fetchFunction(handle, info, yield* Effect.context<never>());
      return { ...info, ...controlOf(info, fetch), fetch };
    }),
  );
