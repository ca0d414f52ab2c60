/**
 * Preloaded into a program: at its end it prints on stderr from which packages of this repository
 * it has loaded modules.
 */
import { registerHooks } from "node:module";

const loaded = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    const [, name] = /\/packages\/([\w-]+)\/src\//u.exec(url) ?? [];
    // Modules of the contract without imports, which flags and settings need.
    if (name !== undefined && !/\/contract\/src\/(?:Scope|SecureUrl|UserAgent)\.ts$/u.test(url))
      loaded.add(name);
    return next(url, context);
  },
});

/** The packages that are loaded so far, on a line. */
export const loadedLine = () => `loaded: ${[...loaded].toSorted().join(" ")}\n`;

process.on("exit", () => process.stderr.write(loadedLine()));
