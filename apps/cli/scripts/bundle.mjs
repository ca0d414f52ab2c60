// Settings that the bundle for npm and the single executable have in common.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export const root = join(import.meta.dirname, "..");

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

/** Options of esbuild. */
export const options = {
  bundle: true,
  minify: true,
  // Names of errors and functions show in messages and traces.
  keepNames: true,
  platform: "node",
  format: "esm",
  target: "node22",
  plugins: [namedExportsOfUndici],
  logLevel: "warning",
  // An optional peer with a native library: loaded from node_modules where it is installed.
  external: ["@duckdb/node-api"],
  // CommonJS dependencies call require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};
