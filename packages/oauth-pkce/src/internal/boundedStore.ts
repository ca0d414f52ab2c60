/**
 * A store whose calls end in time, and a write that says for certain whether it arrived.
 *
 * A call that is given up may still arrive. That does no harm: a late write names an old version
 * and changes nothing, and a write that was thought to have failed is recognised by its version.
 */
import type { Backend, Entry, NextEntry } from "../Model.ts";
import { toStoreFailure } from "./storeFailure.ts";
import { within } from "./within.ts";

class TimedOut extends Error {
  readonly code = "ETIMEDOUT";
}

/** A call that ends within `millis`; whatever it throws becomes a `TokenStoreFailed`. */
export const boundedCall = async <A>(
  operation: "read" | "write",
  millis: number,
  run: () => Promise<A>,
): Promise<A> => {
  try {
    return await within(millis, run(), () => {
      throw new TimedOut();
    });
  } catch (error) {
    throw toStoreFailure(operation, error);
  }
};

/** Ends every call within `millis`. */
export const bounded = (backend: Backend, millis: number): Backend => ({
  read: (key) => boundedCall("read", millis, () => backend.read(key)),
  write: (...change) => boundedCall("write", millis, () => backend.write(...change)),
});

const MAX_TRIES = 3;
const FIRST_PAUSE_MILLIS = 20;

/** Runs `attempt` up to three times, with a pause before each new try. */
export const thrice = async <A>(attempt: (tries: number) => Promise<A>): Promise<A> => {
  for (let tries = 1; ; tries++)
    try {
      return await attempt(tries);
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MILLIS * 5 ** tries));
    }
};

/** A compare-and-set: what is to be written, in place of which version. */
export interface Change {
  readonly key: string;
  readonly expected: string | undefined;
  readonly next: NextEntry;
}

/**
 * Writes with the same version at every try. Returns `undefined` if the store holds `next`, else
 * what was found in its place.
 */
export const writeSurely = (
  store: Backend,
  { expected, key, next }: Change,
): Promise<undefined | { readonly found: Entry | undefined }> =>
  thrice(async () => {
    if (await store.write(key, expected, next)) return undefined;
    // An earlier try, or an earlier call, may have arrived without our knowing.
    const found = await store.read(key);
    return found?.version === next.version ? undefined : { found };
  });
