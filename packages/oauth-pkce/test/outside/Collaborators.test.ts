/**
 * Every option and every collaborator of the Promise entries, broken in every way, by exported
 * names alone: each call ends, well or with an error of the package.
 */
import * as errors from "@game-data/oauth-pkce/Errors";
import {
  openFileStore,
  openReceiver,
  signInDesktop,
  type DesktopSignInOptions,
} from "@game-data/oauth-pkce/node/promise";
import {
  createConfidentialOAuth,
  createPublicOAuth,
  memoryStore,
  TokenSet,
  type Backend,
  type ConfidentialClientOptions,
  type PromiseSessionOptions,
  type PublicClientOptions,
} from "@game-data/oauth-pkce/promise";
import { makeSealer, type SealerOptions } from "@game-data/oauth-pkce/sealer";
import { createSignIn, type SignInOptions } from "@game-data/oauth-pkce/web";
import { breaks, brokenFunctions, membersOf, wrongValues } from "@game-data/test-support";
import { describe, expect, it } from "vitest";

/** Longer than the default of every limit but the ten minutes of a desktop flow. */
const HOW = { within: 35_000, tags: new Set(Object.keys(errors)) };

const source = (file: string) => new URL(`../../src/${file}`, import.meta.url);
const members = {
  client: membersOf(source("OAuthClient.ts"), "ClientOptions"),
  publicClient: membersOf(source("OAuthClient.ts"), "PublicClientOptions"),
  confidentialClient: membersOf(source("OAuthClient.ts"), "ConfidentialClientOptions"),
  session: [
    ...membersOf(source("Session.ts"), "SessionOptions"),
    ...membersOf(source("promise/Session.ts"), "PromiseSessionOptions"),
  ],
  backend: membersOf(source("TokenStore.ts"), "Backend"),
  signIn: membersOf(source("web/App.ts"), "SignInOptions"),
  sealer: membersOf(source("makeSealer.ts"), "SealerOptions"),
  receiver: membersOf(source("node/LoopbackReceiver.ts"), "ReceiverOptions"),
  desktop: [
    ...membersOf(source("node/promise.ts"), "DesktopSignInOptions"),
    "scopes",
    "timeout",
    "page",
  ],
};

/** A server in the process: tokens for everybody. */
const tokensFor: typeof fetch = async (input) => {
  const response = Response.json({
    access_token: "AT-1",
    refresh_token: "RT-1",
    token_type: "bearer",
    expires_in: 3600,
    scope: "account:profile",
    username: "Account",
    sub: "3f1f4c5e-0000-4000-8000-000000000001",
  });
  const url = input instanceof Request ? input.url : String(input);
  return Object.defineProperty(response, "url", { value: url });
};

const publicOptions: PublicClientOptions = {
  authUrl: "https://auth.example.com",
  clientId: "desktop",
  redirectUri: "http://127.0.0.1:3000/callback",
  fetch: tokensFor,
  timeout: "200 millis",
};
const confidentialOptions: ConfidentialClientOptions = {
  authUrl: "https://auth.example.com",
  clientId: "web",
  clientSecret: "s3cret",
  redirectUri: "https://app.example.com/callback",
  fetch: tokensFor,
  timeout: "200 millis",
};

/** Signs a session in with tokens that must be renewed, and does with it what a program does. */
const useSession = async (options: PromiseSessionOptions, client = publicOptions) => {
  const session = createPublicOAuth(client).session(options);
  await session.signIn(TokenSet.fromRefreshToken({ refreshToken: "RT-0" }));
  await session.accessToken();
  await session.renew("AT-1");
  await session.status();
  await session.withFreshToken(async () => new Response("ok"));
  await session.signOut();
  await session.close();
};

/** Signs a browser in over both of its requests; a callback with a foreign state is refused. */
const signInOnce = async (options: SignInOptions) => {
  const signIn = await createSignIn({ answerWithin: "300 millis", ...options });
  const origin = "http://127.0.0.1:3000";
  const login = await signIn.handle(new Request(`${origin}/auth/login`));
  if (!(login instanceof Response)) throw new Error("login has no response");
  const state = new URL(login.headers.get("location") ?? origin).searchParams.get("state");
  const cookie = login.headers.getSetCookie().map((one) => one.split(";")[0]);
  const callback = new URL(`${origin}/callback?code=C&state=${state}`);
  const response = await signIn.handle(
    new Request(callback, { headers: { cookie: cookie.join("; ") } }),
  );
  if (!(response instanceof Response)) throw new Error("callback has no response");
  const refused = await signIn.handle(new Request(`${origin}/callback?code=C&state=foreign`));
  if (!(refused instanceof Response)) throw new Error("a refused callback has no response");
  await signIn.user(new Request(origin, { headers: { cookie: cookie.join("; ") } }));
};

describe("a client", () => {
  it("takes each option with any value, or refuses it", async () => {
    const of = wrongValues(publicOptions, [...members.client, ...members.publicClient]);
    const start = async (options: PublicClientOptions) => {
      await createPublicOAuth(options).start({ scopes: ["account:profile"] });
    };
    expect(await breaks(of, start, HOW)).toStrictEqual([]);
  });

  it("takes each option of a confidential one, or refuses it", async () => {
    const of = wrongValues(confidentialOptions, [...members.client, ...members.confidentialClient]);
    const obtain = (options: ConfidentialClientOptions) =>
      createConfidentialOAuth(options).clientCredentials({ scopes: ["service:leagues"] });
    expect(await breaks(of, obtain, HOW)).toStrictEqual([]);
  });

  it("ends each call whatever its fetch does", async () => {
    const of = brokenFunctions(publicOptions, ["fetch"]);
    expect(await breaks(of, (options) => useSession({}, options), HOW)).toStrictEqual([]);
  });
});

describe("a session", () => {
  it("takes each option with any value, or refuses it", async () => {
    const of = wrongValues<PromiseSessionOptions>({}, members.session);
    expect(await breaks(of, useSession, HOW)).toStrictEqual([]);
  });

  it("ends each call whatever its store does", async () => {
    const of = brokenFunctions<Backend>(memoryStore(), members.backend);
    const use = (store: Backend) => useSession({ store, storeTimeout: "100 millis" });
    expect(await breaks(of, use, HOW)).toStrictEqual([]);
  });

  it("ends each call whatever its callbacks do", async () => {
    const of = brokenFunctions<PromiseSessionOptions>({}, ["log", "onAnswerLost", "waitUntil"]);
    expect(await breaks(of, useSession, HOW)).toStrictEqual([]);
  });
});

describe("the sign-in of a web application", () => {
  const healthy = (): SignInOptions => ({
    client: createPublicOAuth(publicOptions).client,
    scopes: ["account:profile"],
    store: memoryStore(),
    keys: { current: "k", keys: { k: new Uint8Array(32) } },
    log: () => undefined,
    storeTimeout: "100 millis",
  });

  it("takes each option with any value, or refuses it", async () => {
    const of = wrongValues(healthy(), members.signIn);
    expect(await breaks(of, signInOnce, HOW)).toStrictEqual([]);
  });

  it("answers whatever its callbacks do", async () => {
    const of = brokenFunctions(healthy(), ["isAllowedReturn", "onError", "log"]);
    expect(await breaks(of, signInOnce, HOW)).toStrictEqual([]);
  });

  it("answers whatever its store does", async () => {
    const of = brokenFunctions<Backend>(memoryStore(), members.backend);
    const signIn = (store: Backend) => signInOnce({ ...healthy(), store });
    expect(await breaks(of, signIn, HOW)).toStrictEqual([]);
  });
});

describe("keys, files and the desktop", () => {
  it("a sealer takes each option with any value, or refuses it", async () => {
    const healthy: SealerOptions = { current: "k", keys: { k: new Uint8Array(32) }, purpose: "p" };
    const seal = async (options: SealerOptions) => {
      const sealer = await makeSealer(options);
      await sealer.open(await sealer.seal("text", "name"), "name");
    };
    expect(await breaks(wrongValues(healthy, members.sealer), seal, HOW)).toStrictEqual([]);
  });

  it("a file store refuses what is no folder", async () => {
    const of = wrongValues({ folder: "" }, ["folder"]).filter(
      ({ value }) => (value.folder as unknown) !== "text",
    );
    const open = ({ folder }: { readonly folder: string }) => openFileStore(folder);
    expect(await breaks(of, open, HOW)).toStrictEqual([]);
  });

  it("a receiver takes each option with any value, or refuses it", async () => {
    const of = wrongValues({}, members.receiver);
    const listen = async (options: object) => (await openReceiver(options)).close();
    expect(await breaks(of, listen, HOW)).toStrictEqual([]);
  });

  it("a desktop flow ends whatever its options are and its callbacks do", async () => {
    const healthy: DesktopSignInOptions = {
      scopes: ["account:profile"],
      timeout: "200 millis",
      open: false,
      show: () => undefined,
    };
    const of = [
      ...wrongValues(healthy, members.desktop),
      ...brokenFunctions(healthy, ["open", "show", "paste"]),
    ];
    const { client } = createPublicOAuth({
      ...publicOptions,
      redirectUri: "http://127.0.0.1/callback",
    });
    expect(await breaks(of, (options) => signInDesktop({ client }, options), HOW)).toStrictEqual(
      [],
    );
  });
});
