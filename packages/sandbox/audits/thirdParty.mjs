// A sign-in with an OAuth library of others, as a program to audit: node thirdParty.mjs LIBRARY
// It asks for consent, redeems the code, reads the profile, refreshes, and reads it again.
import { createHash, randomBytes } from "node:crypto";
import { OAuth2Client } from "@badgateway/oauth2-client";
import * as arctic from "arctic";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { AuthorizationCode } from "simple-oauth2";

const { env } = process;
const auth = env["GAME_DATA_AUTH_URL"];
const clientId = env["GAME_DATA_CLIENT_ID"];
const secret = env["GAME_DATA_CLIENT_SECRET"];
const redirectUri = "https://app.example.com/callback";
const scopes = ["account:profile"];
const state = randomBytes(16).toString("base64url");
const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

/** Consents, and returns the callback that a browser would open. */
const consent = async (url) => {
  const response = await fetch(`${env["GAME_DATA_CONTROL_URL"]}/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: String(url) }),
  });
  return new URL((await response.json()).redirect);
};

/** The state is the program's to check where the library leaves it to it. */
const codeOf = (callback) => {
  if (callback.searchParams.get("state") !== state) throw new Error("another state");
  return callback.searchParams.get("code");
};

const use = async (token) => {
  const response = await fetch(`${env["GAME_DATA_BASE_URL"]}/profile`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`profile: ${response.status}`);
};

const LIBRARIES = {
  oauth4webapi: async () => {
    const server = {
      issuer: auth,
      authorization_endpoint: `${auth}/oauth/authorize`,
      token_endpoint: `${auth}/oauth/token`,
    };
    const client = { client_id: clientId };
    const post = oauth.ClientSecretPost(secret);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const url = new URL(server.authorization_endpoint);
    url.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: scopes.join(" "),
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const callback = oauth.validateAuthResponse(server, client, await consent(url), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      post,
      callback,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
    await use(tokens.access_token);
    const again = await oauth.refreshTokenGrantRequest(
      server,
      client,
      post,
      tokens.refresh_token,
      insecure,
    );
    await use((await oauth.processRefreshTokenResponse(server, client, again)).access_token);
  },

  "openid-client": async () => {
    const configuration = new openid.Configuration(
      {
        issuer: auth,
        authorization_endpoint: `${auth}/oauth/authorize`,
        token_endpoint: `${auth}/oauth/token`,
      },
      clientId,
      secret,
      openid.ClientSecretPost(secret),
    );
    openid.allowInsecureRequests(configuration);
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: scopes.join(" "),
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const tokens = await openid.authorizationCodeGrant(configuration, await consent(url), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    await use(tokens.access_token);
    await use((await openid.refreshTokenGrant(configuration, tokens.refresh_token)).access_token);
  },

  "@badgateway/oauth2-client": async () => {
    const client = new OAuth2Client({
      server: auth,
      clientId,
      clientSecret: secret,
      authenticationMethod: "client_secret_post",
      authorizationEndpoint: "/oauth/authorize",
      tokenEndpoint: "/oauth/token",
    });
    const flow = client.authorizationCode;
    const url = await flow.getAuthorizeUri({
      redirectUri,
      state,
      codeVerifier: verifier,
      scope: scopes,
    });
    const tokens = await flow.getTokenFromCodeRedirect(await consent(url), {
      redirectUri,
      state,
      codeVerifier: verifier,
    });
    await use(tokens.accessToken);
    await use((await client.refreshToken(tokens)).accessToken);
  },

  arctic: async () => {
    const client = new arctic.OAuth2Client(clientId, secret, redirectUri);
    const url = client.createAuthorizationURLWithPKCE(
      `${auth}/oauth/authorize`,
      state,
      arctic.CodeChallengeMethod.S256,
      verifier,
      scopes,
    );
    const code = codeOf(await consent(url));
    const token = `${auth}/oauth/token`;
    const tokens = await client.validateAuthorizationCode(token, code, verifier);
    await use(tokens.accessToken());
    await use((await client.refreshAccessToken(token, tokens.refreshToken(), [])).accessToken());
  },

  "simple-oauth2": async () => {
    const client = new AuthorizationCode({
      client: { id: clientId, secret },
      auth: { tokenHost: auth, tokenPath: "/oauth/token", authorizePath: "/oauth/authorize" },
      options: { authorizationMethod: "body" },
    });
    const url = client.authorizeURL({
      redirect_uri: redirectUri,
      scope: scopes.join(" "),
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const tokens = await client.getToken({
      code: codeOf(await consent(url)),
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    await use(tokens.token["access_token"]);
    await use((await tokens.refresh()).token["access_token"]);
  },
};

// A refused callback is a failure that a program reports; an error that nobody catches is a crash.
await LIBRARIES[process.argv[2]]().catch((error) => {
  console.error(`${error.message}`);
  process.exitCode = 1;
});
