/** A walk through a value: where it stands, and what it has found. */
import type { Departure, Rules } from "./departure.ts";

/** One walk: what was found, and what is asked for. */
export interface Walk {
  readonly out: Array<Departure>;
  readonly explicit: boolean;
  readonly rules: Rules;
}

/** A place in the value. The pointer is put together only where there is something to tell. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
  readonly member: string;
  readonly depth: number;
}

/** The place of an element or a dictionary's member. */
export const step = (parent: Place, key: string | number, member = parent.member): Place => ({
  parent,
  key,
  member,
  depth: parent.depth,
});

/** The place of a named member. */
export const memberPlace = (place: Place, name: string): Place =>
  step(place, name, `${place.member}.${name}`);

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const pointerOf = ({ parent, key }: Place): string =>
  parent === undefined ? "" : `${pointerOf(parent)}/${escaped(String(key))}`;

/** Notes a departure. */
export const tell = (
  walk: Walk,
  place: Place,
  departure: Pick<Departure, "kind" | "expected" | "actual" | "accepted">,
): void => {
  walk.out.push({ ...departure, pointer: pointerOf(place), member: place.member });
};
