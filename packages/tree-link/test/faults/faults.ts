/**
 * Faults that decoders and encoders have, one each: what they do otherwise than the plain codec.
 * The vectors, the generators and the fuzz kit are judged by how many of them they refuse.
 */
import { encodeFaults } from "./encodeFaults.ts";
import { fieldFaults } from "./fieldFaults.ts";
import { narrowFaults } from "./narrowFaults.ts";
import { valueFaults } from "./valueFaults.ts";
import type { Fault } from "./plainCodec.ts";
import { textFaults } from "./textFaults.ts";

/** One fault for each mistake that was seen in the field, or that is near one. */
export const faults: ReadonlyArray<Fault> = [
  ...textFaults,
  ...fieldFaults,
  ...valueFaults,
  ...encodeFaults,
  ...narrowFaults,
];
