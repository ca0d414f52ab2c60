// What a bundle holds, for executables, images and packages that no package manager looks into: the
// bill of materials, as CycloneDX, and the licences, as one text. `pnpm sbom` reads lockfiles, and a
// bundle holds a part of what they name.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const TEXT = /^(?:licen[cs]e|copying|notice)(?:[-.].*)?$/i;
const NOTICE = /^notice/i;
/** Characters that no licence is shorter than. */
const LEAST_TEXT = 200;
/** Licences that allow to be bundled, if their text goes along. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Unlicense",
]);

/** The package that a file belongs to: the nearest folder whose manifest has a version. */
const packageOf = (file) => {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    const manifest = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    if (manifest.name !== undefined && manifest.version !== undefined) return { folder, manifest };
  }
  throw new Error(`${file} belongs to no package`);
};

/** The packages of a bundle's metafile, whose paths are relative to `cwd`, by name and version. */
const packagesOf = ({ inputs }, cwd) => {
  // A name of esbuild's own, for what is not to be bundled, is no file.
  const files = Object.keys(inputs).filter((file) => !/^[(<]/.test(file));
  const found = files.map((file) => packageOf(resolve(cwd, file)));
  const byId = new Map(
    found.map((each) => [`${each.manifest.name}@${each.manifest.version}`, each]),
  );
  return [...byId].toSorted(([a], [b]) => (a < b ? -1 : 1));
};

/** The bill of a bundle by its metafile. `node` is the version that an executable has in it. */
export const billOf = (metafile, { name, version }, { cwd = process.cwd(), node } = {}) => {
  const components = packagesOf(metafile, cwd).map(([id, { manifest }]) => ({
    type: "library",
    "bom-ref": id,
    name: manifest.name,
    version: manifest.version,
    purl: `pkg:npm/${id.replace(/^@/, "%40")}`,
    ...(manifest.license === undefined ? {} : { licenses: [{ expression: manifest.license }] }),
  }));
  const runtime = {
    type: "application",
    "bom-ref": `node@${node}`,
    name: "node",
    version: node,
    purl: `pkg:generic/node@${node}`,
  };
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name, version } },
    components: [...components, ...(node === undefined ? [] : [runtime])],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
};

/** The texts of a package: its licence first. Throws where a bundle may not hold it. */
const textsOf = (id, { folder, manifest: { license } }) => {
  if (!ALLOWED.has(license))
    throw new Error(`${id} must not be bundled: its licence is ${license}`);
  const names = readdirSync(folder).filter((name) => TEXT.test(name));
  const texts = names.map((name) => readFileSync(join(folder, name), "utf8").trim());
  if (!names.some((name, at) => !NOTICE.test(name) && texts[at].length >= LEAST_TEXT))
    throw new Error(`${id} must not be bundled: it has no text of its licence`);
  return texts;
};

/** The licences of the packages of others in a bundle's metafile. */
export const licencesOf = (metafile, cwd = process.cwd()) =>
  packagesOf(metafile, cwd)
    .filter(([, { folder }]) => /[\\/]node_modules[\\/]/.test(folder))
    .map(([id, found]) => {
      const texts = [found.manifest.license, ...textsOf(id, found)].join("\n\n");
      return `${id}\n${"=".repeat(id.length)}\n\n${texts}\n`;
    })
    .join("\n\n");
