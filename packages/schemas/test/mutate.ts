/** Damages JSON values at a random place, the same way for the same seed. */

/** Mulberry32: small, and the same everywhere. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** A value of every type, and values that are special in JavaScript. */
const OTHERS = JSON.parse(
  `[null, true, 0, -1, 1.5, 1e21, "", "1", "constructor", [], [[]], [""], [1, null], {}, {"a": 1},
    {"__proto__": {"id": 1}, "id?": 5}]`,
) as ReadonlyArray<unknown>;

type Container = Record<string, unknown>;

const define = (container: Container, key: string, value: unknown): void => {
  const flags = { enumerable: true, configurable: true, writable: true };
  Object.defineProperty(container, key, { value, ...flags });
};

/** Edits of a member or an element of its container. */
const EDITS: ReadonlyArray<(container: Container, key: string, other: unknown) => void> = [
  define,
  (container, key) => {
    if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
  },
  (container, key, other) => {
    if (Array.isArray(container)) container.push(other);
    else container[`${key}?`] = other;
  },
  (container, key, other) => define(container, Array.isArray(container) ? key : "__proto__", other),
];

/** Returns a copy of the value with one member or element replaced, removed or added. */
export const mutate = (value: unknown, random: () => number): unknown => {
  const pick = <T>(list: ReadonlyArray<T>): T => list[Math.floor(random() * list.length)]!;
  const copy: unknown = structuredClone(value);
  const places: Array<readonly [Container, string] | undefined> = [undefined];
  const collect = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      places.push([node as Container, key]);
      collect(child);
    }
  };
  collect(copy);
  const place = pick(places);
  const other = structuredClone(pick(OTHERS));
  if (place === undefined) return other;
  pick(EDITS)(...place, other);
  return copy;
};
