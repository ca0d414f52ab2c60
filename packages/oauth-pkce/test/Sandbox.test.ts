/** The whole client against the service, over real HTTP and on the service's virtual clock. */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { oauthRoutes, scopes as allScopes, type Scope } from "@game-data/contract";
import { startSandbox, type RunningSandbox } from "@game-data/sandbox";
import { afterAll, assert, beforeAll, expectTypeOf, test } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { FetchHttpClient, HttpClient } from "effect/http";
import { TestClock } from "effect/testing";
import * as AuthorizedClient from "../src/AuthorizedClient.ts";
import { OAuthClient, PkceFlow, Session, TokenCall, TokenRequest } from "../src/index.ts";
import { it } from "./it.ts";

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7 });
});
afterAll(() => sandbox.close());

/** Moves both clocks: the service's virtual one and the program's. */
const pass = (time: `${number} ${"seconds" | "minutes" | "days"}`) =>
  Effect.andThen(
    TestClock.adjust(time),
    Effect.promise(() => sandbox.advance(time)),
  );

/** The options of a client that is registered at the sandbox. */
const registered = (id: string) => {
  const { authUrl, clients } = sandbox;
  const { clientId, clientSecret, redirectUris } = clients.find((each) => each.clientId === id)!;
  return { authUrl, clientId, clientSecret: clientSecret!, redirectUri: redirectUris[0]! };
};

const publicClient = () => OAuthClient.publicClient(registered("example-desktop"));
const confidentialClient = (clientId = "example-web") =>
  OAuthClient.confidentialClient(registered(clientId));

const USER_SCOPES = ["account:profile", "oauth:revoke", "oauth:introspect"] as const;

const signedIn = Effect.fnUntraced(function* (client: OAuthClient.OAuthClient) {
  const { url, pending } = yield* PkceFlow.start(client, { scopes: USER_SCOPES });
  const redirect = yield* Effect.promise(() => sandbox.consent(url));
  return yield* PkceFlow.exchange(
    client,
    yield* PkceFlow.validateCallback(client, pending, redirect),
  );
});

const profileStatus = (token: Redacted.Redacted) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${Redacted.value(token)}` };
    const response = await fetch(`${sandbox.baseUrl}/profile`, { headers });
    await response.arrayBuffer();
    return response.status;
  });

test("OAuth paths and scopes are those of the contract [OA-01, OA-02, OA-03, OA-04, OA-45]", () => {
  const paths = Object.values(oauthRoutes).map(({ path }) => path as string);
  for (const path of ["authorize", "token", "token/revoke", "token/introspect"])
    assert.include(paths, `/oauth/${path}`);
  assert.strictEqual(allScopes.length, 14);
  // A user can grant every scope that is not the application's own.
  type Granted = PkceFlow.UserScope;
  expectTypeOf<Granted>().toEqualTypeOf<Exclude<Scope, `service:${string}`>>();
});

it.effect(
  "a public client signs in with code and PKCE, at any port, without a secret [OA-05, OA-07, OA-08, OA-13, OA-17, OA-18, OA-23, OA-33, OA-36, OA-41, CL-04]",
  function* () {
    const client = yield* publicClient();
    const redirectUri = client.redirectUri.replace("8765", "50123");
    const { url, pending } = yield* PkceFlow.start(client, {
      scopes: ["account:profile", "account:stashes"],
      redirectUri,
    });
    const query = new URL(url).searchParams;
    assert.strictEqual(
      [...query.keys()].toSorted().join(" "),
      "client_id code_challenge code_challenge_method redirect_uri response_type scope state",
    );
    assert.strictEqual(query.get("response_type"), "code");
    assert.strictEqual(query.get("scope"), "account:profile account:stashes");
    const redirect = yield* Effect.promise(() => sandbox.consent(url));
    assert.isTrue(redirect.startsWith(`${redirectUri}?`));
    const callback = yield* PkceFlow.validateCallback(client, pending, redirect);
    const tokens = yield* PkceFlow.exchange(client, callback);
    assert.deepInclude(tokens, {
      username: sandbox.accounts[0]!.name,
      sub: sandbox.accounts[0]!.uuid,
      scopes: ["account:profile", "account:stashes"],
      expiresAt: tokens.issuedAt + 10 * 3_600_000,
      consentExpiresAt: tokens.issuedAt + 1000 * Lifetimes.refreshToken.public,
    });
    assert.isDefined(tokens.refreshToken);
    assert.strictEqual(yield* profileStatus(tokens.accessToken), 200);
  },
);

it.effect.each(["public", "confidential"] as const)(
  "a %s client refreshes until its consent ends, and not longer [OA-18, OA-20, OA-22, OA-25, OA-27, NS-21, NS-22, LC-08, LC-09, CL-10]",
  function* (kind) {
    // A minute is left after six steps.
    const step = `${(Lifetimes.refreshToken[kind] - 60) / 6} seconds` as const;
    const client = yield* kind === "public" ? publicClient() : confidentialClient();
    const used = yield* signedIn(client);
    yield* TokenRequest.refresh(client, used);
    const again = yield* Effect.flip(TokenRequest.refresh(client, used));
    assert.strictEqual(again._tag, "InvalidGrant");
    let tokens = yield* signedIn(client);
    assert.strictEqual(tokens.expiresAt, tokens.issuedAt + 1000 * Lifetimes.accessToken[kind]);
    const end = tokens.consentExpiresAt!;
    assert.strictEqual(end, tokens.issuedAt + 1000 * Lifetimes.refreshToken[kind]);
    for (let rotation = 0; rotation < 6; rotation++) {
      yield* pass(step);
      tokens = yield* TokenRequest.refresh(client, tokens);
      assert.strictEqual(tokens.consentExpiresAt, end);
    }
    assert.strictEqual(yield* profileStatus(tokens.accessToken), 200);
    yield* pass("1 minutes");
    // The service agrees, even when the client forgets what it knows.
    const { consentExpiresAt: _, ...forgetful } = tokens;
    for (const [set, tag] of [
      [tokens, "ConsentExpired"],
      [forgetful, "InvalidGrant"],
    ] as const)
      assert.strictEqual((yield* Effect.flip(TokenRequest.refresh(client, set)))._tag, tag);
  },
);

it.effect(
  "client credentials give a confidential client a token that does not expire [OA-19, OA-28, OA-34, OA-43, LC-07, CL-13]",
  function* () {
    const client = yield* confidentialClient("example-service");
    const session = Session.forApplication(client, {
      scopes: ["service:psapi", "account:profile", "oauth:revoke"],
    });
    const tokens = yield* session.tokens;
    assert.strictEqual(tokens.expiresAt, "never");
    assert.notProperty(tokens, "refreshToken");
    yield* pass("3650 days");
    assert.strictEqual(yield* session.accessToken, tokens.accessToken);
    assert.isUndefined(yield* session.consentExpiresAt);
    assert.strictEqual(yield* profileStatus(tokens.accessToken), 200);
    yield* TokenCall.revoke(client, tokens.accessToken, { using: tokens.accessToken });
    assert.strictEqual(yield* profileStatus(tokens.accessToken), 401);
    const fetching = yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer);
    const http = AuthorizedClient.make(fetching, session, sandbox);
    assert.strictEqual((yield* http.get(`${sandbox.baseUrl}/profile`)).status, 200);
    assert.notStrictEqual(
      Redacted.value(yield* session.accessToken),
      Redacted.value(tokens.accessToken),
    );
  },
);

it.effect("an unknown client gets a page with 400 and no redirect [NS-24]", function* () {
  const client = { ...(yield* publicClient()), clientId: "nobody" };
  const { url } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
  const { headers, status } = yield* Effect.promise(() => fetch(url, { redirect: "manual" }));
  assert.deepStrictEqual([status, headers.get("location")], [400, null]);
});

it.effect(
  "introspect reports a token as inactive after revoke [OA-03, OA-04, LC-06, NS-03, NS-04]",
  function* () {
    const client = yield* confidentialClient();
    const using = { using: (yield* signedIn(client)).accessToken };
    const { accessToken } = yield* signedIn(client);
    assert.deepInclude(yield* TokenCall.introspect(client, accessToken, using), {
      active: true,
      clientId: "example-web",
      sub: sandbox.accounts[0]!.uuid,
      scopes: [...USER_SCOPES],
    });
    yield* TokenCall.revoke(client, accessToken, using);
    assert.isFalse((yield* TokenCall.introspect(client, accessToken, using)).active);
    assert.strictEqual(yield* profileStatus(accessToken), 401);
  },
);
