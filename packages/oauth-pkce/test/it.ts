/** `it.effect` and `it.live` with a generator as the body: most tests are one program. */
import { it as base, type Vitest } from "@effect/vitest";
import { Effect, type Scope } from "effect";

type Steps = Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>;

const withSteps = (tester: Vitest.Tester<Scope.Scope>) =>
  Object.assign(
    (title: string, body: () => Steps, timeout?: number) =>
      tester(title, () => Effect.gen(body), timeout),
    {
      each:
        <Case>(cases: ReadonlyArray<Case>) =>
        (title: string, body: (one: Case) => Steps, timeout?: number) =>
          tester.each(cases)(title, (one) => Effect.gen(() => body(one)), timeout),
    },
  );

export const it = { effect: withSteps(base.effect), live: withSteps(base.live) };
