/**
 * Change ids of the public stash stream: opaque to everybody else, a position to us.
 *
 * An id is five numbers joined by `-`. The first is the position, scrambled by the key of the stream.
 * The others are a keyed checksum: an id that was made up, or that belongs to another realm or seed,
 * is recognised and refused.
 */
import { hash32, prng } from "./Prng.ts";

/** Odd, so that multiplying by it modulo 2³² can be undone: by its inverse. */
const FACTOR = 0x9e3779b1;
const INVERSE = 0x0e8b2f51;

export const changeIdOf = (key: string, position: number): string => {
  const first = (Math.imul(position ^ hash32(key), FACTOR) ^ hash32(`${key}/`)) >>> 0;
  const draw = prng(`${key}/check/${position}`);
  return [first, draw.next(), draw.next(), draw.next(), draw.next()].join("-");
};

/** The position of an id, or undefined if this stream did not issue the id. */
export const positionOf = (key: string, id: string): number | undefined => {
  const first = Number(/^(\d{1,10})-/u.exec(id)?.[1]);
  const position = (Math.imul(first ^ hash32(`${key}/`), INVERSE) ^ hash32(key)) >>> 0;
  return changeIdOf(key, position) === id ? position : undefined;
};
