// Bundles `gamedata` for npm: one chunk per command group, so that a command loads what it needs.
// Writes dist/ with the licences of the bundled packages, or `--outdir DIR`.
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { licences } from "../../../support/src/licences.mjs";

const root = join(import.meta.dirname, "..");
const options = { outdir: { type: "string", default: join(root, "dist") } };
const { outdir } = parseArgs({ options }).values;

/**
 * `@effect/platform-node` re-exports everything of undici, which is CommonJS, from a module that is
 * imported on demand. A chunk of its own then has a default export only: name the exports.
 */
const namedExportsOfUndici = {
  name: "named-exports-of-undici",
  setup: ({ onLoad }) =>
    onLoad({ filter: /platform-node[\\/]dist[\\/]Undici\.js$/ }, ({ path }) => {
      const names = Object.keys(createRequire(path)("undici")).filter((name) => name !== "default");
      const contents = `import Undici from "undici";
export default Undici;
export const { ${names.join(", ")} } = Undici;`;
      return { contents, resolveDir: dirname(path) };
    }),
};

rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { main: join(root, "src/main.ts") },
  outdir,
  bundle: true,
  splitting: true,
  minify: true,
  // Names of errors and functions show in messages and traces.
  keepNames: true,
  platform: "node",
  format: "esm",
  target: "node22",
  plugins: [namedExportsOfUndici],
  metafile: true,
  legalComments: "linked",
  logLevel: "warning",
  // An optional peer with a native library, which is loaded from node_modules if it is installed.
  external: ["@duckdb/node-api"],
  // CommonJS dependencies call require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
writeFileSync(join(outdir, "LICENCES.txt"), licences(metafile));
