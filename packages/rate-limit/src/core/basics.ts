/** An instant that never comes; minus it lies before all others. */
export const NEVER = Infinity;

/** The value of a key, made when it is missing. */
export const getOrMake = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
};

/** Whether a value has members by name; a list has none. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The address of an error's page, which is named after its tag. */
export const helpOf = (tag: string): string =>
  `https://game-data.github.io/game-data/errors/${tag.toLowerCase()}/`;
