// The packages and what they use, drawn by Graphviz from their manifests. A dashed arrow is an
// optional peer. Colours come from the page, so that the drawing follows light and dark.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Graphviz } from "@hpcc-js/wasm-graphviz";

const root = join(import.meta.dirname, "../../..");
const short = (name) => name.replace("@game-data/", "");

export const layoutDiagram = async () => {
  const manifests = globSync(["packages/*/package.json", "apps/*/package.json"], { cwd: root })
    .toSorted()
    .map((file) => ({
      isApp: file.startsWith("apps"),
      ...JSON.parse(readFileSync(join(root, file), "utf8")),
    }));
  const names = new Set(manifests.map(({ name }) => name));
  const uses = new Map(
    manifests.map(({ name, isApp, dependencies = {}, devDependencies = {} }) => [
      name,
      // A bundled program has its packages among the development dependencies.
      Object.keys(isApp ? { ...devDependencies, ...dependencies } : dependencies).filter((to) =>
        names.has(to),
      ),
    ]),
  );
  const reaches = (from, to) => uses.get(from).some((next) => next === to || reaches(next, to));
  // A package that is reached through another one gets no arrow, to keep the drawing readable.
  const direct = [...uses].flatMap(([from, list]) =>
    list
      .filter((to) => !list.some((other) => other !== to && reaches(other, to)))
      .map((to) => `"${short(from)}" -> "${short(to)}"`),
  );
  const optional = manifests.flatMap(({ name, peerDependencies = {} }) =>
    Object.keys(peerDependencies)
      .filter((to) => names.has(to))
      .map((to) => `"${short(name)}" -> "${short(to)}" [style=dashed]`),
  );
  const edges = [...direct, ...optional];
  const nodes = manifests.map(
    ({ name, isApp }) => `"${short(name)}" [style="${isApp ? "rounded" : "rounded,bold"}"]`,
  );
  const graphviz = await Graphviz.load();
  const svg = graphviz.dot(
    `digraph { rankdir=LR bgcolor=transparent
      node [shape=box fontname="Arial" fontsize=13 margin="0.2,0.08"] edge [arrowsize=0.7]
      ${nodes.join("\n")}\n${edges.join("\n")} }`,
  );
  return (
    svg
      .slice(svg.indexOf("<svg"))
      .replace(
        /<svg [^>]*?(viewBox="[^"]*")[^>]*>/,
        '<svg $1 role="img" aria-label="Packages and what they use" style="max-width:100%;height:auto">',
      )
      .replaceAll(/<title>[^<]*<\/title>|<!--[\s\S]*?-->/g, "")
      .replaceAll('stroke="black"', 'stroke="currentColor"')
      .replaceAll('fill="black"', 'fill="currentColor"')
      // The layout needs a font that Graphviz knows the widths of; the page has its own.
      .replaceAll('font-family="Arial"', 'font-family="sans-serif"')
      .replaceAll("<text ", '<text fill="currentColor" ')
      .replaceAll(/\n\s*/g, "")
  );
};
