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
  /** Whether accepted deviations are left out. */
  readonly refusedOnly: boolean;
  readonly explicit: boolean;
  readonly rules: Rules;
  readonly words: DeploymentWords;
  /** The number of all deviations, those beyond the limit included. */
  total: number;
  /** Nothing is looked at behind a record that is nested too deeply: the value may have cycles. */
  isTooDeep: boolean;
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

const pointerOf = ({ parent, key }: Place): string =>
  parent === undefined ? "" : `${pointerOf(parent)}/${escaped(String(key))}`;

/** Notes a deviation. */
export const report = (
  walk: Walk,
  place: Place,
  deviation: Pick<Deviation, "kind" | "expected" | "actual" | "accepted">,
): void => {
  if (walk.refusedOnly && deviation.accepted) return;
  walk.total += 1;
  if (walk.out.length < walk.limit)
    walk.out.push({ ...deviation, pointer: pointerOf(place), member: place.member });
};
