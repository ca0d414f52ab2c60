/**
 * Captured passive-tree links, each with the result of an independent decoder.
 */
import type { CapturedLink, Members } from "./Files.ts";

/** Whether a codec must decode the link: versions 2 and 3 are not in the specification. */
export const isForCodec = (link: CapturedLink): boolean =>
  link.status === "exact" && link.outside_specification !== true;

/**
 * Returns the fields that a codec must decode, by the specification's names; `undefined` if it must
 * reject the link.
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

/** The result of a codec for a link. */
export type LinkResult = "exact" | "rejected" | "different";

/** The links of one version, counted. */
export interface LinkRow {
  /** `none` if the payload is too short to have one. */
  readonly version: string;
  readonly links: number;
  readonly exact: number;
  readonly rejected: number;
}

/** Counts links by version and by the result of `check`. `total` has the names of `Counts`. */
export const countLinks = (
  links: ReadonlyArray<CapturedLink>,
  check: (link: CapturedLink) => LinkResult,
): { readonly rows: ReadonlyArray<LinkRow>; readonly total: Readonly<Record<string, number>> } => {
  const checked = links.map((link) => ({ version: link.version, result: check(link) }));
  const count = (list: typeof checked, result: LinkResult) =>
    list.filter((one) => one.result === result).length;
  const rows = [...Map.groupBy(checked, ({ version }) => version ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .map(([version, list]) => ({
      version: version === 0 ? "none" : String(version),
      links: list.length,
      exact: count(list, "exact"),
      rejected: count(list, "rejected"),
    }));
  return {
    rows,
    total: {
      "links read exactly": count(checked, "exact"),
      "links rejected": count(checked, "rejected"),
    },
  };
};
