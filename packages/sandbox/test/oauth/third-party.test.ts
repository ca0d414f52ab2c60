/**
 * Client libraries of others complete their flows against the sandbox, headless and over real HTTP.
 * Its addresses have a path, which some libraries would lose.
 */
import { OAuth2Client } from "@badgateway/oauth2-client";
import { startWorlds } from "@game-data/sandbox";
import * as arctic from "arctic";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { AuthorizationCode, ClientCredentials } from "simple-oauth2";
import { afterAll, describe, expect, it } from "vitest";
import { bearer, DESKTOP, pkce, WEB } from "./harness.ts";

const worlds = await startWorlds();
afterAll(() => worlds.close());
const sandbox = worlds.at("libraries");

const SCOPES = ["account:profile", "account:stashes"];

/** For libraries that resolve paths against the origin alone. */
const path = (endpoint: string): string => new URL(sandbox.authUrl).pathname + endpoint;

const secret = (): string => sandbox.clients[0]!.clientSecret!;

/** Returns the address that the browser would bring back. */
const consent = async (url: string | URL): Promise<URL> =>
  new URL(await sandbox.consent(String(url)));

/** A token for the endpoints that care for tokens. */
const guard = () =>
  sandbox.token({ clientId: WEB.id, scopes: ["oauth:revoke", "oauth:introspect"] });

const expectToWork = async (token: string): Promise<void> => {
  const response = await fetch(`${sandbox.baseUrl}/profile`, { headers: bearer(token) });
  expect(await response.json()).toMatchObject({ name: "Emberlyn#4071" });
};

/**
 * A client-credentials answer has `expires_in: null` (§4.1), which two libraries refuse: they get
 * it without the member.
 */
const withoutNullExpiry: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const text = await response.text();
  return new Response(text.replace('"expires_in":null,', ""), response);
};

describe("oauth4webapi", () => {
  const server = (): oauth.AuthorizationServer => ({
    issuer: sandbox.authUrl,
    authorization_endpoint: `${sandbox.authUrl}/oauth/authorize`,
    token_endpoint: `${sandbox.authUrl}/oauth/token`,
    revocation_endpoint: `${sandbox.authUrl}/oauth/token/revoke`,
    introspection_endpoint: `${sandbox.authUrl}/oauth/token/introspect`,
  });
  const insecure = { [oauth.allowInsecureRequests]: true };

  it.each([WEB, DESKTOP])("code, refresh: $id", async ({ id, redirectUri }) => {
    const client: oauth.Client = { client_id: id };
    const authentication = id === WEB.id ? oauth.ClientSecretPost(secret()) : oauth.None();
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server().authorization_endpoint ?? "");
    url.search = new URLSearchParams({
      client_id: id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: SCOPES.join(" "),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    const callback = oauth.validateAuthResponse(server(), client, await consent(url), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server(),
      client,
      authentication,
      callback,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server(), client, answer);
    await expectToWork(tokens.access_token);
    const again = await oauth.refreshTokenGrantRequest(
      server(),
      client,
      authentication,
      tokens.refresh_token ?? "",
      insecure,
    );
    const refreshed = await oauth.processRefreshTokenResponse(server(), client, again);
    await expectToWork(refreshed.access_token);
  });
  it("client credentials, whose null lifetime it refuses, and works with when it is left out", async () => {
    const client: oauth.Client = { client_id: WEB.id };
    const ask = (customFetch: typeof fetch) =>
      oauth.clientCredentialsGrantRequest(
        server(),
        client,
        oauth.ClientSecretPost(secret()),
        new URLSearchParams({ scope: "account:profile" }),
        { ...insecure, [oauth.customFetch]: customFetch },
      );
    await expect(
      oauth.processClientCredentialsResponse(server(), client, await ask(fetch)),
    ).rejects.toThrow("expires_in");
    const tokens = await oauth.processClientCredentialsResponse(
      server(),
      client,
      await ask(withoutNullExpiry),
    );
    await expectToWork(tokens.access_token);
  });
  it("introspection and revocation, with the bearer that the service wants", async () => {
    const client: oauth.Client = { client_id: WEB.id };
    const token = await guard();
    const post = oauth.ClientSecretPost(secret());
    const authentication: oauth.ClientAuth = (as, of, body, headers) => {
      headers.set("authorization", `Bearer ${token}`);
      return post(as, of, body, headers);
    };
    const introspect = async () =>
      oauth.processIntrospectionResponse(
        server(),
        client,
        await oauth.introspectionRequest(server(), client, authentication, token, insecure),
      );
    expect((await introspect()).active).toBe(true);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server(), client, authentication, token, insecure),
    );
    await expect(introspect()).rejects.toThrow("WWW-Authenticate");
  });
});

describe("openid-client", () => {
  const configure = (id: string) => {
    const configuration = new openid.Configuration(
      {
        issuer: sandbox.authUrl,
        authorization_endpoint: `${sandbox.authUrl}/oauth/authorize`,
        token_endpoint: `${sandbox.authUrl}/oauth/token`,
      },
      id,
      id === WEB.id ? secret() : undefined,
      id === WEB.id ? openid.ClientSecretPost(secret()) : openid.None(),
    );
    openid.allowInsecureRequests(configuration);
    return configuration;
  };
  it.each([WEB, DESKTOP])("code, refresh: $id", async ({ id, redirectUri }) => {
    const configuration = configure(id);
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: SCOPES.join(" "),
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const tokens = await openid.authorizationCodeGrant(configuration, await consent(url), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    await expectToWork(tokens.access_token);
    const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
    await expectToWork(refreshed.access_token);
  });
  it("client credentials, without the null lifetime that it refuses", async () => {
    const configuration = configure(WEB.id);
    configuration[openid.customFetch] = withoutNullExpiry as openid.CustomFetch;
    const tokens = await openid.clientCredentialsGrant(configuration, { scope: "account:profile" });
    await expectToWork(tokens.access_token);
  });
});

describe("@badgateway/oauth2-client", () => {
  const client = (id: string) =>
    new OAuth2Client({
      server: sandbox.authUrl,
      clientId: id,
      ...(id === WEB.id
        ? { clientSecret: secret(), authenticationMethod: "client_secret_post" as const }
        : {}),
      authorizationEndpoint: path("/oauth/authorize"),
      tokenEndpoint: path("/oauth/token"),
      revocationEndpoint: path("/oauth/token/revoke"),
      introspectionEndpoint: path("/oauth/token/introspect"),
    });
  it.each([WEB, DESKTOP])("code, refresh: $id", async ({ id, redirectUri }) => {
    const { verifier } = pkce();
    const flow = client(id).authorizationCode;
    const url = await flow.getAuthorizeUri({
      redirectUri,
      state: "its-state",
      codeVerifier: verifier,
      scope: SCOPES,
    });
    const tokens = await flow.getTokenFromCodeRedirect(await consent(url), {
      redirectUri,
      state: "its-state",
      codeVerifier: verifier,
    });
    await expectToWork(tokens.accessToken);
    const refreshed = await client(id).refreshToken(tokens);
    await expectToWork(refreshed.accessToken);
  });
  it("client credentials, whose null lifetime it takes as never", async () => {
    const tokens = await client(WEB.id).clientCredentials({ scope: ["account:profile"] });
    expect(tokens.expiresAt).toBeNull();
    await expectToWork(tokens.accessToken);
  });
});

it("arctic: code, refresh", async () => {
  const client = new arctic.OAuth2Client(WEB.id, secret(), WEB.redirectUri);
  const state = arctic.generateState();
  const verifier = arctic.generateCodeVerifier();
  const url = client.createAuthorizationURLWithPKCE(
    `${sandbox.authUrl}/oauth/authorize`,
    state,
    arctic.CodeChallengeMethod.S256,
    verifier,
    SCOPES,
  );
  const callback = await consent(url);
  expect(callback.searchParams.get("state")).toBe(state);
  const token = `${sandbox.authUrl}/oauth/token`;
  const tokens = await client.validateAuthorizationCode(
    token,
    callback.searchParams.get("code") ?? "",
    verifier,
  );
  await expectToWork(tokens.accessToken());
  const refreshed = await client.refreshAccessToken(token, tokens.refreshToken(), []);
  await expectToWork(refreshed.accessToken());
});

describe("simple-oauth2", () => {
  const configuration = (paths: Record<string, string> = {}) => ({
    client: { id: WEB.id, secret: secret() },
    auth: {
      tokenHost: sandbox.authUrl,
      tokenPath: path("/oauth/token"),
      revokePath: path("/oauth/token/revoke"),
      ...paths,
    },
    options: { authorizationMethod: "body" as const },
  });
  it("code, refresh", async () => {
    const client = new AuthorizationCode(
      configuration({ authorizePath: path("/oauth/authorize") }),
    );
    const { verifier, challenge } = pkce();
    const url = client.authorizeURL({
      redirect_uri: WEB.redirectUri,
      scope: SCOPES.join(" "),
      state: "its-state",
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const callback = await consent(url);
    const tokens = await client.getToken({
      code: callback.searchParams.get("code") ?? "",
      redirect_uri: WEB.redirectUri,
      code_verifier: verifier,
    });
    await expectToWork(String(tokens.token["access_token"]));
    const refreshed = await tokens.refresh();
    await expectToWork(String(refreshed.token["access_token"]));
  });
  it("client credentials, whose null lifetime never expires", async () => {
    const client = new ClientCredentials(configuration());
    const tokens = await client.getToken({ scope: "account:profile" });
    expect(tokens.token["expires_in"]).toBeNull();
    await expectToWork(String(tokens.token["access_token"]));
  });
});
