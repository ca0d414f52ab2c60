/**
 * The errors of the data API: the numeric code of an error body, its HTTP status and its text.
 *
 * Decide on `code`, never on `message`. The specification names only the statuses 202, 401 and 403
 * (§7); the codes and the other statuses are those of the deployed service (`docs/choices.md`).
 */

/** The errors by name, in the order of their codes, with the HTTP status of each code. */
export const errors = {
  Accepted: { code: 0, status: 202 },
  ResourceNotFound: { code: 1, status: 404 },
  InvalidQuery: { code: 2, status: 400 },
  RateLimitExceeded: { code: 3, status: 429 },
  InternalError: { code: 4, status: 500 },
  UnexpectedContentType: { code: 5, status: 415 },
  Forbidden: { code: 6, status: 403 },
  TemporarilyUnavailable: { code: 7, status: 503 },
  Unauthorized: { code: 8, status: 401 },
  MethodNotAllowed: { code: 9, status: 405 },
  UnprocessableEntity: { code: 10, status: 422 },
} as const satisfies Readonly<Record<string, { code: number; status: number }>>;

type Errors = typeof errors;

/** The name of an error of the data API, such as `ResourceNotFound`. */
export type ErrorName = keyof Errors;

/** Returns the default `message` of an error: its name in words, such as `Resource not found`. */
export const errorText = (name: ErrorName): string =>
  name.replaceAll(/(?<=.)[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);

/** The numeric codes of error bodies, by name. */
export const ErrorCode = Object.fromEntries(
  Object.entries(errors).map(([name, { code }]) => [name, code]),
) as unknown as { readonly [Name in ErrorName]: Errors[Name]["code"] };

/** A known code. A body may contain an unknown code. In that case, decide on the status. */
export type ErrorCode = Errors[ErrorName]["code"];

/** Returns the HTTP status of a code, or `undefined` for an unknown code. */
export const statusOfErrorCode = (code: unknown): number | undefined =>
  Object.values(errors).find((error) => error.code === code)?.status;

/** Returns the error code of an HTTP status, or `undefined` if no code has the status. */
export const errorCodeOfStatus = (status: number): ErrorCode | undefined =>
  Object.values(errors).find((error) => error.status === status)?.code;
