import { assert, describe, it } from "@effect/vitest";
import { Effect, Schema } from "effect";
import { afterAll } from "vitest";
import {
  endpointInfo,
  InvalidQueryError,
  NotFoundError,
  RateLimitExceededError,
} from "../src/server/index.ts";
import { echoServer } from "./support/echoServer.ts";

const server = echoServer();
afterAll(() => server.dispose());

const filter = {
  id: "f1",
  filter_name: "Mine",
  realm: "pc",
  description: "",
  version: "1",
  type: "Normal",
};
const update = (body: unknown) =>
  server.fetch("/item-filter/f1", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer t" },
    body: JSON.stringify(body),
  });
const get = (path: string) => server.fetch(path, { headers: { authorization: "Bearer t" } });

describe("a server of the contract", () => {
  it("answers an update that needs more processing with 202 and error, a finished one with 200 [DA-13]", async () => {
    server.replyWith(() =>
      Effect.succeed({ filter, error: { code: 0, message: "Still checking" } }),
    );
    const accepted = await update({ description: "new" });
    assert.strictEqual(accepted.status, 202);
    assert.deepStrictEqual(await accepted.json(), {
      filter,
      error: { code: 0, message: "Still checking" },
    });

    server.replyWith(() => Effect.succeed({ filter, error: null }));
    const done = await update({ description: "new" });
    assert.strictEqual(done.status, 200);
    assert.deepStrictEqual(await done.json(), { filter, error: null });
  });

  it("answers errors with {error: {code, message}} and nothing else", async () => {
    for (const [error, status, code] of [
      [InvalidQueryError.because("Bad"), 400, 2],
      [NotFoundError.because("Bad"), 404, 1],
      [RateLimitExceededError.because("Bad"), 429, 3],
    ] as const) {
      server.replyWith(() => Effect.fail(error));
      const response = await get("/league");
      assert.strictEqual(response.status, status);
      assert.deepStrictEqual(await response.json(), { error: { code, message: "Bad" } });
    }
  });

  it("answers a request that does not fit the schemas with 400 and code 2", async () => {
    const response = await get("/league?limit=51");
    assert.strictEqual(response.status, 400);
    assert.deepStrictEqual(await response.json(), {
      error: { code: 2, message: "Invalid query" },
    });
  });

  it("answers an empty name with 400", async () => {
    for (const path of ["/stash/L/", "/league/", "/character/"])
      assert.strictEqual((await get(path)).status, 400, path);
  });

  it("keeps members of answers that the specification does not name", async () => {
    const body = { leagues: [{ id: "L", later: { x: 1 } }], more: true };
    server.replyWith(() => Effect.succeed(body));
    assert.deepStrictEqual(await (await get("/league")).json(), body);
  });
});

describe("the schemas of answers", () => {
  it("are those of the records, not copies: what they check is handed on as it is", () => {
    const body = { stash: { id: "0123456789", name: "n", type: "t", metadata: {}, later: 1 } };
    const [schema] = endpointInfo("stashes", "get").successes.get(200)!;
    const read = Schema.decodeUnknownSync(schema as Schema.Codec<typeof body>)(body);
    assert.strictEqual(read.stash, body.stash);
  });
});

describe("the derived client", () => {
  it.effect("reads 202 and 200 of an update by status [DA-13]", () =>
    Effect.gen(function* () {
      const client = yield* server.client;
      server.replyWith(() => Effect.succeed({ filter, error: { code: 0, message: "Wait" } }));
      const accepted = yield* client.itemFilters.update({
        params: { id: "f1" },
        query: { validate: true },
        payload: { public: true },
      });
      assert.deepStrictEqual(accepted.error, { code: 0, message: "Wait" });
      assert.deepStrictEqual(server.understood.at(-1), {
        endpoint: "itemFilters.update",
        params: { id: "f1" },
        query: { validate: true },
        payload: { public: true },
      });
    }),
  );

  it.effect("gives null for what does not exist [DA-30, DA-44, DA-54, DA-59]", () =>
    Effect.gen(function* () {
      const client = yield* server.client;
      server.replyWith(() => Effect.succeed({ league: null }));
      const league = yield* client.leagues.get({ params: { league: "No" }, query: {} });
      assert.deepStrictEqual(league, { league: null });

      server.replyWith(() => Effect.succeed({ match: null }));
      const match = yield* client.pvpMatches.get({ params: { match: "No" }, query: {} });
      assert.deepStrictEqual(match, { match: null });

      server.replyWith(() => Effect.succeed({ character: null }));
      const character = yield* client.characters.get({ params: { name: "No" } });
      assert.deepStrictEqual(character, { character: null });

      server.replyWith(() => Effect.succeed({ stash: null }));
      const stash = yield* client.stashes.get({
        params: { league: "L", stash_id: "0123456789" },
      });
      assert.deepStrictEqual(stash, { stash: null });
    }),
  );

  it.effect("fails with the class of the status", () =>
    Effect.gen(function* () {
      const client = yield* server.client;
      server.replyWith(() => Effect.fail(NotFoundError.because("No such filter")));
      const error = yield* Effect.flip(client.itemFilters.get({ params: { id: "none" } }));
      assert.instanceOf(error, NotFoundError);
      assert.strictEqual((error as NotFoundError)._tag, "NotFoundError");
      assert.deepStrictEqual((error as NotFoundError).error, {
        code: 1,
        message: "No such filter",
      });
    }),
  );

  it.effect("sends a token request as a form and reads expires_in: null [OA-02]", () =>
    Effect.gen(function* () {
      const client = yield* server.client;
      const token = {
        access_token: "a",
        expires_in: null,
        token_type: "bearer",
        scope: "service:psapi",
        username: "Owner",
        sub: "00000000-0000-4000-8000-000000000000",
      };
      server.replyWith(() => Effect.succeed(token));
      const answer = yield* client.oauth.token({
        payload: {
          grant_type: "client_credentials",
          client_id: "c",
          client_secret: "s & é",
          scope: "service:psapi",
        },
      });
      assert.deepStrictEqual<unknown>(answer, token);
      assert.deepStrictEqual<unknown>(server.understood.at(-1)?.payload, {
        grant_type: "client_credentials",
        client_id: "c",
        client_secret: "s & é",
        scope: "service:psapi",
      });
    }),
  );
});
