/**
 * What one server knows of the flows that it claimed: the version of each claim, the same at every
 * try, and tokens that no store has taken yet. After ten minutes they are given up.
 */
import type { TokenSet } from "../Model.ts";
import { later } from "../internal/within.ts";

/** The flows of one server. */
export interface HeldFlows {
  /** The version under which this server claims a flow. */
  readonly versionOf: (id: string) => string;
  readonly tokensOf: (id: string) => TokenSet | undefined;
  /** Keeps tokens until `forget` says that they are stored. */
  readonly hold: (id: string, tokens: TokenSet) => void;
  readonly forget: (id: string) => void;
  /** Gives up all tokens. */
  readonly release: () => Promise<void>;
}

/** Milliseconds for which a flow is held. */
const HELD_MILLIS = 600_000;

/** Makes the memory of a server; `giveUp` ends tokens that nobody will use. */
export const makeHeldFlows = (
  giveUp: (tokens: TokenSet) => Promise<void>,
  background: (work: Promise<unknown>) => void,
): HeldFlows => {
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
    versionOf: (id) => flowOf(id).version,
    tokensOf: (id) => flows.get(id)?.tokens,
    hold: (id, tokens) => {
      flows.set(id, { ...flowOf(id), tokens });
    },
    forget: (id) => void flows.delete(id),
    release: async () => {
      await Promise.all([...flows.keys()].map(end));
    },
  };
};
