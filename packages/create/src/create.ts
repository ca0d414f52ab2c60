/**
 * Copies a template, one of the examples of the documentation, into a new folder. The manifest gets
 * the folder's name, and `gitignore` its dot, because npm omits `.gitignore` from packages. All
 * input is checked before anything is written.
 */
import * as fs from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

/** The command line is invalid, or the folder cannot be used. No file was written. */
export class RefusedInput extends Error {
  override readonly name = "RefusedInput";
}

/** The folder of the templates, and the environment variable that names the package manager. */
export interface Surroundings {
  readonly templates: string;
  /** Such as `pnpm/12.21.0 npm/? node/v24.21.0 linux x64`. */
  readonly npm_config_user_agent?: string | undefined;
}

/** Copies the template that the command line names. Returns the next steps as text. */
export const create = (
  args: ReadonlyArray<string>,
  { templates, ...env }: Surroundings,
): string => {
  const known = descriptionsOf(templates);
  const list = [...known].map(([name, text]) => `  ${name.padEnd(10)} ${text}`).join("\n");
  const usage = `npm create @game-data FOLDER -- --template NAME\n\n${list}`;
  const { folder, help, template } = read(args, usage);
  if (help) return usage;
  if (!folder) throw new RefusedInput(`Name the new folder.\n\n${usage}`);
  if (template === undefined) throw new RefusedInput(`Name a template.\n\n${usage}`);
  if (!known.has(template))
    throw new RefusedInput(`There is no template "${template}".\n\n${usage}`);
  const target = resolve(folder);
  const name = nameOf(target);
  requireEmpty(target);
  copy(join(templates, template), target, name);
  const manager = /^(pnpm|yarn|bun)\//.exec(env.npm_config_user_agent ?? "")?.[1] ?? "npm";
  const steps = [`${manager} install`, `${manager} run dev`, `${manager} test`];
  const path = relative("", target);
  // A shell expands nothing within single quotes.
  const quoted = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
  if (path !== "") steps.unshift(`cd ${quoted}`);
  return `${name}: ${known.get(template)}.\n\n${steps.map((step) => `  ${step}`).join("\n")}`;
};

const read = (all: ReadonlyArray<string>, usage: string) => {
  const options = { template: { type: "string" }, help: { type: "boolean" } } as const;
  // npm removes the `--` before it calls this program, but pnpm passes the `--` on.
  const args = all.filter((arg) => arg !== "--");
  const unknown = args.find((arg) => /^-(?!-(?:template|help)(?:=|$))/.test(arg));
  if (unknown !== undefined) throw new RefusedInput(`Unknown option ${unknown}.\n\n${usage}`);
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    if (positionals.length > 1)
      throw new Error(
        `One folder, not ${positionals.length}. npm passes --template on only behind a "--".`,
      );
    return { folder: positionals[0], help: values.help === true, template: values.template };
  } catch (error) {
    throw new RefusedInput(`${(error as Error).message}\n\n${usage}`);
  }
};

const descriptionsOf = (templates: string): ReadonlyMap<string, string> => {
  const files = fs.globSync("*/package.json", { cwd: templates }).toSorted();
  if (files.length === 0)
    throw new Error(
      `No templates in ${templates}. A clone makes them: pnpm --filter @game-data/create build`,
    );
  return new Map(
    files.map((file) => {
      const text = fs.readFileSync(join(templates, file), "utf8");
      const { description, name } = JSON.parse(text) as Record<"description" | "name", string>;
      return [name, description];
    }),
  );
};

/** Converts the name of the folder to a valid package name, or throws `RefusedInput`. */
const nameOf = (target: string): string => {
  const words = basename(target)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9._~]+/)
    .filter((word) => word !== "");
  const name = words.join("-").replace(/^[-._]+/, "");
  if (name === "" || name.length > 214 || name === "node_modules" || name === "favicon.ico")
    throw new RefusedInput(`"${basename(target)}" gives no name for a package.`);
  return name;
};

const requireEmpty = (target: string): void => {
  let entries: ReadonlyArray<string>;
  try {
    // Uses `lstat`, because a broken link exists as well.
    if (fs.lstatSync(target, { throwIfNoEntry: false }) === undefined) return;
    entries = fs.readdirSync(target);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new RefusedInput(code === "ENOTDIR" ? `${target} is a file, or in one.` : message);
  }
  const first = entries.find((entry) => entry !== ".git");
  if (first !== undefined)
    throw new RefusedInput(`${target} is not empty: it has ${first}. Name a new folder.`);
};

const copy = (from: string, target: string, name: string): void => {
  fs.cpSync(from, target, { recursive: true });
  fs.renameSync(join(target, "gitignore"), join(target, ".gitignore"));
  const file = join(target, "package.json");
  const manifest = JSON.parse(fs.readFileSync(file, "utf8")) as object;
  fs.writeFileSync(file, `${JSON.stringify({ ...manifest, name }, undefined, 2)}\n`);
};
