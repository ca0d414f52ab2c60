/**
 * What editors show at requests and at the methods of both clients: the comments of the table of
 * operations, which have to say what its rules and texts say.
 */
import { join } from "node:path";
import { parametersOf, type Parameter, type RouteName, routes } from "@game-data/contract/routes";
import openApiDocument from "@game-data/contract/openapi.json" with { type: "json" };
import ts from "typescript";
import { expect, it } from "vitest";

const names = Object.keys(routes) as ReadonlyArray<RouteName>;
const places: ReadonlyArray<string> = names;

const program = [
  'import type { Requests } from "@game-data/contract/routes";',
  'import type { GameApiService } from "@game-data/api-client";',
  'import type { PromiseApi } from "@game-data/api-client/promise";',
  'import type { FilterList } from "@game-data/contract/results";',
  'declare const filter: FilterList["filters"][number];',
  "filter.filter;",
  "declare const request: Requests;",
  "declare const effects: GameApiService;",
  "declare const promises: PromiseApi;",
  ...names.flatMap((name) => parametersOf(name).map((one) => `request["${name}"].${one.name};`)),
  ...places.flatMap((place) => [`effects.${place};`, `promises.${place};`]),
  "",
].join("\n");

const file = join(import.meta.dirname, "../programs/shown.ts");
const host: ts.LanguageServiceHost = {
  getScriptFileNames: () => [file],
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) => {
    const text = path === file ? program : ts.sys.readFile(path);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => import.meta.dirname,
  getCompilationSettings: () => ({
    strict: true,
    exactOptionalPropertyTypes: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    types: ["node"],
    allowImportingTsExtensions: true,
    noEmit: true,
  }),
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: (path) => path === file || ts.sys.fileExists(path),
  readFile: (path) => (path === file ? program : ts.sys.readFile(path)),
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  realpath: ts.sys.realpath!,
};
const service = ts.createLanguageService(host);

/** The comment that an editor shows at the last name of a line of the program. */
const shownAt = (line: string): string => {
  const end = program.indexOf(`${line};`) + line.length;
  const info = service.getQuickInfoAtPosition(file, end - 1);
  return ts.displayPartsToString(info?.documentation);
};

/** Returns the bounds and the default of a parameter, as its comment has to say them. */
const said = ({ default: preset, in: place, max, min, name }: Parameter) => ({
  bounds:
    min === undefined
      ? undefined
      : max === undefined
        ? `at least ${min}.`
        : `from ${min} to ${max}.`,
  preset:
    preset === undefined && !(place === "path" && name === "realm")
      ? undefined
      : `Default: ${JSON.stringify(preset ?? "pc")}.`,
});

it("an editor shows bounds and default of each request parameter", { timeout: 300_000 }, () => {
  expect(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([]);
  for (const name of names)
    for (const parameter of parametersOf(name)) {
      const place = `request["${name}"].${parameter.name}`;
      const { bounds, preset } = said(parameter);
      const shown = shownAt(place);
      const shownBounds = /(?:at least \d+|from \d+ to \d+)\./iu.exec(shown)?.[0].toLowerCase();
      expect([place, shownBounds]).toEqual([place, bounds]);
      expect([place, /Default: \S+\./u.exec(shown)?.[0]]).toEqual([place, preset]);
    }
});

it(
  "an editor shows the summary of each operation at its method, for Effect and promises",
  { timeout: 300_000 },
  () => {
    const { paths } = openApiDocument;
    const summaries = new Map(
      Object.values(paths).flatMap((item) =>
        Object.values(item).map(({ operationId, summary }) => [operationId, summary] as const),
      ),
    );
    for (const place of places)
      for (const face of ["effects", "promises"]) {
        const line = `${face}.${place}`;
        expect([line, shownAt(line)]).toEqual([line, `${String(summaries.get(place))}.`]);
      }
  },
);

it("an editor shows the type and the comment of a record's member, and opens its definition", () => {
  const place = program.indexOf("filter.filter;") + "filter.f".length;
  const { displayParts } = service.getQuickInfoAtPosition(file, place)!;
  const [definition] = service.getDefinitionAtPosition(file, place)!;
  expect(ts.displayPartsToString(displayParts)).toBe(
    "(property) filter?: string | null | undefined",
  );
  expect(shownAt("filter.filter")).toBe("Absent when listing all filters.");
  expect(definition!.fileName).toMatch(/records\/ItemFilter\.ts$/u);
});
