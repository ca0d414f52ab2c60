/**
 * Finds the route of a method and a path.
 *
 * Templates are made of literal segments and parameters. A parameter may be bound to words,
 * `:realm(console_a|console_b)`; the last one may be left out, `:id?`. A literal is preferred to a
 * word, a word to any text, and the search goes back when a preferred branch fails. Segments are
 * decoded before they are compared; an empty one matches nothing.
 */
/** A route that fits, and the parameters of its path. */
export interface RouteMatch<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

/** A way to write the path of a route. */
interface Pattern<R> {
  readonly route: R;
  /** Matches decoded segments, joined by `SEPARATOR`. */
  readonly expression: RegExp;
  readonly names: ReadonlyArray<string>;
  /** A digit a segment: 0 for a literal, 1 for one of several words, 2 for any text. */
  readonly rank: string;
}

/** Half of a surrogate pair: no decoded path holds one. */
const SEPARATOR = "\ud800";

export class Router<R extends { readonly method: string; readonly template: string }> {
  /** By their number of segments, those with the most literals first. */
  readonly #patterns: ReadonlyMap<number, ReadonlyArray<Pattern<R>>>;

  constructor(routes: ReadonlyArray<R>) {
    const patterns = routes
      .flatMap((route) => expand(route.template).map((template) => patternOf(route, template)))
      .toSorted((one, other) => one.rank.localeCompare(other.rank));
    this.#patterns = Map.groupBy(patterns, ({ rank }) => rank.length);
  }

  /** The route of a request; `HEAD` asks for what `GET` would. */
  find(method: string, path: string): RouteMatch<R> | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    return this.#search(path, (route) => route.method === wanted).next().value;
  }

  /** The methods that a path answers; none for an unknown path. */
  methods(path: string): ReadonlyArray<string> {
    const found = [...this.#search(path, () => true)];
    return [...new Set(found.map(({ route }) => route.method))];
  }

  *#search(path: string, isWanted: (route: R) => boolean): Generator<RouteMatch<R>, undefined> {
    const segments = segmentsOf(path);
    const text = segments?.join(SEPARATOR) ?? "";
    for (const { expression, names, route } of this.#patterns.get(segments?.length ?? 0) ?? []) {
      const values = isWanted(route) ? expression.exec(text) : null;
      if (values === null) continue;
      const params = Object.fromEntries(names.map((name, index) => [name, values[index + 1]!]));
      yield { route, params };
    }
    return undefined;
  }
}

const patternOf = <R>(route: R, template: string): Pattern<R> => {
  const parts = template
    .slice(1)
    .split("/")
    .map((segment) => ({ segment, parameter: /^:(\w+)(?:\((.*)\))?$/u.exec(segment) }));
  const source = parts.map(({ parameter, segment }) =>
    parameter === null ? segment.replaceAll(".", "\\.") : `(${parameter[2] ?? `[^${SEPARATOR}]+`})`,
  );
  return {
    route,
    // Bounded: templates are ours, with a separator between 2 parts, and paths have 16 kB at most.
    expression: new RegExp(`^${source.join(SEPARATOR)}$`, "su"),
    names: parts.flatMap(({ parameter }) => parameter?.[1] ?? []),
    rank: parts.map(({ parameter }) => (parameter === null ? 0 : parameter[2] ? 1 : 2)).join(""),
  };
};

/** The decoded segments of a path; undefined where one is empty or badly encoded. */
const segmentsOf = (path: string): ReadonlyArray<string> | undefined => {
  if (!path.startsWith("/") || path.includes("#")) return undefined;
  const segments = path.slice(1).split("/");
  if (path !== "/" && segments.includes("")) return undefined;
  if (!path.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
};

/** A template with and without its optional last segment. */
const expand = (template: string): ReadonlyArray<string> =>
  template.endsWith("?")
    ? [template.slice(0, template.lastIndexOf("/")), template.slice(0, -1)]
    : [template];
