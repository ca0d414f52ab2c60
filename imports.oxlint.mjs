// What may import what: oxlint -c imports.oxlint.mjs (`pnpm lint`). Imports run one way, see
// "Map" in CONTRIBUTING.md; clients use the route table; packages for every platform
// name no module of Node; the follower's core imports no driver; and what inflates is
// `@game-data/contract/inflate` alone, because that has a bound. A configuration of its own, because a
// rule has one setting for each file, and the other one forbids barrels.
//
// It guards against mistakes: a module whose name is put together is found by reviewers alone.
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";

/** The workspace packages that the sources of a package may import; without a row, none. */
const MAY_IMPORT = {
  contract: ["schemas"],
  "oauth-pkce": ["contract"],
  "api-client": ["contract", "schemas", "rate-limit"],
  "stream-follower": ["schemas", "contract", "api-client"],
  sandbox: ["contract", "schemas"],
};
const CLIENTS = new Set(["rate-limit", "oauth-pkce", "api-client", "stream-follower"]);
/** Packages without a platform, and the files of theirs that have one. */
const PLATFORM_FILES = {
  "tree-link": ["command/**"],
  schemas: [],
  contract: ["node/**"],
  "rate-limit": [],
};
/** Folders of the follower that hold no driver. `sql` loads its drivers when an address names them. */
const NO_DRIVERS = new Set(["sql", "testing"]);

const INFLATE = "Inflate by @game-data/contract/inflate.";
const INFLATERS = ["node:zlib", "zlib", "fflate", "pako"].map((name) => ({
  name,
  message: INFLATE,
}));
/** For files that compress: of Node's module they take names, none of which inflates. */
const COMPRESSES = "brotliCompress constants crc32 gzip gzipSync zstdCompressSync".split(" ");
const COMPRESSORS = INFLATERS.with(0, { ...INFLATERS[0], allowImportNames: COMPRESSES });
const HTTP_API = {
  name: "@game-data/contract/server",
  message: "Clients use the route table, not HttpApi.",
};

const INFLATE_FILES = ["packages/contract/src/inflate.ts"];
const INFLATING = [
  "decompress",
  "getBuiltinModule",
  "Gunzip",
  "Inflate",
  "DecompressionStream",
].map((property) => ({ property, message: INFLATE }));
/** Time comes from Effect's Clock; these files run outside of an Effect, or hand the system's time on. */
const NOW = { object: "Date", property: "now", message: "Time comes from Effect's Clock." };
const SYSTEM_TIME = [
  "oauth-pkce/src/TokenSet.ts",
  "oauth-pkce/src/conformance/index.ts",
  "sandbox/src/platform/{node,web}.ts",
].map((file) => `packages/${file}`);
const SOURCES = ["{packages,apps,support}/*/{console,scripts,src}/**"];

/** What files may not import: modules, and patterns of them. */
const forbid = (files, { paths = INFLATERS, patterns = [], excludeFiles = [] }) => ({
  files,
  excludeFiles,
  rules: { "no-restricted-imports": ["error", { paths, patterns }] },
});
const both = (name) => [`@game-data/${name}`, `@game-data/${name}/**`];

const manifestOf = (folder) =>
  JSON.parse(readFileSync(join(import.meta.dirname, folder, "package.json"), "utf8"));

/** What only tools and tests bring, and modules of Node without `node:`. */
const undeclared = (name) => {
  const { dependencies, devDependencies, peerDependencies } = manifestOf(`packages/${name}`);
  const tools = { ...manifestOf(".").devDependencies, ...devDependencies };
  const declared = { ...dependencies, ...peerDependencies };
  const absent = [...builtinModules, ...Object.keys(tools)].filter(
    (each) => !(each in declared) && !/^(?:node:|@game-data\/)/.test(each),
  );
  const regex = `^(?:${absent.join("|")})(?:/|$)`;
  return { regex, message: `The manifest of ${name} does not bring it.` };
};

const ofPackage = (name) => {
  const src = `packages/${name}/src`;
  const mine = [name, ...(MAY_IMPORT[name] ?? [])].flatMap(both).map((one) => `!${one}`);
  const paths = [...(CLIENTS.has(name) ? [HTTP_API] : []), ...INFLATERS];
  const patterns = [
    { group: [...both("*"), ...mine], message: `${name} may not use it.` },
    { group: ["**/support/**", "**/apps/**"], message: "Support and apps are not published." },
    undeclared(name),
  ];
  if (PLATFORM_FILES[name] !== undefined) {
    const platform = { group: ["node:*"], message: "This package has no platform code." };
    const excludeFiles = PLATFORM_FILES[name].map((files) => `${src}/${files}`);
    return [
      forbid([`${src}/**`], { paths, patterns }),
      forbid([`${src}/**`], { paths, patterns: [...patterns, platform], excludeFiles }),
    ];
  }
  const compressing = { paths: [...paths.slice(0, -INFLATERS.length), ...COMPRESSORS], patterns };
  return [
    forbid([`${src}/**`], name === "stream-follower" ? compressing : { paths, patterns }),
    ...(name === "sandbox" ? [forbid([`${src}/platform/**`], compressing)] : []),
    ...(name === "stream-follower" ? ofFollower(src, compressing) : []),
  ];
};

/** A driver is imported by its own files, and by loaders, which stand beside the folders. */
const ofFollower = (src, { paths, patterns }) => {
  const folders = readdirSync(join(import.meta.dirname, src), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const drivers = folders.filter((folder) => !NO_DRIVERS.has(folder));
  return folders.map((folder) => {
    const group = drivers.filter((driver) => driver !== folder).map((driver) => `**/${driver}/**`);
    const others = { group, message: "The core imports no driver.", allowTypeImports: true };
    return forbid([`${src}/${folder}/**`], { paths, patterns: [...patterns, others] });
  });
};

export default {
  categories: { correctness: "off" },
  overrides: [
    {
      files: SOURCES,
      excludeFiles: INFLATE_FILES,
      rules: {
        "no-restricted-globals": ["error", { name: "DecompressionStream", message: INFLATE }],
        "no-restricted-properties": ["error", ...INFLATING],
      },
    },
    {
      files: ["packages/*/src/**"],
      excludeFiles: [...INFLATE_FILES, ...SYSTEM_TIME],
      rules: { "no-restricted-properties": ["error", ...INFLATING, NOW] },
    },
    forbid(SOURCES, { excludeFiles: INFLATE_FILES }),
    forbid(["packages/*/test/outside/**"], {
      paths: [],
      patterns: [{ group: ["**/src/**"], message: "Tests from outside take exported names." }],
    }),
    ...readdirSync(join(import.meta.dirname, "packages")).flatMap(ofPackage),
  ],
};
