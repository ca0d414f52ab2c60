/** Returns the first code (`ECONNREFUSED`, `23505`) in an error of another library or its causes. */
export const errorCode = (error: unknown): string | undefined => {
  let cause = error as { readonly code?: unknown; readonly cause?: unknown } | null | undefined;
  for (let depth = 0; cause && depth < 9; depth++) {
    const code = String(cause.code);
    if (/^[A-Z0-9][A-Z0-9_]{2,40}$/.test(code)) return code;
    cause = cause.cause as typeof cause;
  }
  return undefined;
};
