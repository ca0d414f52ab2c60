/** Pages without a body: for jumps, and for rows that were won from the quarantine. */
import type { Page } from "../Model.ts";
import type { ReplayedRows, StoredQuarantine } from "../Sink.ts";
import type { IndexedPage } from "./indexedPage.ts";

const NOTHING = new Uint8Array();

type Place = Pick<Page, "key" | "requestedId" | "nextId" | "seq" | "receivedAt">;

/** A page without body and rows, besides what is given. */
export const blankPage = (page: Place & Partial<Page>): Page => ({
  previousSeq: page.seq,
  wire: NOTHING,
  encoding: "",
  raw: NOTHING,
  checksum: "",
  rows: [],
  bounds: [],
  tries: 1,
  quarantine: [],
  gaps: [],
  ...page,
});

/** The page of an indexer with the rows of a record, at the place of the page that they came with. */
export const replayedPage = (
  { firstSeen, key, nextId, place, requestedId, seq }: StoredQuarantine,
  { markets, stashes }: ReplayedRows,
): IndexedPage => ({
  key,
  seq,
  requestedId,
  nextId,
  receivedAt: firstSeen,
  followsGap: false,
  state: "ok",
  encoding: "",
  body: NOTHING,
  rawBytes: 0,
  checksum: "",
  rows: stashes.length,
  bounds: [],
  changes: stashes.map(({ json }, index) => ({ json, place: place ?? index })),
  markets,
  rejected: [],
});
