/** Whether a failure of a data request means that the access token was refused. */

/** A tag `Unauthorized`, or an HTTP client error whose response has status 401. */
export const isTokenRejected = (error: unknown): boolean => {
  const { _tag: tag, response } = (error ?? {}) as {
    readonly _tag?: unknown;
    readonly response?: { readonly status?: unknown };
  };
  return tag === "Unauthorized" || (tag === "HttpClientError" && response?.status === 401);
};
