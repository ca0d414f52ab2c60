/**
 * Parameters that have a form of their own: cursors and ranges of mods.
 */
import type { ModRange } from "./filters.ts";

/** A parameter that cannot be used, with the reason. */
export class InvalidParameter extends Error {
  readonly parameter: string;
  constructor(parameter: string, reason: string) {
    super(reason);
    this.parameter = parameter;
  }
}

/** Where a page of a result ended. */
export interface Cursor {
  readonly sort: string;
  readonly no: number;
  readonly value: number;
  /** The term, in the order of relevance. */
  readonly term: number;
  /** The hour of the exchange whose rates the order is by: it stays while pages are turned. */
  readonly hour: number;
}

/** Writes a cursor. */
export const formatCursor = ({ hour, no, sort, term, value }: Cursor): string =>
  Buffer.from(JSON.stringify([sort, no, value, term, hour])).toString("base64url");

/** Reads a cursor. */
export const parseCursor = (text: string): Cursor => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    const [sort, no, value, term, hour] = parts as [string, number, number, number, number];
    if (typeof sort === "string" && [no, value, term, hour].every(isNumber))
      return { sort, no, value, hour, term };
  } catch {
    // Not JSON: refused below.
  }
  throw new InvalidParameter("cursor", "is not a cursor of this API");
};

const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);

const MOD = /^(.+?)(?::(-?\d+(?:\.\d+)?)?:(-?\d+(?:\.\d+)?)?)?$/su;

/** Reads `TEMPLATE`, `TEMPLATE:MIN:`, `TEMPLATE::MAX` or `TEMPLATE:MIN:MAX`. */
export const parseMod = (text: string): ModRange => {
  const [, template, min, max] = MOD.exec(text) ?? [];
  if (template === undefined || template.length > 400)
    throw new InvalidParameter(
      "mod",
      "has to be TEMPLATE, or TEMPLATE:MIN:MAX with either left out",
    );
  const range = {
    template,
    ...(min === undefined ? {} : { min: Number(min) }),
    ...(max === undefined ? {} : { max: Number(max) }),
  };
  if (range.min !== undefined && range.max !== undefined && range.min > range.max)
    throw new InvalidParameter("mod", `the least value of “${template}” is above its most`);
  return range;
};
