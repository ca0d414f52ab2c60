/** As much of oidc-provider's interface as the tests use; the package brings no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    readonly oidc: {
      readonly client?: { readonly clientId: string };
      readonly session?: { readonly accountId?: string };
      readonly params?: Readonly<Record<string, unknown>>;
      readonly provider: Provider;
    };
  }

  export interface Configuration {
    readonly clients: ReadonlyArray<Readonly<Record<string, unknown>>>;
    readonly scopes: ReadonlyArray<string>;
    readonly routes: Readonly<Record<string, string>>;
    readonly features: Readonly<Record<string, { readonly enabled: boolean }>>;
    readonly cookies: { readonly keys: ReadonlyArray<string> };
    readonly issueRefreshToken: () => boolean;
    readonly rotateRefreshToken: boolean;
    readonly findAccount: (ctx: Context, accountId: string) => unknown;
    readonly loadExistingGrant: (ctx: Context) => Promise<Grant>;
    readonly interactions: {
      readonly url: (ctx: Context, interaction: { readonly uid: string }) => string;
    };
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: new (grant: { clientId: string; accountId: string }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string }; consent: object },
    ): Promise<void>;
  }
}
