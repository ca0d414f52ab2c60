/** As much of oidc-provider's interface as the tests use; the package has no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  export interface Configuration extends Readonly<Record<string, unknown>> {
    readonly findAccount: (context: unknown, accountId: string) => unknown;
    readonly loadExistingGrant: (context: { readonly oidc: any }) => Promise<unknown>;
    readonly interactions: {
      readonly url: (context: unknown, interaction: { uid: string }) => string;
    };
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>;
  }
}
