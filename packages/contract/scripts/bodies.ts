/** Writes the bodies of requests and responses as plain records, from their schemas. */
import { SchemaAST } from "effect";
import * as Records from "@game-data/schemas/effect";
import { moduleOf, type Places } from "../../schemas/scripts/codegen.ts";
import type { Target } from "../../schemas/scripts/shapes.ts";
import { ErrorBody } from "../src/effect/ErrorBody.ts";
import * as Requests from "../src/effect/Requests.ts";
import * as Responses from "../src/effect/Responses.ts";
import { routes } from "../src/routes/table.ts";
import type { Route } from "../src/routes/Route.ts";

const recordNames = new Set<string>();

const targetsIn = (exported: object): ReadonlyArray<Target> =>
  Object.entries(exported).flatMap(([name, value]) => {
    const { ast } = value as { readonly ast?: SchemaAST.AST };
    return ast !== undefined && SchemaAST.resolve(ast)?.["identifier"] === name
      ? [{ name, ast }]
      : [];
  });

const records = targetsIn(Records);
for (const { name } of records) recordNames.add(name);

/** The bodies of the contract that are no records. */
export const bodies: ReadonlyArray<Target> = [
  ...targetsIn(Responses),
  ...targetsIn({ ErrorBody }),
  ...targetsIn(Requests),
].filter(({ name }) => !recordNames.has(name));

const places: Places = {
  plainRecord: "@game-data/schemas/PlainRecord",
  depth: "",
  tests: "@game-data/schemas/PlainRecord",
  record: (name) => (recordNames.has(name) ? `@game-data/schemas/${name}` : `./${name}.ts`),
  example: () => [],
  hasChecks: false,
};

const aliases = new Map([
  [Records.Realm.ast, { name: "Realm", module: "@game-data/schemas/Realm" }],
]);

/** The modules of the bodies, by file name. */
export const bodyModules = (): ReadonlyMap<string, string> =>
  new Map(
    bodies.map((target) => [
      `${target.name}.ts`,
      moduleOf(target, [...bodies, ...records], aliases, places),
    ]),
  );

/** The module that holds all of them, and the records that are bodies by themselves. */
export const indexModule = (): string => {
  const own = new Set(bodies.map(({ name }) => name));
  const named = Object.values<Route>(routes).flatMap(({ body, results }) => [
    ...Object.values(results),
    ...(body === undefined ? [] : [body]),
  ]);
  const names = [...new Set([...own, ...named])].toSorted();
  const line = (name: string) =>
    `import { ${name} } from "${own.has(name) ? `./bodies/${name}.ts` : `@game-data/schemas/${name}`}";`;
  return [
    "/**",
    " * The JSON bodies of requests and responses, as plain records.",
    " *",
    " * Generated from the table of operations by `pnpm generate`. Not to be edited.",
    " */",
    ...names.map(line),
    "",
    `export { ${names.join(", ")} };`,
    "",
    "/** The bodies by their names in the table of operations. */",
    `export const bodies = { ${[...new Set(named)].toSorted().join(", ")} } as const;`,
    "",
  ].join("\n");
};
