/**
 * A store for the state of one process: what it learned survives its restart.
 *
 * The state is written before a request goes where its window is more than half full, otherwise
 * within 100 ms.
 */
import type { Grant } from "../core/State.ts";
import { logOf, newState } from "../core/State.ts";
import type { Backend, Store, StoreContext } from "../Store.ts";
import { freeze, thaw } from "./knowledge.ts";
import type { FrozenState } from "./knowledge.ts";

/** Keeps the state of one process. */
export interface Storage {
  readonly load: (key: string) => Promise<unknown>;
  /** Resolves when the state is durable. */
  readonly save: (key: string, state: FrozenState) => Promise<void>;
  /** Called once for each `load` that succeeded, after the last `save`. */
  readonly close?: (key: string) => void;
}

const SAVE_MILLIS = 100;

/** A store over a place that loads and saves JSON. */
export const persistentStore = (storage: Storage): Store => ({
  open: async (context) => {
    const { clock, core, key } = context;
    const loaded = await storage.load(key);
    try {
      const state = thaw(loaded, clock.now(), clock.wall(), core) ?? newState();
      return backendOf(storage, context, state);
    } catch (cause) {
      storage.close?.(key);
      throw cause;
    }
  },
});

const backendOf = (
  storage: Storage,
  { clock, core, key }: StoreContext,
  state: Backend["state"],
): Backend => {
  let stopSaving: (() => void) | undefined;
  let saving: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;

  /** One write at a time, the last one wins. */
  const save = (): Promise<void> => {
    stopSaving?.();
    stopSaving = undefined;
    const frozen = freeze(state, clock.now(), clock.wall());
    const saved = saving.then(() => storage.save(key, frozen));
    saving = saved.catch(() => undefined);
    return saved;
  };
  const saveSoon = (): void => {
    if (closing) return;
    stopSaving ??= clock.schedule(SAVE_MILLIS, () => {
      save().catch(() => undefined);
    });
  };
  const end = async (): Promise<void> => {
    try {
      if (stopSaving) await save();
      await saving;
    } finally {
      storage.close?.(key);
    }
  };
  const isHalfFull = ({ identity, policies }: Grant): boolean =>
    policies.some((name) =>
      state.policies
        .get(name)
        ?.windows.some((window) => logOf(window, identity, core).hits.length * 2 > window.max),
    );

  return {
    state,
    reserve: (grant) => {
      if (isHalfFull(grant))
        return save().then(() => {
          grant.hit.sent = clock.now();
          return undefined;
        });
      saveSoon();
      return undefined;
    },
    settle: (_grant, _isSent, record) => {
      record();
      saveSoon();
      return undefined;
    },
    close: () => (closing ??= end()),
  };
};
