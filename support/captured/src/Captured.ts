/**
 * A folder of captured answers with everything that can be told about it without knowing what the
 * answers mean.
 */
import { type Figures, figuresOf } from "./Figures.ts";
import { type Files, readFiles } from "./Files.ts";
import {
  type CapturedCharacter,
  charactersIn,
  type CapturedTree,
  tabIdsIn,
  treesIn,
  uuidIn,
} from "./Singles.ts";

/** What a folder holds, and what there is to ask for. */
export interface Captured extends Files {
  readonly figures: Figures;
  /** The account of the captured profile. */
  readonly uuid: string | undefined;
  readonly characters: ReadonlyArray<CapturedCharacter>;
  readonly tabIds: ReadonlyArray<string>;
  readonly trees: ReadonlyArray<CapturedTree>;
}

/**
 * Reads a folder whole, and counts. Throws a `CapturedError` that names the file when it cannot.
 */
export const readCaptured = (folder: string): Captured => {
  const files = readFiles(folder);
  return {
    ...files,
    figures: figuresOf(files),
    uuid: uuidIn(files),
    characters: charactersIn(files),
    tabIds: tabIdsIn(files),
    trees: treesIn(files),
  };
};
