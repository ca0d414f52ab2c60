/** An instant of one world: what a generated thing depends on beside its own name. */
export interface WorldMoment {
  readonly seed: number;
  /** The hour of the start: dates stand relative to it. */
  readonly worldStart: number;
  /** The virtual time in milliseconds. */
  readonly now: number;
}
