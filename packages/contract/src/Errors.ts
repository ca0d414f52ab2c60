/**
 * Errors of the data API: one body, `{ "error": { "code", "message" } }`, under different HTTP
 * statuses.
 *
 * Decide on `code`, never on `message`. The specification names the statuses 202, 401 and 403 and
 * leaves bodies and all others open (§7); codes and pairs are those of the deployed service
 * (`docs/choices.md`). OAuth endpoints have other bodies: `OAuth`.
 *
 * A server fails a handler with one of the classes, e.g. `NotFoundError.because("No such
 * filter.")`; status and code follow from the class. A client that wants the raw body reads
 * `ErrorBody`.
 */
import type * as Schemas from "@game-data/schemas";
import * as Schema from "effect/Schema";
import { ErrorObject } from "./internal/Records.ts";

/** The numeric codes of error bodies, by name. */
export const ErrorCode = {
  Accepted: 0,
  ResourceNotFound: 1,
  InvalidQuery: 2,
  RateLimitExceeded: 3,
  InternalError: 4,
  UnexpectedContentType: 5,
  Forbidden: 6,
  TemporarilyUnavailable: 7,
  Unauthorized: 8,
  MethodNotAllowed: 9,
  UnprocessableEntity: 10,
} as const;

/** One of the known codes. A body may carry others: treat them as the status says. */
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** The HTTP status that goes with each code. */
export const statusOfErrorCode: { readonly [Code in ErrorCode]: number } = {
  0: 202,
  1: 404,
  2: 400,
  3: 429,
  4: 500,
  5: 415,
  6: 403,
  7: 503,
  8: 401,
  9: 405,
  10: 422,
};

/** The code that goes with an HTTP status, if there is one. */
export const errorCodeOfStatus = (status: number): ErrorCode | undefined =>
  Object.values(ErrorCode).find((code) => statusOfErrorCode[code] === status);

/** What an error body, or a filter update that needs more processing, says about the reason. */
export type ErrorDetail = Schemas.ErrorObject;
/** What an error body, or a filter update that needs more processing, says about the reason. */
export const ErrorDetail: Schema.Codec<ErrorDetail> = ErrorObject;

/** The body of every error of the data API. */
export const ErrorBody = /*#__PURE__*/ Schema.Struct({ error: ErrorDetail }).annotate({
  identifier: "ErrorBody",
});

/** The body of every error of the data API. */
export interface ErrorBody extends Schema.Schema.Type<typeof ErrorBody> {}

const fields = { error: ErrorDetail };
const body = (code: ErrorCode, message: string) => ({ error: { code, message } });

/** 400: a parameter or a body is missing, malformed or out of bounds. */
export class InvalidQueryError
  extends /*#__PURE__*/ Schema.Error<InvalidQueryError>("InvalidQueryError")(fields, {
    httpApiStatus: 400,
  })
{
  readonly _tag = "InvalidQueryError";
  /** The error with its usual code. */
  static because(message = "Invalid query") {
    return new InvalidQueryError(body(ErrorCode.InvalidQuery, message));
  }
}

/** 401: no access token, or one that is unknown, expired or revoked. */
export class UnauthorizedError
  extends /*#__PURE__*/ Schema.Error<UnauthorizedError>("UnauthorizedError")(fields, {
    httpApiStatus: 401,
  })
{
  readonly _tag = "UnauthorizedError";
  /** The error with its usual code. */
  static because(message = "Unauthorized") {
    return new UnauthorizedError(body(ErrorCode.Unauthorized, message));
  }
}

/** 403: the access token lacks a scope that the endpoint needs. */
export class ForbiddenError
  extends /*#__PURE__*/ Schema.Error<ForbiddenError>("ForbiddenError")(fields, {
    httpApiStatus: 403,
  })
{
  readonly _tag = "ForbiddenError";
  /** The error with its usual code. */
  static because(message = "Forbidden") {
    return new ForbiddenError(body(ErrorCode.Forbidden, message));
  }
}

/** 404: no such path, or no such resource where the specification does not answer null. */
export class NotFoundError
  extends /*#__PURE__*/ Schema.Error<NotFoundError>("NotFoundError")(fields, {
    httpApiStatus: 404,
  })
{
  readonly _tag = "NotFoundError";
  /** The error with its usual code. */
  static because(message = "Resource not found") {
    return new NotFoundError(body(ErrorCode.ResourceNotFound, message));
  }
}

/** 415: a body that is not `application/json`. */
export class UnexpectedContentTypeError
  extends /*#__PURE__*/ Schema.Error<UnexpectedContentTypeError>("UnexpectedContentTypeError")(
    fields,
    { httpApiStatus: 415 },
  )
{
  readonly _tag = "UnexpectedContentTypeError";
  /** The error with its usual code. */
  static because(message = "Unexpected content type") {
    return new UnexpectedContentTypeError(body(ErrorCode.UnexpectedContentType, message));
  }
}

/**
 * 422: a well-formed body that the service cannot accept, such as a filter whose text does not
 * validate.
 */
export class UnprocessableEntityError
  extends /*#__PURE__*/ Schema.Error<UnprocessableEntityError>("UnprocessableEntityError")(fields, {
    httpApiStatus: 422,
  })
{
  readonly _tag = "UnprocessableEntityError";
  /** The error with its usual code. */
  static because(message = "Unprocessable entity") {
    return new UnprocessableEntityError(body(ErrorCode.UnprocessableEntity, message));
  }
}

/** 429: too many requests; wait for as long as `Retry-After` says. */
export class RateLimitExceededError
  extends /*#__PURE__*/ Schema.Error<RateLimitExceededError>("RateLimitExceededError")(fields, {
    httpApiStatus: 429,
  })
{
  readonly _tag = "RateLimitExceededError";
  /** The error with its usual code. */
  static because(message = "Rate limit exceeded") {
    return new RateLimitExceededError(body(ErrorCode.RateLimitExceeded, message));
  }
}

/** 500: the service failed. */
export class InternalServerError
  extends /*#__PURE__*/ Schema.Error<InternalServerError>("InternalServerError")(fields, {
    httpApiStatus: 500,
  })
{
  readonly _tag = "InternalServerError";
  /** The error with its usual code. */
  static because(message = "Internal error") {
    return new InternalServerError(body(ErrorCode.InternalError, message));
  }
}

/** 503: the service, or a part of it, is down for a while. */
export class TemporarilyUnavailableError
  extends /*#__PURE__*/ Schema.Error<TemporarilyUnavailableError>("TemporarilyUnavailableError")(
    fields,
    { httpApiStatus: 503 },
  )
{
  readonly _tag = "TemporarilyUnavailableError";
  /** The error with its usual code. */
  static because(message = "Temporarily unavailable") {
    return new TemporarilyUnavailableError(body(ErrorCode.TemporarilyUnavailable, message));
  }
}

/** Errors that any endpoint of the data API may answer. */
export const commonErrors = [
  InvalidQueryError,
  UnauthorizedError,
  ForbiddenError,
  NotFoundError,
  RateLimitExceededError,
  InternalServerError,
  TemporarilyUnavailableError,
] as const;

/** Errors of the two endpoints that take a JSON body. */
export const bodyErrors = [
  ...commonErrors,
  UnexpectedContentTypeError,
  UnprocessableEntityError,
] as const;

/** Any error of the data API. */
export type ApiError = InstanceType<(typeof bodyErrors)[number]>;
