/** What does not compile. `exports.test.ts` lists what is exported, and the README's programs use it. */
import { type FaultRule, startSandbox } from "@game-data/sandbox";
import { createWebSandbox } from "@game-data/sandbox/web";
import { expectTypeOf, it } from "vitest";

it("unknown options and faults do not compile", () => {
  const wrong = () => [
    // @ts-expect-error it is `seed`
    startSandbox({ sede: 1 }),
    // @ts-expect-error a seed is a number
    startSandbox({ seed: "one" }),
    // @ts-expect-error: a web sandbox has no file
    createWebSandbox({ file: "x.db" }),
  ];
  expectTypeOf(wrong).toBeFunction();
  // @ts-expect-error: a fault of no known kind
  expectTypeOf<{ fault: { kind: "explode" } }>().toExtend<FaultRule>();
});
