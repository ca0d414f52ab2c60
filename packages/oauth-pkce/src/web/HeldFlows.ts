/**
 * What one server knows of the flows that it claimed: the version of each claim, the same at every
 * try, and tokens that no store has taken yet. After ten minutes they are given up.
 */
import type { TokenSet } from "../Model.ts";
import { later } from "../internal/within.ts";

/** Milliseconds for which a flow is held. */
const HELD_MILLIS = 600_000;

/** Makes the memory of a server; `giveUp` ends tokens that nobody will use. */
export const makeHeldFlows = (
  giveUp: (tokens: TokenSet) => Promise<void>,
  background: (work: Promise<unknown>) => void,
) => {
  const flows = new Map<string, { readonly version: string; tokens?: TokenSet }>();
  const flowOf = (id: string) => {
    const found = flows.get(id);
    if (found !== undefined) return found;
    const made = { version: crypto.randomUUID() };
    flows.set(id, made);
    later(HELD_MILLIS, () => background(end(id)));
    return made;
  };
  const end = async (id: string): Promise<void> => {
    const tokens = flows.get(id)?.tokens;
    flows.delete(id);
    if (tokens !== undefined) await giveUp(tokens);
  };
  return {
    /** The version under which this server claims a flow. */
    versionOf: (id: string) => flowOf(id).version,
    tokensOf: (id: string) => flows.get(id)?.tokens,
    /** Keeps tokens until `forget` says that they are stored. */
    hold: (id: string, tokens: TokenSet) => void flows.set(id, { ...flowOf(id), tokens }),
    forget: (id: string) => void flows.delete(id),
    /** Gives up all tokens. */
    release: async () => void (await Promise.all([...flows.keys()].map(end))),
  };
};
