/**
 * The numeric codes of the data API's error bodies, and the HTTP status of each.
 *
 * Decide on `code`, never on `message`. The specification names the statuses 202, 401 and 403 and
 * leaves codes and all others open (§7); codes and pairs are those of the deployed service
 * (`docs/choices.md`).
 */

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
