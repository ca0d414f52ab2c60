/** A walk through a value: where it stands, and what it has found. */
import type * as SchemaAST from "effect/SchemaAST";
import type { Deviation, Rules } from "./Deviation.ts";

/** The words of a deployment for the specification's neutral ones. */
export type DeploymentWords = Readonly<
  Partial<Record<"console_a" | "console_b" | "game2" | "livestream", string | undefined>>
>;

/** One walk: what was found, and what is looked for. */
export interface Walk {
  readonly out: Array<Deviation>;
  readonly limit: number;
  readonly explicit: boolean;
  readonly rules: Rules;
  readonly words: DeploymentWords;
}

/** A place in the value. The pointer is put together only where there is something to tell. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
  readonly member: string;
  /** The record that the place is in, and how deep it is nested in itself. */
  readonly record: SchemaAST.AST | undefined;
  readonly depth: number;
}

/** The place of an element or a dictionary's member. */
export const step = (parent: Place, key: string | number, member = parent.member): Place => ({
  parent,
  key,
  member,
  record: parent.record,
  depth: parent.depth,
});

/** The place of a named member. */
export const memberPlace = (place: Place, name: string): Place =>
  step(place, name, `${place.member}.${name}`);

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** The JSON pointer (RFC 6901) of a place. */
export const pointerOf = ({ parent, key }: Place): string =>
  parent === undefined ? "" : `${pointerOf(parent)}/${escaped(String(key))}`;

/** Thrown to end a walk that has found enough. */
export const ENOUGH = {};

/** Notes a deviation that is accepted. */
export const report = (
  walk: Walk,
  place: Place,
  found: Pick<Deviation, "kind" | "expected" | "actual">,
): void => {
  if (walk.out.length >= walk.limit) throw ENOUGH;
  const { actual, expected, kind } = found;
  walk.out.push({
    kind,
    pointer: pointerOf(place),
    member: place.member,
    expected,
    actual,
    accepted: true,
  });
};
