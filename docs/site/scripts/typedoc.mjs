// A plugin of TypeDoc: names modules by their public entries, gives destructured parameters a name, and titles of
// namespaces their package.
import { Converter, ReflectionKind } from "typedoc";
import { MarkdownPageEvent } from "typedoc-plugin-markdown";
import { entries } from "./entries.mjs";

// If a file has two entries, its first one names it.
const byFile = new Map(
  [...entries].toReversed().map(([name, file]) => [file.replace(/(\/index)?\.ts$/, ""), name]),
);

/** Adds the package to the title of a page: three packages export a namespace Metrics. */
const addPackage = ({ contents, model }) =>
  contents.replace(`title: "${model.name}"`, `title: "${model.parent.name}: ${model.name}"`);

export const load = (app) => {
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
