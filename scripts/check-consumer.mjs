// Uses the packed packages as another project would: imports every entry, runs that program and
// type-checks it with three versions of TypeScript, the declarations of the packages included.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { entries, manifests, pinned, run, strictProject, withConsumer } from "./published.mjs";

const TYPESCRIPTS = ["5.9.3", "6.0.3", "7.0.2"];

const program = entries
  .map(
    (entry, i) =>
      `import * as m${i} from "${entry}";\nif (Object.keys(m${i}).length === 0) throw new Error("${entry} is empty");`,
  )
  .join("\n");
/** A project that imports every entry installs every optional peer. */
const peers = manifests
  .flatMap(({ peerDependencies = {} }) => Object.keys(peerDependencies))
  .filter((name) => !["effect", "@types/node"].includes(name) && !name.startsWith("@game-data/"));
const dependencies = {
  ...Object.fromEntries(peers.map((name) => [name, pinned(name)])),
  "@types/node": pinned("@types/node"),
  ...Object.fromEntries(
    TYPESCRIPTS.map((version) => [`typescript-${version[0]}`, `npm:typescript@${version}`]),
  ),
};

/** A declaration of a peer that another author wrote: `nats-core` has two that are not strict. */
const FOREIGN = /^node_modules\/\.pnpm\/(?!@game-data\+)/;

/** The errors that the compiler prints, those in foreign declarations left out. */
const typeErrors = (folder, compiler) => {
  const { error, status, stdout } = spawnSync(process.execPath, [compiler, "-p", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  const errors = stdout.split("\n").filter((line) => /error TS\d+/.test(line));
  if (status !== 0 && errors.length === 0) throw new Error(stdout);
  return errors.filter((line) => !FOREIGN.test(line));
};

await withConsumer(dependencies, (folder) => {
  writeFileSync(join(folder, "main.ts"), program);
  writeFileSync(join(folder, "tsconfig.json"), strictProject(["node"]));
  run(folder, process.execPath, "main.ts");
  console.log(`imports ${entries.length} entries of ${manifests.length} packages`);
  for (const version of TYPESCRIPTS) {
    const errors = typeErrors(folder, `node_modules/typescript-${version[0]}/bin/tsc`);
    if (errors.length > 0) throw new Error(`TypeScript ${version}:\n${errors.join("\n")}`);
    console.log(`type-checks with TypeScript ${version}`);
  }
});
