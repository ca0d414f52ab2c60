/** The client against a real third-party server: oidc-provider on loopback. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, assert, beforeAll, describe, vi } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { Provider, type Configuration } from "oidc-provider";
import {
  ClientCredentials,
  Introspection,
  OAuthClient,
  PkceFlow,
  RefreshGrant,
  Revocation,
  Session,
  TokenStore,
} from "../src/index.ts";
import { it } from "./it.ts";
import { Browser } from "./web/app.ts";

const REDIRECT = "http://127.0.0.1:8765/callback";
const SCOPES = "account:profile account:stashes service:psapi";
const SECRET = "backend-secret-0123456789";

const configuration: Configuration = {
  clients: [
    {
      client_id: "desktop",
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: ["http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: SCOPES,
    },
    {
      client_id: "backend",
      client_secret: SECRET,
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: ["https://app.example.com/callback"],
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
      response_types: ["code"],
      scope: SCOPES,
    },
  ],
  scopes: SCOPES.split(" "),
  routes: {
    authorization: "/oauth/authorize",
    token: "/oauth/token",
    revocation: "/oauth/token/revoke",
    introspection: "/oauth/token/introspect",
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true },
    introspection: { enabled: true },
  },
  cookies: { keys: ["a-key-of-this-test"] },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  // Consents to whatever is asked: the consent page is not what is tested here.
  loadExistingGrant: async (ctx) => {
    const { client, session, provider, params } = ctx.oidc;
    const grant = new provider.Grant({
      clientId: client!.clientId,
      accountId: session!.accountId!,
    });
    grant.addOIDCScope(String(params?.["scope"]));
    await grant.save();
    return grant;
  },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
};

interface Running {
  readonly issuer: string;
  readonly tokenRequests: { count: number };
}

const provider = Effect.acquireRelease(
  Effect.callback<readonly [Running, Server]>((resume) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const oidc = new Provider(issuer, configuration);
      const handle = oidc.callback();
      const tokenRequests = { count: 0 };
      server.on("request", (request, response) => {
        if (request.url === "/oauth/token") tokenRequests.count += 1;
        if (request.url?.startsWith("/interaction/"))
          void oidc.interactionFinished(request, response, {
            login: { accountId: "alice" },
            consent: {},
          });
        else void handle(request, response);
      });
      resume(Effect.succeed([{ issuer, tokenRequests }, server]));
    });
  }),
  ([, server]) =>
    Effect.callback<void>((resume) => {
      server.closeAllConnections();
      server.close(() => resume(Effect.void));
    }),
).pipe(Effect.map(([running]) => running));

/** A browser with cookies that follows redirects until they leave the server. */
const browse = (start: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { origin } = new URL(start);
    const browser = new Browser((request) => fetch(request), origin);
    let url = start;
    for (let hop = 0; hop < 10; hop++) {
      const response = await browser.visit(url);
      await response.arrayBuffer();
      const location = response.headers.get("location");
      assert.isNotNull(location, `${response.status} from ${url}`);
      url = new URL(location!, url).href;
      if (new URL(url).origin !== origin) return url;
    }
    throw new Error("too many redirects");
  });

const desktop = (issuer: string, options: Partial<OAuthClient.PublicClientOptions> = {}) =>
  OAuthClient.publicClient({
    authUrl: issuer,
    issuer,
    clientId: "desktop",
    redirectUri: REDIRECT,
    ...options,
  });

const backend = (issuer: string, clientSecret = SECRET) =>
  OAuthClient.confidentialClient({
    authUrl: issuer,
    issuer,
    clientId: "backend",
    clientSecret,
    redirectUri: "https://app.example.com/callback",
  });

const signedIn = Effect.fnUntraced(function* (client: OAuthClient.OAuthClient) {
  const { url, pending } = yield* PkceFlow.start(client, {
    scopes: ["account:profile", "account:stashes"],
  });
  const callback = yield* PkceFlow.validateCallback(client, pending, yield* browse(url));
  return yield* PkceFlow.exchange(client, callback);
});

describe("oidc-provider", () => {
  // It advises on production settings at every start.
  beforeAll(() => {
    for (const method of ["info", "warn"] as const)
      vi.spyOn(console, method).mockImplementation(() => undefined);
  });
  afterAll(() => vi.restoreAllMocks());

  it.live("gives a public client tokens for code and PKCE, with iss checked", function* () {
    const { issuer } = yield* provider;
    const tokens = yield* signedIn(yield* desktop(issuer));
    assert.strictEqual(tokens.expiresAt, tokens.issuedAt + 3_600_000);
    assert.deepStrictEqual(tokens.scopes, ["account:profile", "account:stashes"]);
    assert.isDefined(tokens.refreshToken);
  });

  it.live("rotates refresh tokens, and ends the grant when one is reused", function* () {
    const { issuer } = yield* provider;
    for (const client of [yield* desktop(issuer), yield* backend(issuer)]) {
      const first = yield* signedIn(client);
      const second = yield* RefreshGrant.request(client, first);
      const third = yield* RefreshGrant.request(client, second);
      const values = [first, second, third].map(({ refreshToken }) =>
        Redacted.value(refreshToken!),
      );
      assert.strictEqual(new Set(values).size, 3);
      assert.strictEqual(third.consentExpiresAt, first.consentExpiresAt);
      // Somebody else has the first one: the whole family dies.
      assert.strictEqual(
        (yield* Effect.flip(RefreshGrant.request(client, first)))._tag,
        "InvalidGrant",
      );
      assert.strictEqual(
        (yield* Effect.flip(RefreshGrant.request(client, third)))._tag,
        "InvalidGrant",
      );
    }
  });

  it.live("C19: survives 100 fibers of two sessions, because they refresh once", function* () {
    const { issuer, tokenRequests } = yield* provider;
    const client = yield* desktop(issuer);
    const store = TokenStore.memory();
    const sessions = [Session.forUser(client, { store }), Session.forUser(client, { store })];
    yield* sessions[0]!.signIn(yield* signedIn(client));
    for (let round = 0; round < 5; round++) {
      const before = tokenRequests.count;
      const token = yield* sessions[1]!.accessToken;
      const renewed = yield* Effect.all(
        Array.from({ length: 100 }, (_, at) => sessions[at % 2]!.renew(token)),
        { concurrency: "unbounded" },
      );
      assert.strictEqual(new Set(renewed.map((value) => Redacted.value(value))).size, 1);
      assert.strictEqual(tokenRequests.count, before + 1);
    }
  });

  it.live("gives a confidential client its own token", function* () {
    const { issuer } = yield* provider;
    const tokens = yield* ClientCredentials.request(yield* backend(issuer), {
      scopes: ["service:psapi"],
    });
    assert.deepStrictEqual(tokens.scopes, ["service:psapi"]);
    assert.notProperty(tokens, "refreshToken");
    const error = yield* Effect.flip(
      ClientCredentials.request(yield* backend(issuer, "wrong"), { scopes: ["service:psapi"] }),
    );
    assert.deepInclude(error, { _tag: "InvalidClient", error: "invalid_client" });
  });

  it.live("introspects and revokes by plain RFC 7662 and 7009, without a bearer", function* () {
    const { issuer } = yield* provider;
    const client = yield* backend(issuer);
    const tokens = yield* signedIn(client);
    const status = yield* Introspection.introspect(client, tokens.accessToken);
    assert.deepInclude(status, { active: true, clientId: "backend" });
    assert.strictEqual(typeof status.exp, "number");
    yield* Revocation.revoke(client, tokens.accessToken, { hint: "access_token" });
    const after = yield* Introspection.introspect(client, tokens.accessToken);
    assert.deepInclude(after, { active: false, scopes: [] });
    yield* Revocation.revoke(client, tokens.refreshToken!);
    assert.strictEqual(
      (yield* Effect.flip(RefreshGrant.request(client, tokens)))._tag,
      "InvalidGrant",
    );
  });
});
