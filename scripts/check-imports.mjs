// Fails when an import runs against the layout (see "Repository layout" in CONTRIBUTING.md). It reads the words of sources, and
// guards against mistakes: a module whose name is put together is found by reviewers alone.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dirname, "..");
const CLIENTS = new Set(["rate-limit", "oauth-pkce", "api-client", "stream-follower"]);

/** The workspace packages that the sources of a package may import. */
const MAY_IMPORT = {
  "tree-link": [],
  "rate-limit": [],
  schemas: [],
  contract: ["schemas"],
  "oauth-pkce": ["contract"],
  "api-client": ["contract", "schemas", "oauth-pkce", "rate-limit"],
  "stream-follower": ["schemas", "contract", "api-client", "rate-limit"],
  sandbox: ["contract", "schemas"],
  create: [],
};
/** Folders of drivers: only their own files, and the loader by address, may import them. */
const DRIVERS = ["sqlite", "postgres", "nats", "cluster", "api-client", "redis", "node"];

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;"'`]*?from\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;
const COMMENT = /^\s*\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/**
 * What inflates without a bound, or a module that does; `@game-data/contract/inflate` is the one that
 * has it.
 */
const INFLATES =
  /\b(?:[gG]unzip|[uU]nzip|(?:[bB]rotli|zstd)Decompress|create(?:Gunzip|Inflate|Unzip|\w+Decompress)|DecompressionStream)\w*|\bdecompress(?:Sync)?\b|["'`](?:(?:node:)?zlib|fflate|pako)["'`]/;
/** Of `node:zlib` a source takes names, none of which inflates: the whole module has them all. */
const ZLIB = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+["'](?:node:)?zlib["']/g;
const inflaterIn = (text) =>
  INFLATES.exec(
    text
      .replace(COMMENT, "")
      .replace(ZLIB, (whole, names) => (/inflate|unzip|decompress/i.test(names) ? whole : "")),
  )?.[0];
for (const planted of [
  'import { inflateSync } from "node:zlib";',
  "import { InflateRaw as X } from 'zlib';",
  'import * as zlib from "node:zlib";',
  'import zlib = require("node:zlib");',
  'const zlib = await import("node:zlib");',
  "const zlib = await import(`node:zlib`);",
  'const zlib = process.getBuiltinModule("node:zlib");',
  'const zlib = createRequire(import.meta.url)("node:zlib");',
  'import { decompressSync } from "fflate";',
  'import pako from "pako";',
  "agent.compose(interceptors.decompress())",
  "new zlib.Gunzip()",
])
  if (inflaterIn(planted) === undefined) throw new Error(`the check misses ${planted}`);

const READ = "{packages,apps,support}/*/{console,scripts,src}/**/*.{ts,tsx,mts,mjs}";
const problems = [];
for (const file of globSync(READ, { cwd: root }))
  if (!file.startsWith("packages/contract/src/inflate/")) {
    const found = inflaterIn(readFileSync(join(root, file), "utf8"));
    if (found !== undefined)
      problems.push(`${file}: ${found}: inflate by @game-data/contract/inflate`);
  }
for (const file of globSync("packages/*/src/**/*.ts", { cwd: root })) {
  const [, name, , ...path] = file.split("/");
  const source = readFileSync(join(root, file), "utf8").replace(COMMENT, "");
  const refuse = (specifier, why) => problems.push(`${file} imports ${specifier}: ${why}`);
  if (MAY_IMPORT[name] === undefined) problems.push(`packages/${name} has no row in MAY_IMPORT`);
  for (const [statement, from, dynamic] of source.matchAll(IMPORT)) {
    const specifier = from ?? dynamic;
    const [, target, subpath = ""] = /^@game-data\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
    if (target !== undefined && target !== name) {
      if (!MAY_IMPORT[name]?.includes(target)) refuse(specifier, `${name} may not use ${target}`);
      if (target === "contract" && subpath === "/server" && CLIENTS.has(name))
        refuse(specifier, "clients use the route table, not HttpApi");
    }
    if (/(^|\/)(support|apps)\//.test(specifier) || specifier.startsWith("@game-data/test-support"))
      refuse(specifier, "the sources of a package are published, support and apps are not");
    if (
      ["tree-link", "schemas", "contract", "rate-limit"].includes(name) &&
      specifier.startsWith("node:")
    ) {
      const isPlatformFolder =
        (["rate-limit", "contract"].includes(name) &&
          DRIVERS.concat("file").some((part) => path.join("/").includes(part))) ||
        (name === "tree-link" && path[0] === "command");
      if (!isPlatformFolder) refuse(specifier, "this package has no platform code");
    }
    if (
      !specifier.startsWith(".") ||
      dynamic !== undefined ||
      /^\s*(import|export) type\b/.test(statement.trim())
    )
      continue;
    const to = normalize(join(dirname(path.join("/")), specifier)).split("/")[0];
    const isLoader = path.length === 1;
    if (name === "stream-follower" && DRIVERS.includes(to) && path[0] !== to && !isLoader)
      refuse(specifier, "the core imports no driver");
  }
}

if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log("imports run one way");
