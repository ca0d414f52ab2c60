// Bundles the program for publishing, and what CommonJS requires: node scripts/bundle.ts [FOLDER] [--whole]
// `main.js` and the chunks beside it: a start reads few files, and nothing of them has to be
// stripped of types. One file for everything started slower, for what only a command or a first
// request needs was read at every start. Effect is inside. The OpenAPI document stays outside, but for --whole,
// which is for images: nothing is installed beside it there.
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { CONSOLE } from "./build-pages.ts";

const root = join(import.meta.dirname, "..");

const COMMON = {
  bundle: true,
  platform: "node",
  target: "node22",
  // Names stay readable in stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
} as const;

/** The documentation, which only few requests need. */
const DOCUMENTS = ["@game-data/contract/openapi.json"];

/** Writes the program into a folder, in the place of what was there. */
export const bundleProgram = async (folder: string, isWhole = false): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...COMMON,
    metafile: true,
    entryPoints: [join(root, "src/main.ts")],
    outdir: folder,
    splitting: true,
    chunkNames: "chunk-[hash]",
    format: "esm",
    external: isWhole ? [] : DOCUMENTS,
  });
  // Of the repository, and not of this package, which is published without its scripts.
  const { licences } = await import(
    new URL("../../../support/src/licences.mjs", import.meta.url).href
  );
  // The page of the console is a text of the program, and a bundle itself.
  const { metafile: page } = await build({ ...CONSOLE, metafile: true, write: false });
  const inputs = { ...metafile.inputs, ...page.inputs };
  writeFileSync(join(folder, "LICENCES.txt"), licences({ inputs }));
  if (isWhole) writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
};

/**
 * Writes what `require` gives, `commonjs.cjs`, and its declarations: types of the package, and the
 * values by their names.
 */
export const bundleCommonJs = async (folder: string): Promise<void> => {
  const file = join(folder, "commonjs.cjs");
  await build({
    ...COMMON,
    entryPoints: [join(root, "src/commonjs.ts")],
    outfile: file,
    format: "cjs",
    external: DOCUMENTS,
  });
  const values = createRequire(import.meta.url)(file) as Readonly<Record<string, unknown>>;
  const api = 'typeof import("./commonjs.js", { with: { "resolution-mode": "import" } })';
  const lines = Object.entries(values).flatMap(([name, value]) => [
    `export declare const ${name}: Api["${name}"];`,
    ...(String(value).startsWith("class")
      ? [`export type ${name} = InstanceType<Api["${name}"]>;`]
      : []),
  ]);
  writeFileSync(
    join(folder, "commonjs.d.cts"),
    `export type * from "./index.js" with { "resolution-mode": "import" };
type Api = ${api};
${lines.join("\n")}
`,
  );
};

if (process.argv[1] === import.meta.filename) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { whole: { type: "boolean", default: false } },
  });
  await bundleProgram(positionals[0] ?? join(root, "dist/program"), values.whole);
  if (!values.whole) await bundleCommonJs(join(root, "dist"));
}
