/**
 * The paths of the operations as OpenAPI writes them: without optional segments.
 *
 * An optional segment makes two paths. The realm is a parameter unless another path could be read as
 * this one; then each realm is a path, as `/character/console_a` is beside `/character/{name}`,
 * because OpenAPI prefers concrete paths.
 */
import type { Route } from "../src/routes/Route.ts";
import { type RouteName, routes } from "../src/routes/table.ts";

/** A path of an operation. */
export interface ConcretePath {
  readonly name: RouteName;
  /** As in `/stash/console_a/{league}`. */
  readonly path: string;
  /** As in `stashes.list.console_a`, unique in the document. */
  readonly operationId: string;
}

/** Returns all paths, in the order of the table. */
export const concretePaths = (): ReadonlyArray<ConcretePath> => {
  const all = (Object.keys(routes) as Array<RouteName>).flatMap(withoutOptional);
  return all.flatMap((concrete) => {
    const { params, pcWhen }: Route = routes[concrete.name];
    const isClear =
      pcWhen === undefined && all.every(({ path }) => !areAmbiguous(concrete.path, path));
    if (!concrete.path.includes("{realm}") || isClear) return [concrete];
    const realms = params["realm"] as ReadonlyArray<string>;
    return (pcWhen === undefined ? realms : [...realms, "pc"]).map((realm) => ({
      name: concrete.name,
      path: concrete.path.replace("{realm}", realm),
      operationId: concrete.operationId.replace(".realm", `.${realm}`),
    }));
  });
};

/** Returns the paths of an operation, with each optional segment and without it. */
const withoutOptional = (name: RouteName): ReadonlyArray<ConcretePath> => {
  let paths: ReadonlyArray<ConcretePath> = [{ name, path: "", operationId: name }];
  for (const segment of routes[name].path.slice(1).split("/")) {
    const [, key, optional] = /^:(\w+)(\?)?$/u.exec(segment) ?? [];
    paths = paths.flatMap((before) => {
      const path = `${before.path}/${key === undefined ? segment : `{${key}}`}`;
      return optional === undefined
        ? [{ ...before, path }]
        : [before, { ...before, path, operationId: `${before.operationId}.${key}` }];
    });
  }
  return paths;
};

const isParameter = (segment: string) => segment.startsWith("{");

/** Whether a URL may fit both paths and neither path is the more concrete one. */
const areAmbiguous = (path: string, other: string): boolean => {
  if (path === other) return false;
  const [segments, others] = [path.split("/"), other.split("/")];
  if (segments.length !== others.length) return false;
  const pairs = segments.map((segment, index) => [segment, others[index]!] as const);
  if (pairs.some(([a, b]) => a !== b && !isParameter(a) && !isParameter(b))) return false;
  const isWider = pairs.some(([a, b]) => isParameter(a) && !isParameter(b));
  const isNarrower = pairs.some(([a, b]) => !isParameter(a) && isParameter(b));
  return isWider === isNarrower;
};
