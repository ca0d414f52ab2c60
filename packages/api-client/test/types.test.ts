import type { Effect, Layer } from "effect";
import type * as HttpClient from "effect/http/HttpClient";
import { expectTypeOf, it } from "vitest";
import type { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import type { StashTab } from "@game-data/schemas";
import type { Session } from "@game-data/oauth-pkce";
import type { PromiseSession } from "@game-data/oauth-pkce/promise";
import { GameApi } from "../src/index.ts";
import type {
  Credentials,
  Forecast,
  GameApiError,
  GameApiService,
  StashTabs,
} from "../src/index.ts";
import { createGameApi } from "../src/promise.ts";
import type { GameApi as PromiseGameApi, PromiseApi } from "../src/promise.ts";

it("client methods have the types of their results, and the errors are one union", () => {
  expectTypeOf<GameApiService["stashes"]["get"]>().returns.toEqualTypeOf<
    Effect.Effect<StashTab | null, GameApiError>
  >();
  expectTypeOf<PromiseGameApi["stashes"]["get"]>().returns.toEqualTypeOf<
    Promise<StashTab | null>
  >();
  expectTypeOf<PromiseGameApi["stashes"]["all"]>().returns.toEqualTypeOf<Promise<StashTabs>>();
  expectTypeOf<PromiseGameApi["as"]>().returns.toEqualTypeOf<PromiseApi>();
  expectTypeOf<GameApi["Service"]>().toEqualTypeOf<GameApiService>();
});

it("methods of the Promise client take a signal, and `raw` resolves to a response with `bytes`", () => {
  expectTypeOf<PromiseGameApi["profile"]["get"]>()
    .parameter(0)
    .extract<object>()
    .toHaveProperty("signal");
  expectTypeOf<PromiseGameApi["leagues"]["ladderEntries"]>().returns.toExtend<
    AsyncIterable<{ readonly rank: number }>
  >();
  expectTypeOf<PromiseGameApi["publicStashTabs"]["raw"]>().returns.resolves.toHaveProperty("bytes");
  expectTypeOf<PromiseGameApi["forecast"]>().returns.resolves.toEqualTypeOf<Forecast>();
});

it("client methods refuse missing and unknown parameters in their types", () => {
  const calls = (api: GameApiService) => [
    // @ts-expect-error a stash id is required
    () => api.stashes.get({ league: "L" }),
    // @ts-expect-error game2 has no public stashes
    () => api.publicStashTabs.page({ realm: "game2" }),
    // @ts-expect-error there is no such operation
    () => api.forecast("stashes.put", 1),
  ];
  expectTypeOf(calls).toBeFunction();
});

it("sessions of oauth-pkce have the type Credentials", () => {
  expectTypeOf<Session.Session>().toExtend<Credentials>();
  expectTypeOf<PromiseSession>().toExtend<Credentials>();
});

it("GameApi.layer has ConfigurationInvalid in its error type", () => {
  expectTypeOf(GameApi.layer).returns.toEqualTypeOf<
    Layer.Layer<GameApi, ConfigurationInvalid, HttpClient.HttpClient>
  >();
  expectTypeOf(createGameApi).returns.toEqualTypeOf<PromiseGameApi>();
});
