/**
 * `pnpm generate` writes the compiled checks of the bodies from their schemas. `--check` writes
 * nothing and fails when something is stale.
 */
import { bodyModules, indexModule } from "./bodies.ts";
import { formatted, staleOf, writeOrCheck } from "../../schemas/scripts/format.ts";

const home = new URL("../", import.meta.url);

/** Everything that is generated, by its path from the package. */
const generated = (): ReadonlyMap<string, string> => {
  const bodies = [...bodyModules()].map(([name, source]) => [`bodies/${name}`, source] as const);
  const pages = formatted(new Map([["bodies.ts", indexModule()], ...bodies]));
  return new Map([...pages].map(([name, source]) => [`src/routes/generated/${name}`, source]));
};

/** The generated files that are not as they would be written now. */
export const stale = (): ReadonlyArray<string> => staleOf(home, generated());

if (import.meta.main) writeOrCheck(home, generated());
