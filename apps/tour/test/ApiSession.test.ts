/** Both kinds of speakers, against a sandbox. */
import { Revocation } from "@game-data/oauth-pkce";
import type { Scope } from "@game-data/contract";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { approveConsent } from "@game-data/sandbox/approveConsent";
import { Effect, Redacted } from "effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  applicationOf,
  obstacleTo,
  settingsOf,
  signInByBrowser,
  signInThrough,
  speakersOf,
  tokenFacts,
  userOf,
} from "../src/ApiSession.ts";

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const settings = (id: string) => {
  const { authUrl, baseUrl } = sandbox;
  const { clientSecret, redirectUris } = sandbox.clients.find(({ clientId }) => clientId === id)!;
  const [redirectUri] = redirectUris;
  return settingsOf({
    authUrl,
    baseUrl,
    clientId: id,
    contact: "test@example.com",
    ...(clientSecret !== undefined && { clientSecret }),
    ...(redirectUri !== undefined && { redirectUri }),
  });
};

it("speaks for the application with its secret", () =>
  Effect.gen(function* () {
    const { application, user } = yield* speakersOf(settings("example-service"), [
      "service:leagues",
    ]);
    expect(user).toBeUndefined();
    expect(yield* tokenFacts(application!)).toContainEqual(["access token", "until it is revoked"]);
    expect((yield* application!.api.leagues.list()).length).toBeGreaterThan(0);
  }).pipe(Effect.scoped, Effect.runPromise));

it("speaks for a user once they have signed in, and not after they have signed out", () =>
  Effect.gen(function* () {
    const { application, user } = yield* speakersOf(settings("example-desktop"), [
      "account:profile",
      "oauth:revoke",
    ]);
    expect(application).toBeUndefined();
    const { api, session, withToken } = user!;
    expect((yield* Effect.flip(api.profile.get()))._tag).toBe("Unauthorized");

    const tokens = yield* signInThrough(user!, (url) =>
      Effect.promise(() => approveConsent(sandbox, url)),
    );
    expect(yield* tokenFacts(user!)).toEqual([
      ["client", "example-desktop"],
      ["scopes", "account:profile oauth:revoke"],
      ["access token", "for 10 hours"],
      ["refreshable", "for 7 days"],
    ]);
    expect((yield* api.profile.get()).name).toBe(sandbox.accounts[0]?.name);

    yield* session.signOut({ revoke: Revocation.using(tokens.accessToken) });
    const revoked = yield* withToken(tokens.accessToken);
    expect((yield* Effect.flip(revoked.profile.get())).status).toBe(401);
  }).pipe(Effect.scoped, Effect.runPromise));

it("comes back from the browser whose address was shown", () =>
  Effect.gen(function* () {
    const { user } = yield* speakersOf(settings("example-desktop"), ["account:profile"]);
    yield* signInByBrowser(user!, (url) => {
      void approveConsent(sandbox, url).then((redirect) => fetch(redirect));
    });
    expect((yield* user!.api.profile.get()).name).toBe(sandbox.accounts[0]?.name);
  }).pipe(Effect.scoped, Effect.runPromise));

it("says what stands in the way of a call", () =>
  Effect.gen(function* () {
    const speakers = yield* speakersOf(settings("example-service"), ["service:leagues"]);
    const obstacle = (speaker: "user" | "application", ...scopes: ReadonlyArray<Scope>) =>
      obstacleTo(speakers, { speaker, scopes });
    expect(yield* obstacle("application")).toBeUndefined();
    expect(yield* obstacle("application", "service:leagues")).toBeUndefined();
    expect(yield* obstacle("application", "service:leagues", "service:psapi")).toBe(
      "the token lacks service:psapi",
    );
    expect(yield* obstacle("user")).toContain("it needs a user");
    const { user } = yield* speakersOf(settings("example-desktop"), []);
    expect(
      yield* obstacleTo({ user, application: undefined }, { speaker: "application", scopes: [] }),
    ).toContain("GAME_DATA_CLIENT_SECRET");
    expect(applicationOf(speakers)).toBe(speakers.application);
    expect(() => userOf(speakers)).toThrow("nobody speaks as the user");
  }).pipe(Effect.scoped, Effect.runPromise));

it("asks for an address of the data API, and for words that are words", () =>
  Effect.gen(function* () {
    const known = settings("example-service");
    const withoutAddress = speakersOf({ ...known, baseUrl: undefined }, []);
    expect((yield* Effect.flip(withoutAddress))._tag).toBe("Failure");
    const words = { console_a: "same", console_b: "same" };
    const error = yield* Effect.flip(speakersOf({ ...known, words }, []));
    expect(error.message).toContain("The words are not usable");
  }).pipe(Effect.scoped, Effect.runPromise));

it("keeps the secret to itself", () => {
  const known = settings("example-service");
  expect(Redacted.isRedacted(known.clientSecret)).toBe(true);
  expect(JSON.stringify(known)).not.toContain(Redacted.value(known.clientSecret!));
});
