/**
 * The paths of the operations as OpenAPI knows them: without optional segments.
 *
 * An optional segment makes two paths. The realm is a parameter where no other path could be taken
 * for it; else it is spelled out, as in `/character/console_a` beside `/character/{name}`, and
 * concrete paths come first by OpenAPI's rules.
 */
import type { Route } from "../routes/Route.ts";
import { type RouteName, routes } from "../routes/table.ts";

/** A path of an operation. */
export interface ConcretePath {
  readonly name: RouteName;
  /** As OpenAPI writes it: `/stash/console_a/{league}`. */
  readonly path: string;
  /** `stashes.list.console_a`: unique in the document. */
  readonly operationId: string;
}

/** All paths, in the order of the table. */
export const concretePaths = (): ReadonlyArray<ConcretePath> => {
  const all = (Object.keys(routes) as Array<RouteName>).flatMap(withoutOptional);
  return all.flatMap((one) => {
    const { params, pcWhen }: Route = routes[one.name];
    const isClear = pcWhen === undefined && all.every(({ path }) => !areMistakable(one.path, path));
    if (!one.path.includes("{realm}") || isClear) return [one];
    const realms = params["realm"] as ReadonlyArray<string>;
    return (pcWhen === undefined ? realms : [...realms, "pc"]).map((realm) => ({
      name: one.name,
      path: one.path.replace("{realm}", realm),
      operationId: one.operationId.replace(".realm", `.${realm}`),
    }));
  });
};

/** The paths of an operation, with each optional segment and without it. */
const withoutOptional = (name: RouteName): ReadonlyArray<ConcretePath> => {
  let found: ReadonlyArray<ConcretePath> = [{ name, path: "", operationId: name }];
  for (const segment of routes[name].path.slice(1).split("/")) {
    const [, key, optional] = /^:(\w+)(\?)?$/u.exec(segment) ?? [];
    found = found.flatMap((before) => {
      const path = `${before.path}/${key === undefined ? segment : `{${key}}`}`;
      return optional === undefined
        ? [{ ...before, path }]
        : [before, { ...before, path, operationId: `${before.operationId}.${key}` }];
    });
  }
  return found;
};

/** Whether a URL may belong to both of two paths, and neither is the more concrete one. */
const areMistakable = (one: string, other: string): boolean => {
  if (one === other) return false;
  const [a, b] = [one.split("/"), other.split("/")];
  if (a.length !== b.length) return false;
  let [less, more] = [false, false];
  for (const [index, part] of a.entries()) {
    const [isParam, isOther] = [part.startsWith("{"), b[index]!.startsWith("{")];
    if (!isParam && !isOther && part !== b[index]) return false;
    less ||= isParam && !isOther;
    more ||= isOther && !isParam;
  }
  return less === more;
};
