/** The client against a real third-party server: oidc-provider on loopback. */
import { afterAll, assert, beforeAll, describe, vi } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { Provider } from "oidc-provider";
import {
  type OAuthClient,
  PkceFlow,
  Session,
  TokenCall,
  TokenRequest,
  TokenStore,
} from "../src/index.ts";
import { confidentialClient, publicClient } from "./clients.ts";
import { listen } from "./FakeServer.ts";
import { it } from "./it.ts";
import { Browser } from "./web/app.ts";

const SCOPES = "account:profile account:stashes service:psapi";
const SECRET = "backend-secret-0123456789";

const flow = { grant_types: ["authorization_code", "refresh_token"], scope: SCOPES };

const configuration = {
  clients: [
    {
      ...flow,
      client_id: "desktop",
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: ["http://127.0.0.1/callback"],
    },
    {
      ...flow,
      client_id: "backend",
      client_secret: SECRET,
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: ["https://app.example.com/callback"],
      grant_types: [...flow.grant_types, "client_credentials"],
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
  findAccount: (_: unknown, accountId: string) => ({
    accountId,
    claims: () => ({ sub: accountId }),
  }),
  // Consents to whatever is asked: the consent page is not what is tested here.
  loadExistingGrant: async ({ oidc: { client, session, provider, params } }: any) => {
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope(params.scope);
    await grant.save();
    return grant;
  },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
};

let issuer = "";
let tokenRequests = 0;
let close: () => unknown;

beforeAll(async () => {
  // It advises on production settings at every start.
  for (const method of ["info", "warn"] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
  const server = await listen((request, response) => {
    if (request.url === "/oauth/token") tokenRequests += 1;
    const consented = { login: { accountId: "alice" }, consent: {} };
    if (request.url?.startsWith("/interaction/"))
      void oidc.interactionFinished(request, response, consented);
    else handle(request, response);
  });
  ({ close, url: issuer } = server);
  const oidc = new Provider(issuer, configuration);
  const handle = oidc.callback();
});
afterAll(() => {
  close();
  vi.restoreAllMocks();
});

const desktop = () => publicClient(issuer, { issuer });
const backend = (clientSecret = SECRET) => confidentialClient(issuer, { issuer, clientSecret });

/** Signs in with a browser that keeps cookies, and follows redirects until they leave the server. */
const signedIn = Effect.fnUntraced(function* (client: OAuthClient.OAuthClient) {
  const scopes = ["account:profile", "account:stashes"] as const;
  const { url: start, pending } = yield* PkceFlow.start(client, { scopes });
  const browser = new Browser((request) => fetch(request), issuer);
  let url = start;
  while (new URL(url).origin === issuer) {
    const response = yield* Effect.promise(() => browser.visit(url));
    yield* Effect.promise(() => response.arrayBuffer());
    url = new URL(response.headers.get("location")!, url).href;
  }
  return yield* PkceFlow.exchange(client, yield* PkceFlow.validateCallback(client, pending, url));
});

describe("oidc-provider", () => {
  it.live(
    "oidc-provider issues and rotates tokens of PkceFlow, and ends a grant that is used twice",
    function* () {
      for (const client of [yield* desktop(), yield* backend()]) {
        const first = yield* signedIn(client);
        assert.strictEqual(first.expiresAt, first.issuedAt + 3_600_000);
        assert.deepStrictEqual(first.scopes, ["account:profile", "account:stashes"]);
        const second = yield* TokenRequest.refresh(client, first);
        const third = yield* TokenRequest.refresh(client, second);
        const values = [first, second, third].map((set) => Redacted.value(set.refreshToken!));
        assert.strictEqual(new Set(values).size, 3);
        assert.strictEqual(third.consentExpiresAt, first.consentExpiresAt);
        // Somebody else has the first one: the whole family dies.
        for (const set of [first, third])
          assert.strictEqual(
            (yield* Effect.flip(TokenRequest.refresh(client, set)))._tag,
            "InvalidGrant",
          );
      }
    },
  );

  it.live("oidc-provider gets one refresh from 100 callers in two sessions", function* () {
    const client = yield* desktop();
    const store = TokenStore.memory();
    const sessions = [Session.forUser(client, { store }), Session.forUser(client, { store })];
    const tokens = yield* signedIn(client);
    yield* sessions[0]!.signIn({ ...tokens, expiresAt: Date.now() });
    tokenRequests = 0;
    const calls = Array.from({ length: 100 }, (_, at) => sessions[at % 2]!.accessToken);
    const used = yield* Effect.all(calls, { concurrency: "unbounded" });
    assert.strictEqual(new Set(used.map(Redacted.value)).size, 1);
    assert.strictEqual(tokenRequests, 1);
  });

  it.live("oidc-provider issues a token for client credentials", function* () {
    const client = yield* backend();
    const tokens = yield* TokenRequest.clientCredentials(client, { scopes: ["service:psapi"] });
    assert.deepStrictEqual(tokens.scopes, ["service:psapi"]);
    assert.notProperty(tokens, "refreshToken");
  });

  it.live("introspect and revoke work at oidc-provider without a bearer token", function* () {
    const client = yield* backend();
    const tokens = yield* signedIn(client);
    const status = yield* TokenCall.introspect(client, tokens.accessToken);
    assert.deepInclude(status, { active: true, clientId: "backend" });
    assert.strictEqual(typeof status.exp, "number");
    yield* TokenCall.revoke(client, tokens.accessToken, { hint: "access_token" });
    const after = yield* TokenCall.introspect(client, tokens.accessToken);
    assert.deepInclude(after, { active: false, scopes: [] });
  });
});
