/**
 * Checks options by name, whether they come from TypeScript, the environment, or JSON. `NaN`,
 * `null`, texts in place of numbers, and names that no option has, are told at once.
 */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What an option has to be. */
export interface Expected {
  /** In words, behind "must be". */
  readonly is: string;
  readonly fits: (value: unknown) => boolean;
}

/**
 * An option has a value that cannot work. Nothing was sent.
 *
 * What to do: correct the option that `option` names.
 */
export class ConfigurationInvalidError extends Error {
  override readonly name = "ConfigurationInvalidError";
  readonly _tag = "ConfigurationInvalid";
  /** Its name, with those of the options that hold it: `retry.times`, `limits[0]`. */
  readonly option: string;
  /** What it must be. */
  readonly expected: string;
  /** What it was, shortened. */
  readonly got: string;

  constructor(option: string, expected: string, value: unknown) {
    const got = described(value);
    super(`Invalid configuration: ${option} must be ${expected}, not ${got}.`);
    this.option = option;
    this.expected = expected;
    this.got = got;
  }

  /** The address of the error's page. */
  get help(): string {
    return `https://game-data.github.io/game-data/errors/rate-limit/#${this._tag.toLowerCase()}`;
  }

  /** Always `false`: the same call fails again. */
  get isRetryable(): boolean {
    return false;
  }
}

const LONGEST_TEXT = 40;

const described = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value.slice(0, LONGEST_TEXT));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  return isObject(value) ? "an object" : String(value);
};

const numeric = (is: string, fits: (value: number) => boolean): Expected => ({
  is,
  fits: (value) => typeof value === "number" && fits(value),
});

/** An integer of at least 1. */
export const positiveInteger = numeric(
  "an integer of at least 1",
  (value) => Number.isSafeInteger(value) && value >= 1,
);

/** An integer of at least 0. */
export const amount = numeric(
  "an integer of at least 0",
  (value) => Number.isSafeInteger(value) && value >= 0,
);

/** A finite number. */
export const finite = numeric("a finite number", Number.isFinite);

/** A time span that ends. */
export const positiveMillis = numeric(
  "a positive, finite number of milliseconds",
  (value) => value > 0 && value < Infinity,
);

/** A time span; `Infinity` is one without an end. */
export const millis = numeric("a number of milliseconds of at least 0", (value) => value >= 0);

export const flag: Expected = {
  is: "true or false",
  fits: (value) => typeof value === "boolean",
};

export const text: Expected = {
  is: "a text that is not empty",
  fits: (value) => typeof value === "string" && value !== "",
};

export const callback: Expected = {
  is: "a function",
  fits: (value) => typeof value === "function",
};

export const list: Expected = { is: "a list", fits: Array.isArray };

/** An object with these functions. */
export const having = (...names: ReadonlyArray<string>): Expected => ({
  is: `an object${names.length > 0 ? " with " : ""}${names.join(" and ")}`,
  fits: (value) => isObject(value) && names.every((name) => typeof value[name] === "function"),
});

/** One of some words. */
export const oneOf = (...words: ReadonlyArray<string>): Expected => ({
  is: words.map((word) => JSON.stringify(word)).join(" or "),
  fits: (value) => words.includes(value as string),
});

/** Throws `ConfigurationInvalidError` for a value that does not fit; left out is fine. */
export const checkOption = (name: string, value: unknown, expected: Expected): void => {
  if (value !== undefined && !expected.fits(value))
    throw new ConfigurationInvalidError(name, expected.is, value);
};

/** Throws `ConfigurationInvalidError` for the first member that does not fit, or that nobody knows. */
export const checkOptions = (
  value: unknown,
  table: Readonly<Record<string, Expected>>,
  path = "",
): void => {
  if (!isObject(value)) throw new ConfigurationInvalidError(path || "options", "an object", value);
  for (const [name, member] of Object.entries(value)) {
    const expected = Object.hasOwn(table, name) ? table[name] : undefined;
    const option = path === "" ? name : `${path}.${name}`;
    if (expected) checkOption(option, member, expected);
    else if (member !== undefined)
      throw new ConfigurationInvalidError(option, `one of ${Object.keys(table).join(", ")}`, name);
  }
};

/**
 * A time span in milliseconds: a number, or what `read` makes of a duration of another library.
 * Throws `ConfigurationInvalidError` for what is none.
 */
export const readMillis = (
  option: string,
  span: unknown,
  read: (span: never) => number,
): number | undefined => {
  if (span === undefined || typeof span === "number") return span;
  try {
    return read(span as never);
  } catch {
    throw new ConfigurationInvalidError(option, "a duration", span);
  }
};

const SPANS = ["maxWait", "inFlightTimeout", "clientErrorWindow", "firewallCooldown"];

/** The options of a limiter, of which the time spans are durations of another library. */
export const withMillis = <LimiterOptions>(
  options: object,
  read: (span: never) => number,
): LimiterOptions => {
  checkOption("options", options ?? null, having());
  const given = options as Readonly<Record<string, unknown>>;
  const spans = SPANS.map((name) => [name, readMillis(name, given[name], read)]);
  const { bucketSizes } = given;
  const sizes = Array.isArray(bucketSizes) && {
    bucketSizes: bucketSizes.map((size, index) => readMillis(`bucketSizes[${index}]`, size, read)),
  };
  return { ...given, ...Object.fromEntries(spans), ...sizes } as LimiterOptions;
};

/** Checks each value of a list or of an object, if there is one. */
export const checkEach = (path: string, values: unknown, expected: Expected): void => {
  const isList = Array.isArray(values);
  if (values !== undefined && !isList && !isObject(values))
    throw new ConfigurationInvalidError(path, "a list or an object", values);
  for (const [name, each] of Object.entries(values ?? {}))
    checkOption(isList ? `${path}[${name}]` : `${path}.${name}`, each, expected);
};
