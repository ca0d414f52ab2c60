/** Errors of the packages as failures: the right code, and a sentence for people. */
import { NotFound, RateLimited, Forbidden } from "@game-data/api-client";
import { InvalidClient, NotSignedIn, type OAuthError } from "@game-data/oauth-pkce";
import { InvalidStoreUrl } from "@game-data/stream-follower";
import { Duration } from "effect";
import { describe, expect, it } from "vitest";
import { errorTags, toFailure } from "../src/toFailure.ts";

describe("an error of the OAuth client", () => {
  it("is a sentence, whatever it is", () => {
    for (const tag of Object.keys(errorTags["@game-data/oauth-pkce"]!)) {
      const facts = {
        option: "Authorization",
        reason: "why",
        status: 503,
        error: "odd",
        operation: "get",
        scope: "a:b",
      };
      const failure = toFailure({ _tag: tag, ...facts } as unknown as OAuthError);
      expect(failure.message).toMatch(/^[A-Z].+\.$/u);
      expect(failure.message).not.toMatch(/undefined|[a-z][A-Z]/u);
      expect(failure.details).toEqual({ tag });
    }
  });

  it("says what the server said, where that may be shown", () => {
    const rejected = { error: "invalid_client", status: 401 };
    expect(toFailure(new InvalidClient(rejected)).message).toBe(
      "The OAuth server rejects the client (invalid_client).",
    );
    expect(
      toFailure(new InvalidClient({ ...rejected, description: "No such client" })),
    ).toMatchObject({
      code: "client-rejected",
      exitCode: 78,
      message: "The OAuth server rejects the client (invalid_client): No such client",
    });
    expect(toFailure(new NotSignedIn()).message).toBe("Nobody is signed in.");
  });
});

describe("an error of the client", () => {
  const call = { operation: "stashes.list", route: "GET /stash", attempts: 1 };

  it("keeps its facts for scripts", () => {
    expect(toFailure(new NotFound({ ...call, status: 404 }))).toMatchObject({
      code: "not-found",
      details: { tag: "NotFound", operation: "stashes.list", status: 404 },
    });
    const before = Date.now();
    const retryAfter = Duration.seconds(60);
    const limited = toFailure(new RateLimited({ ...call, retryAfter, kind: "server" }));
    expect(limited).toMatchObject({ code: "rate-limited", exitCode: 75 });
    const wait = Date.parse(String(limited.details?.["retryAt"])) - before;
    expect(wait).toBeGreaterThanOrEqual(60_000);
    expect(wait).toBeLessThan(90_000);
  });

  it("tells a firewall, a scope that a user can grant, and one that takes a secret apart", () => {
    const of = (more: { kind: Forbidden["kind"]; scopesMissing?: ReadonlyArray<string> }) =>
      toFailure(new Forbidden({ ...call, scopesNeeded: [], scopesMissing: [], ...more }));
    expect(of({ kind: "firewall" })).toMatchObject({
      code: "forbidden",
      next: expect.stringMatching(/^wait/u),
    });
    expect(of({ kind: "scope", scopesMissing: ["account:stashes"] }).next).toBe(
      "sign in for it: gamedata login --scope account:stashes",
    );
    expect(of({ kind: "scope", scopesMissing: ["service:psapi"] }).next).toContain(
      "GAME_DATA_CLIENT_SECRET",
    );
    expect(of({ kind: "private" })).toMatchObject({ code: "forbidden" });
  });
});

it("an address that names no store is told with the forms that there are", () => {
  expect(toFailure(new InvalidStoreUrl())).toMatchObject({
    code: "setting-invalid",
    next: expect.stringContaining("sqlite:FILE"),
  });
});
