/** What several tests share: a link with something in each field, and the words of a refusal. */
import { TreeLinkError } from "@game-data/tree-link";
import { expect } from "vitest";

export const LINK = {
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [2151, 4397, 11_420],
  extendedHashes: [7],
  masteries: [{ node: 4397, effect: 47_642 }],
} as const;

export const thrown = (run: () => unknown): TreeLinkError => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TreeLinkError);
    return error as TreeLinkError;
  }
  throw new Error("it was accepted");
};

/** Reason, unit, offset and field of what was refused. */
export const refusal = (run: () => unknown): string => {
  const { field, offset, reason, unit } = thrown(run);
  return [reason, unit, offset, field].filter((part) => part !== undefined).join(" ");
};

export const numbers = (length: number): Array<number> => Array.from({ length }, (_, i) => i);
