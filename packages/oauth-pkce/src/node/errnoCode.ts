/** The system's code of an error (`EACCES`): says why without naming paths. */
export const errnoCode = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : "unknown error";
