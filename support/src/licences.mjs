// Collects the licences of bundled third-party packages in one text, which most of them require.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The nearest folder above a file whose manifest has a version. */
const packageFolder = (file) => {
  let folder = dirname(file);
  const isPackage = () => {
    const manifest = join(folder, "package.json");
    return existsSync(manifest) && "version" in JSON.parse(readFileSync(manifest, "utf8"));
  };
  while (!isPackage()) folder = dirname(folder);
  return folder;
};

const licence = (folder) => {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)(?:[-.].*)?$/i.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (texts.length === 0)
    throw new Error(`${name} has no text of its licence, so do not bundle it`);
  const id = `${name}@${version}`;
  return `${[id, "=".repeat(id.length)].join("\n")}\n\n${[license, ...texts].join("\n\n")}\n`;
};

/** Returns the licences by esbuild's metafile, whose paths are relative to `cwd`. */
export const licences = ({ inputs }, cwd = process.cwd()) => {
  const files = Object.keys(inputs).filter((file) => /(?:^|[\\/])node_modules[\\/]/.test(file));
  const folders = new Set(files.map((file) => packageFolder(resolve(cwd, file))));
  return [...folders].map(licence).toSorted().join("\n\n");
};
