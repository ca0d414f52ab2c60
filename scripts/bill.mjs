// The bill of materials of what a bundle holds, as CycloneDX: for executables and images, which no
// package manager knows. `pnpm sbom` reads lockfiles, and a bundle holds a part of what they name.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The manifest of the package that a file belongs to: the nearest one that has a version. */
const manifestOf = (file) => {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    const manifest = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    if (manifest.name !== undefined && manifest.version !== undefined) return manifest;
  }
  throw new Error(`${file} belongs to no package`);
};

const componentOf = ({ license, name, version }) => ({
  type: "library",
  "bom-ref": `${name}@${version}`,
  name,
  version,
  purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
});

/**
 * The bill of a bundle by its metafile, whose paths are relative to `cwd`. `node` is the version of
 * Node that an executable has in it.
 */
export const billOf = ({ inputs }, { name, version }, { cwd = process.cwd(), node } = {}) => {
  const components = new Map();
  for (const file of Object.keys(inputs)) {
    // A name of esbuild's own, for what is not to be bundled.
    if (file.startsWith("(") || file.startsWith("<")) continue;
    const component = componentOf(manifestOf(resolve(cwd, file)));
    components.set(component["bom-ref"], component);
  }
  const runtime = {
    type: "application",
    "bom-ref": `node@${node}`,
    name: "node",
    version: node,
    purl: `pkg:generic/node@${node}`,
  };
  const listed = [...components.values()].toSorted((a, b) =>
    a["bom-ref"] < b["bom-ref"] ? -1 : 1,
  );
  return `${JSON.stringify(
    {
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: { component: { type: "application", name, version } },
      components: [...listed, ...(node === undefined ? [] : [runtime])],
    },
    undefined,
    2,
  )}\n`;
};
