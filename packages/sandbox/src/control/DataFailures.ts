/**
 * Answers of the data API where no handler has answered: the error body of §7, and never an empty one.
 *
 * A path that the contract has and this sandbox does not serve is 501: nothing pretends. A path that nobody has is 404, a wrong
 * method on one that exists is 405, and a defect is 500 with its cause in the log.
 */
import { ErrorCode } from "@game-data/contract";
import { Cause, Effect } from "effect";
import { HttpServerError, HttpServerResponse } from "effect/http";

/** What the table of the contract's endpoints says about the request. */
export interface Whereabouts {
  readonly isInContract: boolean;
  /** Methods that the contract has for the path. */
  readonly methods: ReadonlyArray<string>;
}

/** The answer to a failure that reached the gate; interruption is passed on. */
export const answerFailure = <E>(
  cause: Cause.Cause<E>,
  whereabouts: () => Whereabouts,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  if (cause.reasons.some((reason) => reason._tag === "Interrupt")) return Effect.failCause(cause);
  if (!isRouteNotFound(Cause.squash(cause)))
    return Effect.as(
      Effect.logError("a request to the data API failed", cause),
      errorAnswer(500, ErrorCode.InternalError, "Internal error"),
    );
  const { isInContract, methods } = whereabouts();
  if (isInContract)
    return Effect.succeed(
      errorAnswer(501, ErrorCode.InternalError, "Not implemented in this sandbox"),
    );
  return Effect.succeed(
    methods.length === 0
      ? errorAnswer(404, ErrorCode.ResourceNotFound, "Resource not found")
      : errorAnswer(405, ErrorCode.MethodNotAllowed, "Method not allowed", {
          allow: methods.join(", "),
        }),
  );
};

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound";

const errorAnswer = (
  status: number,
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
) => HttpServerResponse.jsonUnsafe({ error: { code, message } }, { status, headers });
