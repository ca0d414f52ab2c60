/** Instants that never come, and that were always: minus it. */
export const NEVER = Number.POSITIVE_INFINITY;
