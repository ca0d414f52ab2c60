/**
 * Preloaded into a program: at its end it tells on stderr from which packages of this repository it
 * has loaded more than words.
 */
import { registerHooks } from "node:module";

const loaded = new Set();
registerHooks({
  load: (url, context, next) => {
    const [, name] = /\/packages\/([\w-]+)\/src\//u.exec(url) ?? [];
    // The list of scopes is a module of its own, which the flags of `login` need.
    if (name !== undefined && !url.endsWith("/contract/src/Scope.ts")) loaded.add(name);
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(`loaded: ${[...loaded].toSorted().join(" ")}\n`));
