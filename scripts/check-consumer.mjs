// Uses the packed packages as a stranger would: packs them, installs the tarballs in an empty project outside the workspace, imports
// every entry, type-checks that program with three versions of TypeScript and runs it.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TYPESCRIPTS = ["5.9.3", "6.0.3", "7.0.2"];

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "game-data-consumer-"));
const run = (cwd, command, ...args) => execFileSync(command, args, { cwd, stdio: "inherit" });
const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
const pinned = (name) => catalog.match(new RegExp(`^  "?${name}"?: (.+)$`, "m"))[1];

const manifests = globSync("packages/*/package.json", { cwd: root }).map((file) =>
  JSON.parse(readFileSync(join(root, file), "utf8")),
);
const entries = manifests.flatMap(({ name, exports }) =>
  Object.entries(exports)
    .filter(
      ([path, target]) =>
        typeof target === "string" && !path.includes("*") && path !== "./package.json",
    )
    .map(([path]) => name + path.slice(1)),
);

try {
  run(
    root,
    "pnpm",
    "-r",
    "--filter",
    "./packages/*",
    "pack",
    "--pack-destination",
    folder,
    "--silent",
  );
  const tarballs = Object.fromEntries(
    manifests.map(({ name, version }) => [
      name,
      `file:${join(folder, `${name.slice(1).replace("/", "-")}-${version}.tgz`)}`,
    ]),
  );
  const dependencies = {
    ...tarballs,
    effect: pinned("effect"),
    "@effect/sql-pg": pinned("@effect/sql-pg"),
    "@types/node": pinned("@types/node"),
    ...Object.fromEntries(TYPESCRIPTS.map((v) => [`typescript-${v[0]}`, `npm:typescript@${v}`])),
  };
  const program = entries
    .map(
      (entry, i) =>
        `import * as m${i} from "${entry}";\nif (Object.keys(m${i}).length === 0) throw new Error("${entry} is empty");`,
    )
    .join("\n");
  const tsconfig = {
    compilerOptions: {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable"],
      types: ["node"],
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
    },
    files: ["main.ts"],
  };
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(folder, "pnpm-workspace.yaml"),
    `pmOnFail: ignore\noverrides:\n${Object.entries(tarballs)
      .map(([name, file]) => `  "${name}": "${file}"\n`)
      .join("")}`,
  );
  writeFileSync(join(folder, "main.ts"), program);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  run(folder, "pnpm", "install", "--no-frozen-lockfile", "--ignore-scripts", "--silent");
  run(folder, process.execPath, "main.ts");
  console.log(`imports ${entries.length} entries of ${manifests.length} packages`);
  for (const version of TYPESCRIPTS) {
    run(folder, process.execPath, `node_modules/typescript-${version[0]}/bin/tsc`, "-p", ".");
    console.log(`type-checks with TypeScript ${version}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
