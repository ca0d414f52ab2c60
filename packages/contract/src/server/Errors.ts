/**
 * Errors of the data API, as classes that a server fails a handler with, e.g.
 * `NotFoundError.because("No such filter.")`. Status and code follow from the class.
 *
 * OAuth endpoints have other bodies: `OAuthErrorBody`.
 */
import * as Schema from "effect/Schema";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import { ErrorDetail } from "../effect/ErrorBody.ts";
import { OAuthErrorBody } from "../effect/OAuth.ts";
import { ErrorCode } from "../ErrorCode.ts";

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

/** The OAuth error body under each status that the endpoints use. */
export const oauthErrors = /*#__PURE__*/ [400, 401, 403, 405, 413, 415, 429, 500, 503].map(
  (status) => OAuthErrorBody.pipe(HttpApiSchema.status(status)),
);
