import type { ServerType } from "@hono/node-server";
import type { Effect, Redacted } from "effect";
import { expectTypeOf, it } from "vitest";
import type { PkceFlow, TokenSet } from "../src/index.ts";
import type { DrainOptions } from "../src/node/promise.ts";
import type { createPublicOAuth } from "../src/promise/index.ts";

it("the type of exchange accepts only a validated callback", () => {
  type Exchange = typeof PkceFlow.exchange;
  const exchange = (run: Exchange) => [
    // @ts-expect-error a bare code is not a validated callback
    () => run({} as never, "code"),
  ];
  expectTypeOf(exchange).parameter(0).toEqualTypeOf<Exchange>();
});

it("the access token of a TokenSet has the type Redacted", () => {
  expectTypeOf<TokenSet.TokenSet["accessToken"]>().toExtend<Redacted.Redacted>();
});

it("functions of the Promise API return no Effect", () => {
  type Client = ReturnType<typeof createPublicOAuth>;
  type Results = { [K in keyof Client]: Client[K] extends (...args: never) => infer R ? R : never };
  expectTypeOf<Extract<Results[keyof Results], Effect.Effect<unknown, unknown>>>().toBeNever();
});

it("drainOnSignals accepts servers of HTTP/2, and so the result of `serve` of @hono/node-server", () => {
  expectTypeOf<ServerType>().toExtend<DrainOptions["server"]>();
});
