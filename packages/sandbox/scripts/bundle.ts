// Bundles the program for publishing: node scripts/bundle.ts [FOLDER] [--whole]
// `main.js` and the chunks beside it: a start reads few files, and nothing of them has to be
// stripped of types. One file for everything started slower, for what only a command or a first
// request needs was read at every start. What comes with Effect (/docs, `exec`) stays outside, but for
// --whole, which is for images: nothing is installed beside it there.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

/** Writes the program into a folder, in the place of what was there. */
export const bundleProgram = async (folder: string, isWhole = false): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  await build({
    entryPoints: [join(root, "src/main.ts")],
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: "chunk-[hash]",
    format: "esm",
    platform: "node",
    target: "node22",
    // Names stay readable in stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "warning",
    external: isWhole
      ? []
      : ["@game-data/contract/openapi", "@game-data/contract/examples", "effect", "effect/*"],
  });
  if (isWhole) writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
};

if (process.argv[1] === import.meta.filename) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { whole: { type: "boolean", default: false } },
  });
  await bundleProgram(positionals[0] ?? join(root, "dist/program"), values.whole);
}
