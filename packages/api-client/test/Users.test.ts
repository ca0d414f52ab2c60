import { Effect, Redacted } from "effect";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import type { Credentials } from "../src/index.ts";
import { layerOver, recording } from "./recording.ts";

describe("many users on one client", () => {
  it("have the identity of their source, of the options, or one of their own", async () => {
    const { transport } = recording();
    const source = (identity?: string): Credentials => ({
      identity,
      current: Effect.succeed({ token: Redacted.make("t"), scopes: undefined }),
    });
    const seen: Array<string> = [];
    await Effect.runPromise(
      Effect.gen(function* () {
        const api = yield* GameApi;
        for (const user of [
          api.as(source("account-1")),
          api.as(source("account-1"), { identity: "mine" }),
          api.as(source()),
          api.as(source()),
          api.as("token"),
          api.as("token"),
        ]) {
          const { client } = user as unknown as {
            readonly client: { readonly account: { readonly identity: string } };
          };
          seen.push(client.account.identity);
        }
      }).pipe(Effect.provide(layerOver(transport))),
    );
    expect(seen.slice(0, 2)).toEqual(["account-1", "mine"]);
    expect(seen[2]).not.toBe(seen[3]);
    expect(seen[4]).toBe(seen[5]);
    expect(seen[4]).not.toContain("token-token");
  });

  it("keep the words, hooks and options of the client", async () => {
    const { sent, transport } = recording(() => ({ body: '{"characters":[]}' }));
    let responses = 0;
    await Effect.runPromise(
      Effect.flatMap(GameApi, (api) => api.as("b").characters.list({ realm: "game2" })).pipe(
        Effect.provide(
          layerOver(transport, {
            words: { game2: "second" },
            onResponse: () => {
              responses++;
            },
          }),
        ),
      ),
    );
    expect(sent).toMatchObject([
      { url: "https://api.example/character/second", headers: { authorization: "Bearer b" } },
    ]);
    expect(responses).toBe(1);
  });
});
