/**
 * The types of requests and bodies. Every `@ts-expect-error` is checked when this file is
 * type-checked; at run time the table refuses the same, so the calls are made as well.
 */
import { assert, describe, it } from "@effect/vitest";
import type { Character, StashTab } from "@game-data/schemas";
import type { CharacterResult, Deployment, PagedName, Requests } from "../src/index.ts";
import type { Results, Scope, Taken } from "../src/index.ts";
import { requestTarget, urlOf } from "../src/index.ts";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isTrue = <_ extends true>() => {};

const deployment: Deployment = { authUrl: "https://a.example", baseUrl: "https://b.example" };

describe("types", () => {
  it("the request types refuse unknown operations, realms, words and parameters, and missing parameters [DA-32, DA-34, DA-48, DA-57, DA-62]", () => {
    // @ts-expect-error stashes are game 1 only
    assert.throws(() => requestTarget("stashes.list", { realm: "game2", league: "L" }));
    const game2 = { league: "L", realm: "game2" } as const;
    // @ts-expect-error so are ladders
    assert.throws(() => urlOf(deployment, "leagues.ladder", game2));
    // @ts-expect-error the league is required
    assert.throws(() => requestTarget("stashes.list", {}));
    // @ts-expect-error here too
    assert.throws(() => requestTarget("leagueAccounts.get", { realm: "console_a" }));
    // @ts-expect-error no such sort
    assert.throws(() => urlOf(deployment, "leagues.ladder", { league: "L", sort: "level" }));
    // @ts-expect-error no such operation
    assert.throws(() => requestTarget("profile.list", {}));
    // @ts-expect-error no such parameter
    assert.throws(() => requestTarget("profile.get", { id: 1 }));
  });

  it("Requests, Results and Taken have types that follow from `operations`", () => {
    isTrue<Equal<CharacterResult["character"], Character | null>>();
    isTrue<Equal<Results["characters.get"], CharacterResult>>();
    type Realm = Requests["characters.get"]["realm"];
    isTrue<Equal<Realm, "pc" | "console_a" | "console_b" | "game2" | undefined>>();
    isTrue<Equal<Requests["currencyExchange.page"]["id"], number | undefined>>();
    isTrue<Equal<Extract<Scope, `oauth:${string}`>, "oauth:revoke" | "oauth:introspect">>();
    isTrue<Equal<Taken<"characters.get">, Character | null>>();
    isTrue<Equal<Taken<"leagueAccounts.get">, Results["leagueAccounts.get"]["league_account"]>>();
    type Paged = Extract<"leagues.list" | "leagues.get" | "pvpMatches.ladder", PagedName>;
    isTrue<Equal<Paged, "leagues.list" | "pvpMatches.ladder">>();
    isTrue<Equal<StashTab["id"], string>>();
    assert.strictEqual(requestTarget("profile.get", {}), "/profile");
  });

  it("Requests has a type for each parameter, and a parameter with a default is optional", () => {
    interface StashRequest {
      readonly realm?: "pc" | "console_a" | "console_b" | undefined;
      readonly league: string;
      readonly stash_id: string;
      readonly substash_id?: string | undefined;
    }
    isTrue<Equal<Requests["stashes.get"], { [K in keyof StashRequest]: StashRequest[K] }>>();
    isTrue<Equal<Requests["profile.get"], Readonly<Record<string, never>>>>();
    const place = { league: "L", realm: "console_a" } as const;
    const both: Requests["leagues.ladder"] = { ...place, sort: "xp", limit: 5 };
    assert.match(requestTarget("leagues.ladder", both), /realm=console_a&sort=xp&limit=5$/u);
  });
});
