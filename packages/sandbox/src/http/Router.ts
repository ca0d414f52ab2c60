/**
 * Finds the route of a method and a path.
 *
 * Templates are made of literal segments and parameters. A parameter may be bound to words,
 * `:realm(console_a|console_b)`; the last one may be left out, `:id?`. A literal is preferred to a
 * word, a word to any text, and the search goes back when a preferred branch fails. Segments are
 * decoded before they are compared; an empty one matches nothing.
 */
import type { Credentials } from "../oauth/TokenVerifier.ts";
import type { Facts } from "../journal/JournalEntry.ts";
import type { RequestInput, ResponseOutput } from "./messages.ts";

/** Input of a handler. */
export interface RequestContext {
  readonly request: RequestInput;
  /** The virtual present in milliseconds. */
  readonly now: number;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Credentials in the request's `Authorization` header. */
  readonly credentials: Credentials;
  /** Facts for the journal. */
  readonly facts: Facts;
}

/** Answers a request. */
export type Handler = (context: RequestContext) => ResponseOutput;

/** A route. */
export interface Route {
  readonly method: string;
  readonly template: string;
  /** `group.endpoint` in the contract's names, for its endpoints. */
  readonly name?: string;
  readonly scopes?: ReadonlyArray<string>;
  readonly handle: Handler;
}

/** A route that fits, and the parameters of its path. */
export interface RouteMatch<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  readonly words: Array<{
    readonly name: string;
    readonly words: ReadonlyArray<string>;
    readonly node: Node<R>;
  }>;
  parameter: { readonly name: string; readonly node: Node<R> } | undefined;
  readonly routes: Map<string, R>;
}

const newNode = <R>(): Node<R> => ({
  literals: new Map(),
  words: [],
  parameter: undefined,
  routes: new Map(),
});

/** The routes of a listener. */
export class Router<R extends Pick<Route, "method" | "template">> {
  readonly #root = newNode<R>();

  constructor(routes: ReadonlyArray<R>) {
    for (const route of routes)
      for (const template of expand(route.template)) this.#add(template, route);
  }

  /** The route of a request; `HEAD` asks for what `GET` would. */
  find(method: string, path: string): RouteMatch<R> | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    return this.#search(path, ({ routes }) => routes.get(wanted));
  }

  /** The methods that a path answers; none for an unknown path. */
  methods(path: string): ReadonlyArray<string> {
    const methods = new Set<string>();
    this.#search(path, ({ routes }) => {
      for (const method of routes.keys()) methods.add(method);
      return undefined;
    });
    return [...methods];
  }

  #add(template: string, route: R): void {
    let node = this.#root;
    for (const segment of template.slice(1).split("/")) {
      const parameter = /^:(\w+)(?:\((.*)\))?$/u.exec(segment);
      const name = parameter?.[1];
      if (name === undefined) {
        let next = node.literals.get(segment);
        if (next === undefined) node.literals.set(segment, (next = newNode()));
        node = next;
      } else if (parameter?.[2] !== undefined) {
        const words = parameter[2].split("|");
        let branch = node.words.find((one) => one.words.join("|") === parameter[2]);
        if (branch === undefined) node.words.push((branch = { name, words, node: newNode() }));
        node = branch.node;
      } else {
        node = (node.parameter ??= { name, node: newNode() }).node;
      }
    }
    node.routes.set(route.method, route);
  }

  #search<A>(path: string, pick: (node: Node<R>) => A | undefined) {
    const segments = segmentsOf(path);
    if (segments === undefined) return undefined;
    const values: Array<readonly [string, string]> = [];
    const walk = (node: Node<R>, index: number): A | undefined => {
      const segment = segments[index];
      if (segment === undefined) return pick(node);
      const literal = node.literals.get(segment);
      const found = literal === undefined ? undefined : walk(literal, index + 1);
      if (found !== undefined) return found;
      for (const branch of node.words) {
        if (!branch.words.includes(segment)) continue;
        values.push([branch.name, segment]);
        const deeper = walk(branch.node, index + 1);
        if (deeper !== undefined) return deeper;
        values.pop();
      }
      if (node.parameter === undefined) return undefined;
      values.push([node.parameter.name, segment]);
      const deeper = walk(node.parameter.node, index + 1);
      if (deeper === undefined) values.pop();
      return deeper;
    };
    const route = walk(this.#root, 0);
    return route === undefined ? undefined : { route, params: Object.fromEntries(values) };
  }
}

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

/** A template without the words of its parameters. */
export const withoutWords = (template: string): string => template.replace(/\([^()]*\)/gu, "");
