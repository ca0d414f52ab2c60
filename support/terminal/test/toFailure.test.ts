/** Errors of the packages as failures: the right code, and a sentence for people. */
import { NotFound, RateLimited, Forbidden } from "@game-data/api-client";
import { InvalidClient, InvalidGrant, NotSignedIn } from "@game-data/oauth-pkce";
import { InvalidStoreUrl } from "@game-data/stream-follower";
import { Duration } from "effect";
import { describe, expect, it } from "vitest";
import { toFailure } from "../src/toFailure.ts";

describe("an error of the OAuth client", () => {
  it("says what happened, without the advice for programs, which a next step replaces", () => {
    expect(toFailure(new NotSignedIn())).toMatchObject({
      message: "Nobody is signed in.",
      next: "sign in with: gamedata login",
      details: { tag: "NotSignedIn", help: expect.stringMatching(/\/errors\/notsignedin\/$/u) },
    });
    const description = "No such client";
    const rejected = { error: "invalid_client", status: 401, description };
    expect(toFailure(new InvalidClient(rejected))).toMatchObject({
      code: "client-rejected",
      exitCode: 78,
      message:
        "The server rejected the client (error invalid_client; status 401; description No such client).",
    });
  });

  it("tells a code that is not accepted from a sign-in that has ended", () => {
    const of = (grant: InvalidGrant["grant"]) =>
      toFailure(new InvalidGrant({ error: "invalid_grant", status: 400, ...(grant && { grant }) }));
    expect(of("authorization_code").code).toBe("sign-in-failed");
    expect(of("refresh_token").code).toBe("not-signed-in");
    expect(of(undefined).code).toBe("not-signed-in");
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
