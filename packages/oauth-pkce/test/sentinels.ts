/** Everything that an observer of the program could see, as one text to search secrets in. */
import { inspect } from "node:util";
import { Cause, Effect, Exit, Layer, Logger, References, Tracer } from "effect";

/** Runs an effect and renders what it logged, traced and came to. */
export const observe = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const logs: Array<unknown> = [];
    const spans: Array<Tracer.NativeSpan> = [];
    const logger = Logger.make((options) => {
      logs.push(options.message, options.cause, Cause.pretty(options.cause), options.fiber.id);
    });
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options);
        spans.push(span);
        return span;
      },
    });
    const exit = yield* effect.pipe(
      Effect.tapCause((cause) => Effect.logError("failed", cause)),
      Effect.tap((value) => Effect.logDebug("succeeded", value)),
      Effect.withSpan("observed"),
      Effect.exit,
      Effect.provide(
        Layer.mergeAll(
          Logger.layer([logger]),
          Layer.succeed(References.MinimumLogLevel, "All"),
          Layer.succeed(Tracer.Tracer, tracer),
        ),
      ),
    );
    const rendered = [
      ...logs.map(render),
      ...spans.flatMap((span) => [
        span.name,
        render([...span.attributes]),
        render(span.events),
        span.status._tag === "Ended" ? renderExit(span.status.exit) : "",
      ]),
      renderExit(exit),
    ];
    return { exit, text: rendered.join("\n") };
  });

const renderExit = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return render(exit.value);
  const error = Cause.squash(exit.cause) as Error;
  const causes = [exit, exit.cause, error, error.message, error.stack, error.cause];
  return [...causes.map(render), Cause.pretty(exit.cause)].join("\n");
};

const render = (value: unknown): string => {
  const shown = inspect(value, { depth: 20, showHidden: true });
  try {
    return `${shown}\n${JSON.stringify(value)}\n${String(value)}`;
  } catch {
    return shown;
  }
};
