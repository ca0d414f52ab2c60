/**
 * What the types refuse. Every `@ts-expect-error` is checked when this file is type-checked; at run time the schemas refuse the same, so
 * the calls are made as well.
 */
import { assert, describe, it } from "@effect/vitest";
import type { Character, StashTab } from "@game-data/schemas";
import {
  type CharacterResult,
  type Deployment,
  type GroupName,
  pathOf,
  type PathParams,
  type Scope,
  urlOf,
} from "../src/index.ts";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isTrue = <_ extends true>() => {};

const deployment: Deployment = { authUrl: "https://a.example", baseUrl: "https://b.example" };

describe("types", () => {
  it("refuse a realm that the endpoint does not know [DA-48, DA-32]", () => {
    // @ts-expect-error stashes are game 1 only
    assert.throws(() => pathOf("stashes", "list", { realm: "game2", league: "L" }));
    const league = { league: "L" };
    const game2 = { realm: "game2" } as const;
    // @ts-expect-error so are ladders
    assert.throws(() => urlOf(deployment, "leagues", "ladder", league, game2));
  });

  it("refuse a path without what it needs [DA-57, DA-62]", () => {
    // @ts-expect-error the league is required
    assert.throws(() => pathOf("stashes", "list", {}));
    // @ts-expect-error here too
    assert.throws(() => pathOf("leagueAccounts", "get", { realm: "console_a" }));
  });

  it("refuse a word that no parameter has [DA-34]", () => {
    // @ts-expect-error no such sort
    assert.throws(() => urlOf(deployment, "leagues", "ladder", { league: "L" }, { sort: "level" }));
    // @ts-expect-error no such endpoint
    assert.throws(() => pathOf("profile", "list", {}));
  });

  it("are derived from the endpoints", () => {
    isTrue<Equal<CharacterResult["character"], Character | null>>();
    isTrue<Equal<PathParams<"profile", "get">, Readonly<Record<never, never>>>>();
    isTrue<
      Equal<
        PathParams<"characters", "get">["realm"],
        "pc" | "console_a" | "console_b" | "game2" | undefined
      >
    >();
    isTrue<Equal<PathParams<"currencyExchange", "page">["id"], number | undefined>>();
    isTrue<Equal<Extract<Scope, `oauth:${string}`>, "oauth:revoke" | "oauth:introspect">>();
    isTrue<Equal<Extract<GroupName, "oauth" | "none">, "oauth">>();
    isTrue<Equal<StashTab["id"], string>>();
    assert.strictEqual(pathOf("profile", "get", {}), "/profile");
  });
});
