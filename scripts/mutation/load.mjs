// Loads what is judged before the first test: what runs at load cannot be switched any more, and a
// test that is the first to import it would seem to reach it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const file = join(process.env.MUTATION_FOLDER, "sources.json");
for (const [url, source] of Object.entries(JSON.parse(readFileSync(file, "utf8"))))
  // A program would begin to run; what another platform runs does not load here.
  if (/^export /m.test(source)) await import(url).catch(() => undefined);
