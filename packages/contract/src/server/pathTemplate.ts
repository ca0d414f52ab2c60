/**
 * Path templates of the contract, segment by segment: literals, `:name`, `:name(a|b)` and a last
 * `:name?`.
 */

/** One segment of a path template. */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | {
      readonly kind: "param";
      readonly name: string;
      /** The only values that it may have, if its pattern names them. */
      readonly words?: ReadonlyArray<string>;
      readonly optional: boolean;
    };

const PARAM = /^:(\w+)(?:\(([^)]*)\))?(\?)?$/u;

/** Reads a template such as `/guild/:realm(console_a|console_b)/stash/:league`. */
export const parseTemplate = (path: string): ReadonlyArray<Segment> =>
  path
    .slice(1)
    .split("/")
    .map((text): Segment => {
      const [, name, words, optional] = PARAM.exec(text) ?? [];
      if (name === undefined) return { kind: "literal", text };
      const param = { kind: "param", name, optional: optional === "?" } as const;
      return words === undefined ? param : { ...param, words: words.split("|") };
    });
