/**
 * Consents on the sandbox's page without a browser: for tests and demonstrations of a sign-in.
 *
 * The control plane plays the person (`POST {controlUrl}/authorize`). Everything else of the flow
 * is real: the answer is the redirect that the browser would have followed, with a code or an error
 * in it.
 */
import type { SandboxInfo } from "./StartSandbox.ts";

/** The account that answers, and its decision. */
export interface ConsentOptions {
  /** The account that is signed in. Default: the first one. */
  readonly account?: string;
  /** Refuses instead. */
  readonly deny?: boolean;
}

/**
 * Answers an authorize URL, and gives the address that the browser is sent to.
 *
 * ```ts
 * import { startSandbox } from "@game-data/sandbox";
 * import { approveConsent } from "@game-data/sandbox/approveConsent";
 *
 * export const signIn = async (authorizeUrl: string): Promise<string> => {
 *   const sandbox = await startSandbox();
 *   return approveConsent(sandbox, authorizeUrl); // http://127.0.0.1…/callback?code=…&state=…
 * };
 * ```
 */
export const approveConsent = async (
  { accounts, controlUrl }: Pick<SandboxInfo, "accounts" | "controlUrl">,
  url: string,
  { account = accounts[0]?.name, deny = false }: ConsentOptions = {},
): Promise<string> => {
  const response = await fetch(`${controlUrl}/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url, account, ...(deny && { deny }) }),
  });
  const answer = (await response.json()) as { readonly redirect?: string };
  if (answer.redirect === undefined)
    throw new Error(
      `the sandbox takes no consent (HTTP ${response.status}): ${JSON.stringify(answer)}`,
    );
  return answer.redirect;
};
