/**
 * Reads a folder of captured responses, and counts what it holds without knowing what it means.
 */
import { type Counts, countAll } from "./Counts.ts";
import { CapturedError, type Files, readFiles } from "./Files.ts";
import { recordsIn } from "./Records.ts";
import {
  type CapturedCharacter,
  charactersIn,
  type CapturedTree,
  tabIdsIn,
  treesIn,
  uuidIn,
} from "./singleRecords.ts";

/** The content of a folder, its counts, and the names to request. */
export interface Captured extends Files {
  readonly counts: Counts;
  /** The account of the captured profile. */
  readonly uuid: string | undefined;
  readonly characters: ReadonlyArray<CapturedCharacter>;
  readonly tabIds: ReadonlyArray<string>;
  readonly trees: ReadonlyArray<CapturedTree>;
}

/**
 * Reads a folder and counts its records. Throws a `CapturedError` that names the file that cannot
 * be read, or the folder if it holds neither records nor links.
 */
export const readCaptured = (folder: string): Captured => capturedOf(readFiles(folder));

/** Counts the content of a folder. Throws a `CapturedError` if it holds no records and no links. */
export const capturedOf = (files: Files): Captured => {
  const hasRecords = files.bodies.some(({ body }) => (recordsIn(body)?.records.length ?? 0) > 0);
  if (!hasRecords && files.links.length === 0)
    throw new CapturedError(`${files.folder} holds no captured responses`);
  return {
    ...files,
    counts: countAll(files),
    uuid: uuidIn(files),
    characters: charactersIn(files),
    tabIds: tabIdsIn(files),
    trees: treesIn(files),
  };
};
