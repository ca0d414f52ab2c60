// The licences of everything that a bundle holds, as one text: most of them ask that it goes along.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const LICENCE = /^(?:licen[cs]e|copying)(?:[-.].*)?$/i;
const NOTICE = /^notice(?:\..*)?$/i;

/** The folder of the package that a file belongs to; undefined for our own. */
const packageOf = (file) => {
  const [, folder] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file) ?? [];
  return folder;
};

/** Texts of a package: its licence and notice. */
const textsOf = (folder) =>
  readdirSync(folder)
    .filter((name) => LICENCE.test(name) || NOTICE.test(name))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8").trim());

/** A package without a file says its licence in its manifest alone. */
const named = ({ author, license }) =>
  `${license ?? ""}${author === undefined ? "" : `, ${author.name ?? author}`}`;

/**
 * The licences of the packages in a bundle's metafile, whose paths are relative to `cwd`. Throws on
 * a package that names none, or refers to a text that is not there.
 */
export const licencesOf = ({ inputs }, cwd = process.cwd()) => {
  const folders = new Set(
    Object.keys(inputs).flatMap((file) => packageOf(resolve(cwd, file)) ?? []),
  );
  const byId = new Map();
  for (const folder of folders) {
    const file = join(folder, "package.json");
    if (!existsSync(file)) throw new Error(`${dirname(file)} has no package.json`);
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    const texts = textsOf(folder);
    const isNamed = manifest.license && !/^(?:see licen[cs]e|unlicensed$)/i.test(manifest.license);
    if (texts.length === 0 && !isNamed)
      throw new Error(`${manifest.name} has no licence, so it must not be bundled`);
    byId.set(`${manifest.name}@${manifest.version}`, [named(manifest), ...texts].join("\n\n"));
  }
  return [...byId]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, text]) => `${id}\n${"=".repeat(id.length)}\n\n${text}\n`)
    .join("\n\n");
};
