// Serves the instrumented sources of MUTATION_FOLDER to the test process, in place of the files on
// disk, which stay as they are.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

const folder = process.env.MUTATION_FOLDER;
const sources = JSON.parse(readFileSync(join(folder, "sources.json"), "utf8"));

registerHooks({
  load: (url, context, next) =>
    Object.hasOwn(sources, url)
      ? { format: "module-typescript", source: sources[url], shortCircuit: true }
      : next(url, context),
});
