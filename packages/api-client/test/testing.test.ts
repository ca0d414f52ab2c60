/** The helpers for tests of other programs, and errors as Schemas. */
import { Duration, Effect, Schema, Stream } from "effect";
import { describe, expect, it } from "vitest";
import * as ErrorSchemas from "../src/ErrorSchemas.ts";
import { Forbidden, GameApi, type GameApiError, NotFound, RateLimited } from "../src/index.ts";
import { mock } from "../src/testing.ts";

describe("a mock", () => {
  const api = mock({
    leagues: { list: () => Effect.succeed([{ id: "Standard" }]) },
    request: () => Effect.succeed("unlisted"),
  });
  const use = <A>(call: (api: GameApi["Service"]) => Effect.Effect<A, GameApiError>) =>
    Effect.runPromiseExit(Effect.flatMap(GameApi, call).pipe(Effect.provide(api)));

  it("a mocked GameApi calls the given methods", async () => {
    expect(await use((client) => client.leagues.list())).toMatchObject({
      value: [{ id: "Standard" }],
    });
    expect(await use((client) => client.request({ path: "/x" }))).toMatchObject({
      value: "unlisted",
    });
  });

  it("a call of a method that the mock does not have dies with the name of the method", async () => {
    for (const call of [
      (client: GameApi["Service"]) => client.leagues.get({ league: "x" }),
      (client: GameApi["Service"]) => client.profile.get(),
      (client: GameApi["Service"]) => client.limits("profile.get"),
      (client: GameApi["Service"]) =>
        Stream.runDrain(client.leagues.ladderEntries({ league: "x" })),
    ])
      expect(String(await use<unknown>(call))).toMatch(
        /(leagues\.\w+|profile\.get|limits) has no mock/u,
      );
  });
});

describe("schemas of errors", () => {
  const info = { operation: "profile.get", route: "GET /profile", attempts: 1 };
  const codec = Schema.toCodecJson(ErrorSchemas.GameApiError);

  it.each([
    new RateLimited({
      ...info,
      reason: "server",
      status: 429,
      retryAfter: Duration.seconds(3),
      cause: new Error("s3cret"),
    }),
    new Forbidden({ ...info, reason: "scope", scopesNeeded: ["a"], scopesMissing: ["a"] }),
    new NotFound({ ...info, status: 404, code: 1, detail: "no" }),
  ])("the error schema encodes $_tag without its cause and decodes it to its class", (error) => {
    const encoded = Schema.encodeSync(codec)(error);
    expect(JSON.stringify(encoded)).not.toContain("s3cret");
    const decoded = Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(encoded)));
    expect(decoded).toBeInstanceOf(error.constructor);
    expect(decoded.toJSON()).toEqual(error.toJSON());
  });
});
