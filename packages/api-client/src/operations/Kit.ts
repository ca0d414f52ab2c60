/**
 * What a face of the client does with calls: Effect's makes effects of them, the Promise one
 * promises. All methods are written once, over a kit.
 */
import type { LimiterRequest, RouteLimits } from "@game-data/rate-limit";
import type { Face } from "../Api.ts";
import type { CallOptions } from "../CallOptions.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { Host, Outcome, Task, Tokens } from "../pipeline/Call.ts";
import type { Submit } from "../pipeline/PipelineOptions.ts";
import type { RawResponse } from "../Model.ts";

declare const held: unique symbol;

/** An effect or a promise of a value. */
export interface Out<A> {
  readonly [held]: A;
}

/** A face of which methods know no more than that a kit handles it. */
export interface AnyFace extends Face {
  readonly out: Out<this["result"]>;
  readonly raw: Out<unknown>;
}

type OutOf<F extends Face, A> = (F & { readonly result: A })["out"];

/** The kit of a face, with the limiter of its calls. */
export interface Kit<F extends Face = AnyFace> {
  /** Runs a call. */
  readonly run: (
    start: (host: Host, done: (outcome: Outcome) => void) => () => CallInfo,
    task: Task,
  ) => OutOf<F, unknown>;
  readonly succeed: <A>(value: A) => OutOf<F, A>;
  readonly fail: (error: GameApiError) => OutOf<F, never>;
  readonly map: <A, B>(out: OutOf<F, A>, change: (value: A) => B) => OutOf<F, B>;
  readonly flatMap: <A, B>(out: OutOf<F, A>, then: (value: A) => OutOf<F, B>) => OutOf<F, B>;
  /** Goes on after the errors that a predicate picks. */
  readonly catchIf: <A>(
    out: OutOf<F, A>,
    isCaught: (error: GameApiError) => boolean,
    then: (error: GameApiError) => A,
  ) => OutOf<F, A>;
  /** Some at a time, with the options for their calls; the first failure ends the others. */
  readonly each: <A, B>(
    items: ReadonlyArray<A>,
    { concurrency, options }: { readonly concurrency: number; readonly options: CallOptions },
    make: (item: A, options: CallOptions) => OutOf<F, B>,
  ) => OutOf<F, ReadonlyArray<B>>;
  /** Hands out a response with its body unread. */
  readonly raw: (opening: OutOf<F, RawResponse>, options: CallOptions) => F["raw"];
  /** What the face makes of credentials. Throws `ConfigurationInvalid`. */
  readonly tokensOf: (credentials: unknown) => Tokens;
  /** Methods that this face alone has, of a group whose other methods are given. */
  readonly extras?: (group: string, methods: object) => object;
  readonly submit: Submit;
  readonly forecast: (where: LimiterRequest, count: number) => OutOf<F, unknown>;
  readonly snapshot: (where: LimiterRequest) => OutOf<F, RouteLimits>;
}
