/**
 * The steps that made a database, told by what is written in it: each applied step with a checksum
 * of its text. A step that was edited after it was applied, or that this program does not know, is a
 * state that nobody has tested: the store is refused before anything is changed.
 */
import { createHash } from "node:crypto";
import type { SinkError } from "../Errors.ts";
import { sinkError } from "./attempt.ts";

/** A step that a database remembers. */
export interface AppliedStep {
  readonly version: number;
  /** Absent in a database of a program before checksums. */
  readonly checksum?: string | undefined;
}

/** SHA-256 of a step, whatever its line breaks and indentation. */
export const stepChecksum = (step: string): string =>
  createHash("sha256").update(step.replaceAll(/\s+/gu, " ").trim()).digest("hex");

/** The number of applied steps; throws where they are not the first ones of `steps`. */
export const appliedSteps = (
  applied: ReadonlyArray<AppliedStep>,
  steps: ReadonlyArray<string>,
): number => {
  for (const [index, { checksum, version }] of applied.entries()) {
    const step = steps[index];
    if (version > steps.length) {
      throw unknownState(`the store has version ${version}, this program knows ${steps.length}`);
    }
    if (step === undefined || version !== index + 1 || checksum !== stepChecksum(step)) {
      throw unknownState(`step ${version} of its tables is not the one of this program`);
    }
  }
  return applied.length;
};

/** The error of a store that is not as this program makes it. */
export const unknownState = (detail: string): SinkError =>
  sinkError("migrate", "incompatible", detail);
