/** The frame that a client draws around an item (§2, FrameType). */
import type * as Plain from "../plain/FrameType.ts";
import { openNumberEnum, type Wire } from "../internal/wire.ts";

/** A frame. */
export type FrameType = Plain.FrameType;
export const FrameType: Wire<FrameType> = /*#__PURE__*/ openNumberEnum([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
]);
