/**
 * Captured passive-tree links, each with what an independent decoder read in it.
 */
import type { Members } from "./Files.ts";

/** A passive-tree link as captured. */
export interface CapturedLink {
  readonly payload: string;
  readonly version: number | null;
  readonly status: "exact" | "malformed";
  readonly outside_specification?: boolean;
  readonly expected?: Members;
}

/** Whether a codec of the specification is to read it: versions 2 and 3 are no part of it. */
export const isForCodec = (link: CapturedLink): boolean =>
  link.status === "exact" && link.outside_specification !== true;

/** The fields that a codec must read, by the specification's names; `undefined` where it must refuse the link. */
export const expectedOf = (link: CapturedLink): Members | undefined => {
  if (!isForCodec(link)) return undefined;
  const { expected = {}, version } = link;
  return {
    version,
    class: expected["class"],
    ascendancy: expected["ascendancy"],
    hashes: expected["hashes"],
    ...(version === 4
      ? { fullscreen: expected["fullscreen"] }
      : { extendedHashes: expected["extended"] }),
    ...(version === 6 && {
      masteries: expected["masteries"],
      alternateAscendancy: expected["second_ascendancy"],
    }),
  };
};
