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

/**
 * The fields that a codec must read, by the specification's names; `undefined` where it must refuse
 * the link.
 */
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

/** What somebody who knows the codec says of a link. */
export type LinkVerdict = "exact" | "refused" | "different";

/** The links of one version, counted. */
export interface LinkRow {
  /** `none` where the payload is too short to have one. */
  readonly version: string;
  readonly links: number;
  readonly exact: number;
  readonly refused: number;
}

/** All links by version, as `judge` sees them; `total` has the names of the figures. */
export const linkCensus = (
  links: ReadonlyArray<CapturedLink>,
  judge: (link: CapturedLink) => LinkVerdict,
): { readonly rows: ReadonlyArray<LinkRow>; readonly total: Readonly<Record<string, number>> } => {
  const judged = links.map((link) => ({ version: link.version, verdict: judge(link) }));
  const count = (list: typeof judged, verdict: LinkVerdict) =>
    list.filter((one) => one.verdict === verdict).length;
  const rows = [...Map.groupBy(judged, ({ version }) => version ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([version, list]) => ({
      version: version === 0 ? "none" : String(version),
      links: list.length,
      exact: count(list, "exact"),
      refused: count(list, "refused"),
    }));
  return {
    rows,
    total: {
      "links read exactly": count(judged, "exact"),
      "links refused": count(judged, "refused"),
    },
  };
};
