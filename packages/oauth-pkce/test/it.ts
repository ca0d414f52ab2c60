/** `it.effect` and `it.live` whose body may be a generator: most tests are one program. */
import { it as base, type Vitest } from "@effect/vitest";
import { Effect, type Scope } from "effect";

type Program = Effect.Effect<unknown, unknown, Scope.Scope>;
type Body = Program | Generator<Program, unknown, never>;

const toProgram = (make: () => Body): Program =>
  Effect.suspend(() => {
    const body = make();
    return Effect.isEffect(body) ? body : Effect.gen(() => body);
  });

const withSteps = (tester: Vitest.Tester<Scope.Scope>) =>
  Object.assign(
    (title: string, body: () => Body, timeout?: number) =>
      tester(title, () => toProgram(body), timeout),
    {
      each:
        <Case>(cases: ReadonlyArray<Case>) =>
        (title: string, body: (one: Case) => Body, timeout?: number) =>
          tester.each(cases)(title, (one) => toProgram(() => body(one)), timeout),
    },
  );

export const it = { effect: withSteps(base.effect), live: withSteps(base.live) };
