/** The way in which an item's property is shown (§2, DisplayMode). */
import type * as Plain from "../plain/DisplayMode.ts";
import { openNumberEnum, type Wire } from "../internal/wire.ts";

/** A mode. */
export type DisplayMode = Plain.DisplayMode;
export const DisplayMode: Wire<DisplayMode> = /*#__PURE__*/ openNumberEnum([0, 1, 2, 3, 4]);
