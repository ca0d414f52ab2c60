/** As much of oidc-provider's interface as the tests use; the package brings no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Context {
    readonly oidc: {
      readonly client?: { readonly clientId: string };
      readonly session?: { readonly accountId?: string };
      readonly params?: Readonly<Record<string, unknown>>;
      readonly provider: Provider;
    };
  }

  export interface Configuration extends Readonly<Record<string, unknown>> {
    readonly findAccount: (ctx: Context, accountId: string) => unknown;
    readonly loadExistingGrant: (ctx: Context) => Promise<unknown>;
    readonly interactions: {
      readonly url: (ctx: Context, interaction: { readonly uid: string }) => string;
    };
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: new (grant: { clientId: string; accountId: string }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string }; consent: object },
    ): Promise<void>;
  }
}
