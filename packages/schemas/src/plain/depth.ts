/**
 * The bound on records nested in themselves: items in sockets, tabs in folders. Deployed services
 * nest once or twice; the bound keeps a hostile answer from exhausting the stack.
 */
export const MAX_DEPTH = 32;
