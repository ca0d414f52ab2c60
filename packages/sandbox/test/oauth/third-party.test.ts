/**
 * The client library of others that is the strictest completes its flows, headless and over real
 * HTTP. `audits/clients.mjs` runs it and four more.
 */
import { startSandbox } from "@game-data/sandbox";
import * as oauth from "oauth4webapi";
import { afterAll, expect, it } from "vitest";
import { authorizeQuery, bearer, DESKTOP, WEB } from "./harness.ts";

const sandbox = await startSandbox();
afterAll(() => sandbox.close());

const expectToWork = async (token: string): Promise<void> => {
  const response = await fetch(`${sandbox.baseUrl}/profile`, { headers: bearer(token) });
  expect(await response.json()).toMatchObject({ name: "Emberlyn#4071" });
};

const server: oauth.AuthorizationServer = {
  issuer: sandbox.authUrl,
  authorization_endpoint: `${sandbox.authUrl}/oauth/authorize`,
  token_endpoint: `${sandbox.authUrl}/oauth/token`,
  revocation_endpoint: `${sandbox.authUrl}/oauth/token/revoke`,
  introspection_endpoint: `${sandbox.authUrl}/oauth/token/introspect`,
};
const client: oauth.Client = { client_id: WEB.id };
const post = oauth.ClientSecretPost(sandbox.clients[0]!.clientSecret!);
const insecure = { [oauth.allowInsecureRequests]: true };

it.each([WEB, DESKTOP])("code, refresh: $id", async ({ id, redirectUri }) => {
  const own: oauth.Client = { client_id: id };
  const authentication = id === WEB.id ? post : oauth.None();
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const query = authorizeQuery({
    client_id: id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  });
  const back = await sandbox.consent(`${server.authorization_endpoint}?${query}`);
  const callback = oauth.validateAuthResponse(server, own, new URL(back), state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    own,
    authentication,
    callback,
    redirectUri,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, own, answer);
  await expectToWork(tokens.access_token);
  const again = await oauth.refreshTokenGrantRequest(
    server,
    own,
    authentication,
    tokens.refresh_token ?? "",
    insecure,
  );
  const refreshed = await oauth.processRefreshTokenResponse(server, own, again);
  await expectToWork(refreshed.access_token);
});
it("client credentials, whose null lifetime it refuses, and works with when it is left out", async () => {
  const form = new URLSearchParams({ scope: "account:profile" });
  const answer = await oauth.clientCredentialsGrantRequest(server, client, post, form, insecure);
  const text = await answer.clone().text();
  const read = (response: Response) =>
    oauth.processClientCredentialsResponse(server, client, response);
  await expect(read(answer)).rejects.toThrow("expires_in");
  const tokens = await read(new Response(text.replace('"expires_in":null,', ""), answer));
  await expectToWork(tokens.access_token);
});
it("introspection and revocation, with the bearer that the service wants", async () => {
  const scopes = ["oauth:revoke", "oauth:introspect"] as const;
  const token = await sandbox.token({ clientId: WEB.id, scopes });
  const authentication: oauth.ClientAuth = (as, of, body, headers) => {
    headers.set("authorization", `Bearer ${token}`);
    return post(as, of, body, headers);
  };
  const introspect = async () =>
    oauth.processIntrospectionResponse(
      server,
      client,
      await oauth.introspectionRequest(server, client, authentication, token, insecure),
    );
  expect((await introspect()).active).toBe(true);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, authentication, token, insecure),
  );
  await expect(introspect()).rejects.toThrow("WWW-Authenticate");
});
