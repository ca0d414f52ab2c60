/**
 * A value of an item's property and its type: the value is text even where it is a number (`+20%`,
 * `17/20`). Elements after the second are not known to occur, and are kept.
 */
export type ItemPropertyValue = readonly [
  value: string,
  type: number,
  ...rest: ReadonlyArray<unknown>,
];
