/** Whether a failure of a data request means that the access token was refused. */
import { Predicate } from "effect";

/** A tag `Unauthorized`, or an HTTP client error whose response has status 401. */
export const isUnauthorized = (error: unknown): boolean =>
  Predicate.isTagged(error, "Unauthorized") ||
  (Predicate.isTagged(error, "HttpClientError") &&
    Predicate.hasProperty(error, "response") &&
    Predicate.hasProperty(error.response, "status") &&
    error.response.status === 401);
