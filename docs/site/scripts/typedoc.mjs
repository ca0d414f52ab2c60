// A plugin of TypeDoc: names modules by their public entries, gives destructured parameters a name, and titles of
// namespaces their package.
import { Converter, ReflectionKind } from "typedoc";
import { MarkdownPageEvent } from "typedoc-plugin-markdown";
import { entries } from "./entries.mjs";

// If a file has two entries, its first one names it.
const byFile = new Map(
  [...entries].toReversed().map(([name, file]) => [file.replace(/(\/index)?\.ts$/, ""), name]),
);

/** Entries that export one Schema for each record, body or error. */
const LISTS = new Set([
  "api-client/error-schemas",
  "schemas/effect",
  "contract/effect",
  "contract/results",
]);

/** Adds the package to the title of a page: three packages export a namespace Metrics. */
const addPackage = ({ contents, model }) =>
  contents.replace(`title: "${model.name}"`, `title: "${model.parent.name}: ${model.name}"`);

const EXPORTS =
  ReflectionKind.Class |
  ReflectionKind.Interface |
  ReflectionKind.Function |
  ReflectionKind.Variable |
  ReflectionKind.TypeAlias;

const isDescribed = (one) =>
  [one, ...(one.signatures ?? [])].some(({ comment }) => comment?.hasVisibleComponent());

/** A type and a value of one name need one sentence. Lists of Schemas are described by their module. */
const undescribed = (project) =>
  [...project.getReflectionsByKind(ReflectionKind.Module | ReflectionKind.Namespace)].flatMap(
    (module) => {
      const all = module.getChildrenByKind(EXPORTS);
      const described = new Set(all.filter(isDescribed).map(({ name }) => name));
      return all
        .filter(({ name }) => !described.has(name) && !LISTS.has(module.name))
        .map(({ name }) => `${module.name}: ${name}`);
    },
  );

export const load = (app) => {
  app.converter.on(Converter.EVENT_END, ({ project }) => {
    const found = undescribed(project);
    if (found.length > 0) throw new Error(`Exports without a sentence:\n${found.join("\n")}`);
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module))
      module.name = byFile.get(`packages/${module.name}`) ?? module.name;
    for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter))
      if (parameter.name.startsWith("__")) parameter.name = "options";
  });
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    // A name that occurs twice on a page is numbered differently by TypeDoc and by Starlight: link to the page.
    page.contents = page.contents.replaceAll(
      /\(([^)#\s]*)#[^)\s]*-\d+\)/g,
      (_, to) => `(${to || "#_top"})`,
    );
  });
  // The theme writes the front matter before this listener runs.
  app.renderer.on(
    MarkdownPageEvent.END,
    (page) => {
      if (page.model.kind === ReflectionKind.Namespace) page.contents = addPackage(page);
    },
    -1,
  );
};
