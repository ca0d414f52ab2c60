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

const VALUES: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  "",
  "1",
  [],
  [[]],
  [""],
  {},
  { __proto__: null, a: 1 },
  JSON.parse('{"__proto__":{"w":1}}'),
];

/** A copy of the value with one member or element replaced, left out or added. */
export const mutate = (value: unknown, random: () => number): unknown => {
  const copy: unknown = structuredClone(value);
  const places: Array<[container: Record<string, unknown>, key: string]> = [];
  const collect = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      places.push([node as Record<string, unknown>, key]);
      collect(child);
    }
  };
  collect(copy);
  const other = VALUES[Math.floor(random() * VALUES.length)];
  const place = places[Math.floor(random() * places.length)];
  if (place === undefined) return other;
  const [container, key] = place;
  const action = random();
  if (action < 0.25 && !Array.isArray(container)) delete container[key];
  else if (action < 0.35 && !Array.isArray(container)) container[`${key}s`] = other;
  else
    Object.defineProperty(container, key, {
      value: other,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return copy;
};
