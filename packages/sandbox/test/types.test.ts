import { expectTypeOf, it } from "vitest";
import { startSandbox } from "../src/index.ts";

it("a started sandbox has its addresses, clients and accounts", () => {
  type Started = Awaited<ReturnType<typeof startSandbox>>;
  expectTypeOf<Started["authUrl"]>().toEqualTypeOf<string>();
  expectTypeOf<Started["baseUrl"]>().toEqualTypeOf<string>();
  expectTypeOf<Started["controlUrl"]>().toEqualTypeOf<string>();
  expectTypeOf<Started["close"]>().returns.toEqualTypeOf<Promise<void>>();
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
