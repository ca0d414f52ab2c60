/** Promises and timers of callbacks: they may never settle, and keep no process alive. */

/** Longer timers end at once: Node and browsers count 32 bits. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/**
 * What `promise` gives within `millis`, else what `late` gives. A promise that is late is left
 * alone; its failure is nobody's.
 */
export const within = async <A>(
  millis: number,
  promise: Promise<A>,
  late: () => A | Promise<A>,
): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, Math.min(millis, MAX_TIMER_MILLIS), "late");
  });
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), end]);
    return first === "late" ? await late() : first.value;
  } finally {
    clearTimeout(timer);
  }
};

/** Runs `run` after a time, if the process still lives then: the timer does not keep it alive. */
export const later = (millis: number, run: () => void): void => {
  const timer: unknown = setTimeout(run, millis);
  (timer as { readonly unref?: () => void }).unref?.();
};

/**
 * What a callback gave. One that is typed to give no promise may give one by mistake, whose
 * rejection would end the process.
 */
export const unheard = <A>(given: A): A => {
  Promise.resolve(given).catch(() => undefined);
  return given;
};
