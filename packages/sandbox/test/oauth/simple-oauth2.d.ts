/** The part of simple-oauth2 that the tests use; the package has no types of its own. */
declare module "simple-oauth2" {
  interface AccessToken {
    readonly token: Record<string, unknown>;
    refresh(): Promise<AccessToken>;
  }
  interface Options {
    readonly client: { readonly id: string; readonly secret: string };
    readonly auth: Record<string, string>;
    readonly options?: { readonly authorizationMethod: "body" | "header" };
  }
  export class AuthorizationCode {
    constructor(options: Options);
    authorizeURL(parameters: Record<string, string>): string;
    getToken(parameters: Record<string, string>): Promise<AccessToken>;
  }
  export class ClientCredentials {
    constructor(options: Options);
    getToken(parameters: Record<string, string>): Promise<AccessToken>;
  }
}
