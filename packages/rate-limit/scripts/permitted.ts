/** What sliding windows permit, and the times in which nobody used it. */
/** The windows of the soak. */
export const SOAK = [
  { max: 20, period: 1000 },
  { max: 60, period: 4000 },
];

/** Returns the number of requests that a client with full knowledge sends in this time. */
export const permitted = (
  windows: ReadonlyArray<{ max: number; period: number; bucket?: number }>,
  millis: number,
): number => {
  const sent: Array<number> = [];
  for (;;) {
    let at = sent.at(-1) ?? 0;
    for (const { max, period } of windows)
      if (sent.length >= max) at = Math.max(at, sent[sent.length - max]! + period);
    if (at >= millis) return sent.length;
    sent.push(at);
  }
};

/** Returns the times in which a place was free and not used, each with its start. */
export const stalls = (
  windows: ReadonlyArray<{ max: number; period: number }>,
  sentAt: ReadonlyArray<number>,
  from: number,
  end: number,
): ReadonlyArray<{ readonly at: number; readonly millis: number }> =>
  Array.from({ length: sentAt.length + 1 }, (_, index) => {
    let at = Math.max(from, sentAt[index - 1] ?? from);
    for (const { max, period } of windows)
      if (index >= max) at = Math.max(at, sentAt[index - max]! + period);
    return { at, millis: (sentAt[index] ?? end) - at };
  });
