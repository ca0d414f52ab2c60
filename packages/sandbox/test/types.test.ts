/** The public surface in types. */
import {
  createSandboxHandler,
  type FaultRule,
  type JournalEntry,
  Sandbox,
  type SandboxError,
  type SandboxHandler,
  type SandboxOptions,
  startSandbox,
} from "@game-data/sandbox";
import { controlOf } from "@game-data/sandbox/control";
import { exec } from "@game-data/sandbox/exec";
import { createWebSandbox, type WebSandbox } from "@game-data/sandbox/web";
import type { Effect, Layer } from "effect";
import { expectTypeOf, it } from "vitest";

it("has the promised types", () => {
  expectTypeOf(startSandbox).parameter(0).toEqualTypeOf<SandboxOptions | undefined>();
  expectTypeOf(createSandboxHandler).returns.resolves.toEqualTypeOf<SandboxHandler>();
  expectTypeOf(createWebSandbox).returns.resolves.toEqualTypeOf<WebSandbox>();
  expectTypeOf(controlOf).returns.toHaveProperty("consent");
  expectTypeOf<SandboxHandler["consent"]>().returns.resolves.toBeString();
  expectTypeOf(Sandbox.layer()).toEqualTypeOf<Layer.Layer<Sandbox, SandboxError>>();
  expectTypeOf(exec(["x"])).toExtend<Effect.Effect<number, { readonly _tag: string }>>();
  expectTypeOf<JournalEntry["listener"]>().toEqualTypeOf<"auth" | "data">();
  expectTypeOf<{ fault: { kind: "reset" } }>().toExtend<FaultRule>();
  // @ts-expect-error: a fault of no known kind
  expectTypeOf<{ fault: { kind: "explode" } }>().toExtend<FaultRule>();
  // @ts-expect-error: a web sandbox has no file
  void (() => createWebSandbox({ file: "x.db" }));
});

it("an option that does not exist does not compile", () => {
  const starts = () => [
    // @ts-expect-error it is `seed`
    startSandbox({ sede: 1 }),
    // @ts-expect-error a seed is a number
    startSandbox({ seed: "one" }),
  ];
  expectTypeOf(starts).toBeFunction();
});
