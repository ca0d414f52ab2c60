/**
 * Virtual time for code that also waits for cryptography, which takes real time: the clock jumps to
 * the next timer only when no computation is under way.
 */
import { vi } from "vitest";

/** Operations of WebCrypto that have not ended. */
let computing = 0;

const count = (name: "digest" | "encrypt" | "decrypt" | "importKey" | "deriveBits") => {
  const original = crypto.subtle[name].bind(crypto.subtle) as (...all: Array<unknown>) => unknown;
  vi.spyOn(crypto.subtle, name).mockImplementation((async (...all: Array<unknown>) => {
    computing += 1;
    try {
      return await original(...all);
    } finally {
      computing -= 1;
    }
  }) as never);
};

/** Makes timers and clocks virtual, until `useRealTime`. */
export const useVirtualTime = (): void => {
  for (const name of ["digest", "encrypt", "decrypt", "importKey", "deriveBits"] as const)
    count(name);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
};

/** Makes timers and clocks real again. */
export const useRealTime = (): void => {
  vi.useRealTimers();
  vi.restoreAllMocks();
};

/** Waits until nothing goes on but timers: three turns of the event loop without a computation. */
const settle = async () => {
  for (let quiet = 0; quiet < 3;) {
    await new Promise((resolve) => setImmediate(resolve));
    quiet = computing === 0 ? quiet + 1 : 0;
  }
};

/** Gives what `run` gives, while time passes. Rejects if it waits for what is no timer. */
export const inVirtualTime = async <A>(run: () => Promise<A>): Promise<A> => {
  const promise = run();
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  promise.then(over, over);
  for (;;) {
    await settle();
    if (isOver) return promise;
    if (vi.getTimerCount() === 0) throw new Error("it waits for something that never comes");
    await vi.advanceTimersToNextTimerAsync();
  }
};

/** Waits in virtual time. */
export const pause = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis));
